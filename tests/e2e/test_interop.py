"""A node, driven by gNMI clients that others wrote: every RPC of each."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from lab import PATIENCE, ROOT, until

CISCO = pathlib.Path(os.environ.get("LOCKSTEP_CISCO", ROOT / ".tools" / "cisco")) / "bin" / "python"
GNMI_CLI = shutil.which("gnmi_cli") or ROOT / ".tools" / "go" / "bin" / "gnmi_cli"


def test_pygnmi(clean):
    path = "/vlans/vlan[id=7]/name"
    with clean.client() as client:
        assert client.capabilities()["gnmi_version"] == "0.10.0"
        client.set(target="leaf1", update=[("/vlans/vlan[id=7]", {"id": 7, "name": "a"})], encoding="json_ietf")
        client.set(target="leaf1", replace=[("/vlans/vlan[id=7]", {"id": 7, "name": "b"})], encoding="json_ietf")
        got = client.get(target="leaf1", path=[path], datatype="config", encoding="json_ietf")
        assert got["notification"][0]["update"][0]["val"] == "b"
        wanted = {"subscription": [{"path": path, "mode": "on_change"}], "encoding": "json_ietf"}
        once = client.subscribe2(target="leaf1", subscribe={**wanted, "mode": "once"})
        assert [one["update"]["update"][0]["val"] for one in once if "update" in one] == ["b"]
        poll = client.subscribe2(target="leaf1", subscribe={**wanted, "mode": "poll"})
        polled = lambda: next(
            told["update"]["update"][0]["val"]
            for told in iter(lambda: poll.get_update(timeout=PATIENCE), None)
            if "update" in told
        )
        assert polled() == "b"
        client.set(target="leaf1", update=[(path, '"c"')], encoding="json_ietf")
        until("a later poll tells what is new", lambda: polled() == "c")
        poll.close()
        stream = client.subscribe2(target="leaf1", subscribe={**wanted, "mode": "stream"})
        assert stream.get_update(timeout=PATIENCE)["update"]["update"][0]["val"] == "c"
        client.set(target="leaf1", delete=["/vlans/vlan[id=7]"])
        deleted = lambda told: told.get("update", {}).get("delete")
        while not deleted(stream.get_update(timeout=PATIENCE)):
            pass
        stream.close()


@pytest.mark.skipif(not CISCO.exists(), reason="cisco-gnmi is not installed; `make interop` does")
def test_cisco_gnmi(clean):
    script = pathlib.Path(__file__).with_name("cisco.py")
    asked = [CISCO, script, f"127.0.0.1:{clean.port}", "leaf1"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert {"lab", "box"} == set(said.pop("models"))
    text = ["said by cisco-gnmi"]
    assert said == {"got": text, "once": text, "polled": text * 2, "streamed": text, "changed": ["changed"], "deleted": 1}


@pytest.mark.skipif(not pathlib.Path(GNMI_CLI).exists(), reason="gnmi_cli is not built; `make interop` does, with Go")
def test_gnmi_cli(clean):
    def run(*arguments, ends=True):
        common = [GNMI_CLI, "-address", f"127.0.0.1:{clean.port}", "-insecure", "-timeout", "10s"]
        done = subprocess.run([*common, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        assert not ends or done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "lab" in run("-capabilities")
    motd = 'elem: {name: "system"} elem: {name: "motd"}'
    to = 'prefix: {target: "leaf1"}'
    run("-set", "-proto", f'{to} update: {{path: {{{motd}}} val: {{string_val: "hi"}}}}')
    run("-set", "-proto", f'{to} replace: {{path: {{{motd}}} val: {{json_ietf_val: "\\"ho\\""}}}}')
    assert "ho" in run("-get", "-proto", f"{to} path: {{{motd}}} encoding: JSON_IETF type: CONFIG")
    query = ["-target", "leaf1", "-query", "/system/motd"]
    assert "ho" in run(*query, "-query_type", "once")
    polls = run(*query, "-query_type", "polling", "-polling_interval", "100ms", "-count", "2")
    assert polls.count("ho") == 2
    # A stream ends only with the client's patience, which it calls an error.
    stream = ["-query_type", "streaming", "-display_type", "proto", "-streaming_duration", "1s"]
    told = run(*query, *stream, ends=False)
    assert "ho" in told and "sync_response: true" in told
    run("-set", "-proto", f"{to} delete: {{{motd}}}")
    assert "ho" not in run(*query, "-query_type", "once")

"""`lockstep bench`: what it measures, what it leaves behind, and how it ends."""

import json
import os
import signal
import subprocess

from lab import BINARY, PATIENCE, until

BRIEF = ["--duration", "1s", "--warm-up", "0s", "--clients", "4"]


def test_a_node_of_its_own(tmp_path):
    asked = ["--own", "2", *BRIEF, "--queued", "--async", "--readers", "1", "--subscribers", "2", "--output", "json"]
    done = subprocess.run([BINARY, "bench", *asked], capture_output=True, text=True, timeout=PATIENCE * 2, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    changes = told["changes"]
    assert changes["answered"] > 0 and not changes["errors"], told
    assert 0 < changes["milliseconds"]["p50"] <= changes["milliseconds"]["p99"] <= changes["milliseconds"]["max"]
    assert told["reads"]["answered_in_all"] > 0 and told["subscribers"]["synced"] == 2
    assert told["settled_seconds"] is not None and told["measured_seconds"] >= 1
    assert not list(tmp_path.iterdir()), "it leaves nothing behind"


def test_what_it_wrote_is_gone_again(lab):
    lab.set("leaf1", update=[("/interfaces/interface[name=bench1]/description", "uplink")])
    before = lab.get("leaf1", "/")
    done = lab.command("bench", "--targets", "2", "--leaves", "2", "--targets-per-transaction", "2", *BRIEF, "--yes")
    assert done.returncode == 0 and "is gone again from every target" in done.stdout, done
    assert lab.get("leaf1", "/") == before == lab.on_device("leaf1", "/")
    assert lab.on_device("leaf2", "/interfaces") is None
    wrote = [one for one in lab.transactions() if one["comment"] == "lockstep bench"]
    assert wrote and all(one["status"] == "applied" and len(one["targets"]) == 2 for one in wrote)


def test_it_does_not_change_what_nobody_said_it_may(lab):
    head = len(lab.transactions())
    refused = {
        (): "--yes says that it may",
        ("--targets", "9"): "--own 9",
        ("--target", "leaf9"): "there is no target leaf9",
        ("--path", "/nonsense", "--yes"): "--path and --value say what else to write",
        ("--path", "/interfaces/interface[name=a]/access-vlan", "--value", "7", "--yes"): "does not take it",
        ("--clients", "0"): "--clients has to be more",
    }
    for arguments, words in refused.items():
        done = lab.command("bench", *arguments)
        assert done.returncode == (1 if arguments else 2) and words in done.stderr, (arguments, done)
    assert len(lab.transactions()) == head


def test_interrupted_it_tells_what_it_measured_and_cleans_up(lab):
    server = ["--server", f"127.0.0.1:{lab.port}", "--insecure", "--output", "json"]
    asked = [BINARY, *server, "bench", "--target", "leaf1", "--duration", "1h", "--warm-up", "0s", "--rate", "20", "--yes"]
    process = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        applied = lambda: [one for one in lab.transactions() if one["comment"] == "lockstep bench" and one["status"] == "applied"]
        until("a few changes went through", lambda: len(applied()) > 3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130, (out, err)
    told = json.loads(out)
    assert told["interrupted"] and told["changes"]["answered"] > 3 and not told["not_put_back"]
    assert lab.on_device("leaf1", "/interfaces") is None

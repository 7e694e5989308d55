"""The API over HTTP: every operation of its document, each answer held to what that says."""

import base64
import json
import os
import subprocess
import threading

import pytest
from pygnmi.spec.v080 import gnmi_pb2

from identity import SECRETS, hashed
from lab import BINARY, PATIENCE, Lab, options, until, update
from web import Web


def motd(text):
    return {"update": {"/system/motd": text}}


def test_every_dry_run_says_the_same(lab):
    """Also while there is something that is committed, and that nobody reads yet."""
    web = Web(lab.http)
    for name, text in (("leaf1", "one"), ("leaf2", "one")):
        web.post("/api/v1/transactions", {name: motd(text)})
    lab.sim("hang", lab.device("leaf2"))
    open_ = lab.run("set", "leaf2", "--update", "/system/motd=two", "--async")["index"]
    assert (lab.get("leaf2", "/system/motd"), lab.transactions()[0]["status"]) == ("one", "committed")
    for name, text, changes in (("leaf1", "one", False), ("leaf1", "two", True), ("leaf2", "two", False), ("leaf2", "one", True)):
        tried = web.post("/api/v1/transactions", {name: motd(text)}, dry_run="true")
        with lab.stub() as stub:
            asked = gnmi_pb2.SetRequest(update=[update("/system/motd", text, name)], extension=[options(dry_run=True)])
            preview = stub.Set(asked, timeout=PATIENCE).extension[0].SerializeToString()
        assert (bool(tried["changes"]), b"motd" in preview) == (changes, changes), (name, text)
    lab.command("cancel", str(open_), "--yes")
    lab.sim("release", lab.device("leaf2"))


def test_every_operation(lab):
    web = Web(lab.http)
    assert web.get("/api/v1/me")["rights"] == ["read", "change", "operate"]
    summary = web.get("/api/v1/summary")
    assert summary["targets"] == {"synchronised": 3} and summary["node"] == "n1"
    brief = web.get("/api/v1/summary", brief="true")
    assert brief["targets"] == brief["transactions"] == {} and (brief["node"], brief["head"]) == ("n1", summary["head"])

    # A change, as a dry run and in earnest.
    tried = web.post("/api/v1/transactions", {"leaf1": motd("hello"), "leaf2": motd("hello")}, dry_run="true")
    assert tried["valid"] and tried["changes"]["leaf1"] == [
        {"path": "/system/motd", "before": None, "after": "hello", "masked": False}
    ]
    done = web.post("/api/v1/transactions", {"leaf1": motd("hello"), "leaf2": motd("hello")}, comment="a banner")
    first = done["index"]
    assert (done["status"], done["comment"], done["counts"]) == ("applied", "a banner", {"applied": 2})
    yaml = b"leaf1: {update: {/system/motd: again}}\nleaf3: {update: {/system/hostname: three}}\n"
    again = web.must("POST", "/api/v1/transactions", yaml, {"content-type": "application/yaml"})["index"]
    status, refused = web.ask("POST", "/api/v1/transactions", {"leaf1": {"update": {"/nonsense": 1}}})
    assert status == 404 and refused["error"]["code"] == "NOT_FOUND"
    broken = {"leaf1": {"update": {"/interfaces/interface[name=eth9]/access-vlan": 77}}}
    status, refused = web.ask("POST", "/api/v1/transactions", broken)
    assert status == 400 and refused["transaction"]["status"] == "rejected"
    tried = web.post("/api/v1/transactions", broken, dry_run="true")
    assert not tried["valid"] and tried["violations"][0]["target"] == "leaf1"

    # The log.
    listed = web.get("/api/v1/transactions", limit=2, kind="change", brief="true")
    assert len(listed["transactions"]) == 2 and not listed["transactions"][0]["targets"]
    rest = web.get("/api/v1/transactions", before=listed["next_before"], kind="change", comment="BANNER")
    assert [one["index"] for one in rest["transactions"]] == [first] and rest["next_before"] is None
    assert web.get("/api/v1/transactions", target="leaf3", kind="change")["transactions"][0]["index"] == again
    assert web.get("/api/v1/transactions", author="somebody")["transactions"] == []
    assert web.get(f"/api/v1/transactions/{again}")["targets"]["leaf3"]["status"] == "applied"
    changes = web.get(f"/api/v1/transactions/{again}/changes", target="leaf1")
    assert changes == {"leaf1": [{"path": "/system/motd", "before": "hello", "after": "again", "masked": False}]}
    assert web.ask("GET", "/api/v1/transactions/999")[0] == 404
    assert web.ask("GET", "/api/v1/transactions/x")[0] == 400
    status, refused = web.ask("GET", "/api/v1/transactions", limt=2)
    assert status == 400 and "there is no parameter \"limt\"" in refused["error"]["message"]

    # Configurations.
    found = web.get("/api/v1/targets/leaf1/configuration", path="/system/motd")
    assert found["values"] == {"/system/motd": "again"}
    found = web.get("/api/v1/targets/leaf1/configuration", path="/system/motd", index=first)
    assert found == {"index": first, "values": {"/system/motd": "hello"}}
    then = web.get(f"/api/v1/transactions/{again}")["submitted"]
    assert web.get("/api/v1/targets/leaf1/configuration", path="/system/motd", time=then)["values"] == {
        "/system/motd": "hello"
    }
    for side in ("committed", "applied", "device"):
        found = web.get("/api/v1/targets/leaf1/configuration", path="/system/motd", side=side)
        assert found["values"] == {"/system/motd": "again"}, side
    assert web.ask("GET", "/api/v1/targets/leaf1/configuration", side="device", index=first)[0] == 400
    for at, name, known in (
        ("/api/v1/targets/leaf1/configuration", "side", "visible, committed, applied, device"),
        ("/api/v1/targets", "state", "pending, synchronising, synchronised, drifted, paused, failed"),
        ("/api/v1/transactions", "status", "pending, committed, reverting, applied, partial, rejected, reverted, cancelled"),
        ("/api/v1/transactions", "kind", "change, rollback, restore, adopt, add, rebind, remove"),
        ("/api/v1/watch/transactions", "kind", "change, rollback, restore, adopt, add, rebind, remove"),
    ):
        status, refused = web.ask("GET", at, **{name: "outside"})
        assert (status, refused["error"]["message"]) == (400, f'there is no {name} "outside"; there are {known}'), at
    assert web.ask("POST", f"/api/v1/transactions/{first}/rollback", rule="outside")[0] == 400
    assert web.ask("GET", "/api/v1/targets/leaf9/configuration")[0] == 404
    assert web.get("/api/v1/targets/leaf1/diff", side="applied", to_side="device") == {"changes": [], "secrets": 0}
    changes = web.get("/api/v1/targets/leaf1/diff", index=first)["changes"]
    assert [(one["path"], one["before"], one["after"]) for one in changes] == [("/system/motd", "hello", "again")]
    changes = web.get("/api/v1/targets/leaf1/diff", to="leaf2", path="/system")["changes"]
    assert [(one["path"], one["before"], one["after"]) for one in changes] == [("/system/motd", "again", "hello")]

    # Back again.
    tried = web.post(f"/api/v1/transactions/{first}/rollback", dry_run="true", target="leaf1")
    assert not tried["valid"] and str(again) in tried["violations"][0]["message"]
    tried = web.post(f"/api/v1/transactions/{again}/rollback", dry_run="true")
    assert tried["valid"] and tried["changes"]["leaf1"][0]["after"] == "hello"
    assert tried["changes"]["leaf3"][0]["after"] is None
    back = web.post(f"/api/v1/transactions/{again}/rollback", comment="no")
    assert (back["kind"], back["of"], back["status"]) == ("rollback", again, "applied")
    assert web.get(f"/api/v1/transactions/{back['index']}/changes")["leaf1"][0]["after"] == "hello"
    assert web.post(f"/api/v1/transactions/{again}/restore", target="leaf1", dry_run="true")["valid"]
    # Named in a body; nobody means every target by naming none, or by a word that is misspelt.
    for wrong in ({"targets": []}, {"target": []}, {"target": ["leaf1"]}, {}, {"targets": "leaf1"}, {"targets": [1]}):
        status, refused = web.ask("POST", f"/api/v1/transactions/{again}/restore", wrong)
        assert status == 400 and "targets" in refused["error"]["message"], (wrong, refused)
    assert web.post(f"/api/v1/transactions/{again}/restore", {"targets": ["leaf1"]}, dry_run="true")["valid"]
    restored = web.post(f"/api/v1/transactions/{again}/restore", target="leaf1")
    assert restored["kind"] == "restore" and restored["to"] == again
    window = web.post("/api/v1/transactions", {"leaf1": motd("maybe")}, confirm=600)
    assert window["window"] == "open" and web.get("/api/v1/summary")["open"][0]["index"] == window["index"]
    assert web.post(f"/api/v1/transactions/{window['index']}/confirm")["window"] == "confirmed"
    window = web.post("/api/v1/transactions", {"leaf1": motd("perhaps")}, confirm=600)
    assert web.post(f"/api/v1/transactions/{window['index']}/cancel")["window"] == "reverted"

    # Targets.
    assert [target["name"] for target in web.get("/api/v1/targets", state="synchronised")] == lab.names
    assert web.get("/api/v1/targets", tag="none") == []
    assert web.get("/api/v1/targets/leaf1")["state"] == "synchronised"
    assert web.post("/api/v1/targets/leaf1/pause")["state"] == "paused"
    web.post("/api/v1/targets/leaf1/resume")
    assert web.ask("POST", "/api/v1/targets/leaf1/fly")[0] == 400
    lab.wait_synchronised("leaf1")
    options = {"address": lab.device("leaf1"), "insecure": True, "model": "lab-1.0"}
    assert web.post("/api/v1/targets/spare", options, dry_run="true") == {"transaction": None, "target": None}
    assert web.post("/api/v1/targets/spare", options, comment="new")["target"]["source"] == "api"
    web.must("PATCH", "/api/v1/targets/spare", {"tags": ["pod9"]})
    assert web.get("/api/v1/targets", tag="pod9")[0]["name"] == "spare"
    assert web.must("DELETE", "/api/v1/targets/spare")["transaction"]["kind"] == "remove"

    # The rest.
    assert web.get("/api/v1/models")[0]["name"] == "lab-1.0"
    assert web.post("/api/v1/models/reload")[0]["error"] is None
    (node,) = web.get("/api/v1/nodes")
    assert node["answers"] and set(node["masterships"]) == set(lab.names)
    status, dump = web.ask("GET", "/api/v1/export")
    web.asked.add("export")
    assert status == 200 and b"lockstep" in dump[:200]
    head = web.get("/api/v1/summary")["head"]
    assert web.post("/api/v1/compact", keep=2)["horizon"] == head - 2
    # What stands because of an entry that is gone still stands, so `first` may stay for a while; this need not.
    until("it is forgotten", lambda: web.ask("GET", f"/api/v1/transactions/{again}")[0] == 410)
    assert web.get("/api/v1/targets/leaf2/configuration", path="/system/motd")["values"] == {"/system/motd": "hello"}
    assert next(web.events("/api/v1/watch/transactions")) == ("synced", {})
    assert next(web.events("/api/v1/watch/configurations")) == ("synced", {})
    assert next(web.events("/api/v1/watch/targets"))[0] == "targets"
    web.get("/api/v1/openapi.json")
    for path in ("/healthz", "/readyz", "/metrics"):
        assert web.operation("GET", path) and web.ask("GET", path)[0] == 200
    known = {one["operationId"] for at in web.document["paths"].values() for one in at.values()}
    assert web.asked == known, known - web.asked


def test_watches(lab):
    web = Web(lab.http)
    events = web.events("/api/v1/watch/transactions", latest=1, brief="true", kind="change")
    configurations = web.events("/api/v1/watch/configurations", target="leaf2", path="/system")
    targets = web.events("/api/v1/watch/targets", name="leaf1")
    assert next(events) == ("synced", {}) and next(configurations) == ("synced", {})
    assert next(targets)[1]["targets"][0]["state"] == "synchronised"
    index = web.post("/api/v1/transactions", {"leaf1": motd("x"), "leaf2": motd("x")})["index"]
    seen = next(one for name, one in events if name == "transaction" and one["status"] == "applied")
    assert seen["index"] == index and seen["counts"] == {"applied": 2} and not seen["targets"]
    name, changed = next(configurations)
    assert (name, changed["target"], changed["index"]) == ("changes", "leaf2", index)
    assert changed["changes"] == [{"path": "/system/motd", "before": None, "after": "x", "masked": False}]
    web.post("/api/v1/targets/leaf1/pause")
    next(True for _, told in targets if any(one["state"] == "paused" for one in told["targets"]))
    # One that waits is watched until its outcome.
    waiting = web.post("/api/v1/transactions", {"leaf1": motd("y")}, queued="true", **{"async": "true"})["index"]
    one = web.events("/api/v1/watch/transactions", index=waiting)
    assert "resume" in next(one)[1]["waiting_for"]
    threading.Thread(target=web.post, args=("/api/v1/targets/leaf1/resume",)).start()
    *_, (name, last) = one
    assert (name, last["status"]) == ("transaction", "applied")
    assert web.ask("GET", "/api/v1/watch/transactions", index=999)[0] == 404


def test_what_other_sites_ask_is_refused(lab):
    web = Web(lab.http)
    here = f"http://127.0.0.1:{lab.http}"
    change = {"leaf1": motd("evil")}
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"host": "evil.example"},
    ):
        status, said = web.ask("POST", "/api/v1/transactions", change, headers)
        assert (status, said["error"]["code"]) == (403, "PERMISSION_DENIED"), headers
    assert web.ask("GET", "/api/v1/targets", None, {"host": "evil.example"})[0] == 403
    # What a form can send is no JSON.
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        sent = json.dumps(change).encode()
        assert web.ask("POST", "/api/v1/transactions", sent, {"content-type": kind})[0] == 400
    headers = {"origin": here, "sec-fetch-site": "same-origin"}
    assert web.ask("POST", "/api/v1/transactions", change, headers)[0] == 200
    # Nobody is told that they may read what they ask for from elsewhere.
    connection, answer = web.open("GET", "/api/v1/targets", None, {"origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    connection.close()


def test_bodies_have_a_limit(lab):
    web = Web(lab.http)
    large = {"leaf1": motd("x" * (17 << 20))}
    status, said = web.ask("POST", "/api/v1/transactions", large)
    assert status == 413 and "limits.message" in said["error"]["message"]
    assert said["error"]["code"] == "RESOURCE_EXHAUSTED"
    for comment in ("x" * 1025, "\x1b[31m"):
        status, said = web.ask("POST", "/api/v1/transactions", {"leaf1": motd("x")}, comment=comment)
        assert (status, said["error"]["code"]) == (400, "INVALID_ARGUMENT") and "the comment" in said["error"]["message"]
    assert web.ask("POST", "/api/v1/transactions", {})[0] == 400
    assert web.ask("POST", "/api/v1/transactions", b"{", {"content-type": "application/json"})[0] == 400


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A node that asks who is there; banners are secret."""
    lab = Guarded(tmp_path_factory.mktemp("guarded"), devices=1)
    word = {"alice": hashed(SECRETS["password"] + "-alice")}
    lab.write_config(users=word, **{"secret-paths": ["/**/motd"], "audit": "audit.jsonl"})
    try:
        yield lab.start()
    finally:
        lab.stop()


class Guarded(Lab):
    def command(self, *arguments):
        word = {**os.environ, "LOCKSTEP_PASSWORD": SECRETS["password"] + "-alice"}
        server = ["--server", f"127.0.0.1:{self.port}", "--insecure", "--username", "alice"]
        return subprocess.run([BINARY, *server, *arguments], capture_output=True, text=True, timeout=PATIENCE, env=word)


@pytest.mark.parametrize("path", ["/api/v1/targets", "/api/v1/openapi.json", "/nowhere"])
def test_a_browser_is_told_to_ask_and_a_script_is_not(guarded, path):
    web = Web.__new__(Web)
    web.port, web.headers, web.document = guarded.http, {}, None
    for headers, told in (({}, True), ({"sec-fetch-mode": "navigate"}, True), ({"sec-fetch-mode": "cors"}, False)):
        connection, answer = web.open("GET", path, None, headers)
        assert answer.status == 401 and ("www-authenticate" in answer.headers) == told, headers
        connection.close()


@pytest.mark.parametrize("path", ["/", "/login", "/docs/security.md"])
def test_the_page_is_where_one_says_who_one_is(guarded, path):
    """So it is open, and has nothing of this network."""
    web = Web.__new__(Web)
    web.port, web.headers, web.document = guarded.http, {}, None
    status, said = web.ask("GET", path)
    assert status == 200 and b"leaf1:" not in said


def test_secrets_are_masked_wherever_they_are_shown(guarded):
    """And a guess that is right looks like one that is wrong."""
    basic = base64.b64encode(f"alice:{SECRETS['password']}-alice".encode()).decode()
    web = Web(guarded.http, {"authorization": f"Basic {basic}"})
    me = web.get("/api/v1/me")
    assert (me["name"], me["how"], "read-secrets" in me["rights"]) == ("alice", "password", False)
    secret = SECRETS["motd"]
    web.post("/api/v1/transactions", {"leaf1": {"update": {"/system/hostname": "one"}}})
    events = web.events("/api/v1/watch/configurations")
    assert next(events)[0] == "synced"
    done = web.post("/api/v1/transactions", {"leaf1": motd(secret)})
    assert done["author"] == "alice"
    masked = [{"path": "/system/motd", "before": None, "after": "********", "masked": True}]
    assert web.get(f"/api/v1/transactions/{done['index']}/changes") == {"leaf1": masked}
    assert next(events)[1]["changes"] == masked
    for side in ("visible", "committed", "applied", "device"):
        found = web.get("/api/v1/targets/leaf1/configuration", side=side, path="/system/motd")
        assert found["values"] == {"/system/motd": "********"}, side
    assert web.get("/api/v1/targets/leaf1/diff", index=done["index"] - 1)["changes"] == masked
    answers = [json.dumps(web.post("/api/v1/transactions", {"leaf1": motd(guess)}, dry_run="true")) for guess in (secret, "no")]
    assert answers[0] == answers[1] and secret not in answers[0]
    guesses = [web.post("/api/v1/transactions", {"leaf1": motd(guess)})["index"] for guess in (secret, "another", "another")]
    told = [json.dumps(web.get(f"/api/v1/transactions/{index}/changes")) for index in guesses]
    assert len(set(told)) == 1 and secret not in told[0]
    for index in guesses:
        assert web.get("/api/v1/targets/leaf1/diff", index=index - 1, to_index=index)["changes"] == []
    back = web.post(f"/api/v1/transactions/{guesses[-1]}/rollback", dry_run="true")
    assert secret not in json.dumps(back)
    lines = [json.loads(line) for line in (guarded.folder / "audit.jsonl").read_text().splitlines()]
    assert any(line["action"] == "POST /api/v1/transactions" and line["index"] == guesses[0] for line in lines if "index" in line)

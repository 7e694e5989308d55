"""Targets that come, change and go while nodes run, and the models they are bound to."""

import concurrent.futures
import json
import shutil
import signal

import grpc
import pytest
from cluster import Cluster

from gnmi import leaves, request, subscribed, whole
from lab import MODELS, PATIENCE, Lab, until
from test_etcd import members
from test_set import fails


class Empty(Lab):
    """Devices, and a node whose file names none of them."""

    def __init__(self, folder, devices=2):
        super().__init__(folder, devices)
        self.write_config(targets={})

    def start(self, **devices):
        for name in self.names:
            self.start_device(name)
        self.start_node()
        return self

    def add(self, name, *more):
        return self.run("target", "add", name, "--address", self.device(name), "--device-insecure", *more)

    def refused(self, *arguments):
        done = self.command(*arguments)
        assert done.returncode in (1, 4), done
        return done.stderr


@pytest.fixture
def empty(tmp_path):
    lab = Empty(tmp_path)
    try:
        yield lab.start()
    finally:
        lab.stop()


def names(lab):
    return [target["name"] for target in lab.run("target", "list")]


def motd(lab, name):
    return lab.on_device(name, "/system/motd")


# rule: error-target
def test_a_target_is_added_used_and_removed(empty):
    added = empty.add("leaf1", "--tag", "pod1", "--comment", "a new rack")
    assert (added["kind"], added["status"], added["comment"]) == ("add", "applied", "a new rack")
    assert list(added["targets"]) == ["leaf1"]
    empty.wait_synchronised("leaf1")
    shown = empty.run("target", "show", "leaf1")
    assert (shown["source"], shown["model"], shown["tags"]) == ("api", "lab-1.0", ["pod1"])
    assert shown["address"] == empty.device("leaf1") and shown["drift"] == [] and shown["waiting_for"] is None
    empty.set("leaf1", update=[("/system/motd", "ours")])
    assert motd(empty, "leaf1") == "ours"

    # What was answered is there after a crash that follows at once, and what was there stays.
    empty.add("leaf2")
    empty.node.kill()
    empty.start_node()
    assert names(empty) == ["leaf1", "leaf2"]
    empty.wait_synchronised("leaf1", "leaf2")
    empty.set("leaf2", update=[("/system/motd", "after the crash")])
    assert empty.get("leaf1", "/system/motd") == "ours"

    removed = empty.run("target", "remove", "leaf1", "--yes")
    assert (removed["kind"], removed["status"]) == ("remove", "applied")
    assert names(empty) == ["leaf2"]
    fails(grpc.StatusCode.NOT_FOUND, lambda: empty.set("leaf1", update=[("/system/motd", "nobody's")]))
    fails(grpc.StatusCode.NOT_FOUND, lambda: empty.get("leaf1", "/system/motd"))
    assert motd(empty, "leaf1") == "ours", "the device is left as it is"
    kinds = {kind["kind"] for kind in empty.transactions()}
    assert {"add", "remove"} <= kinds
    # Added again, it is met as it is.
    empty.add("leaf1")
    empty.wait_synchronised("leaf1")
    assert empty.get("leaf1", "/system/motd") == "ours"


def test_what_cannot_be_done_says_so(empty):
    empty.add("leaf1")
    again = empty.refused("target", "add", "leaf1", "--address", "127.0.0.1:1")
    assert "there is a target leaf1 already; `lockstep target set leaf1` changes it (ALREADY_EXISTS)" in again
    for command in (["set", "leaf9", "--timeout", "1s"], ["remove", "leaf9", "--yes"], ["show", "leaf9"]):
        assert "there is no target leaf9 (NOT_FOUND)" in empty.refused("target", *command)
    wrong = empty.refused("target", "add", "leaf2", "--address", "127.0.0.1:1", "--model", "lab-1.1")
    assert "target leaf2: model: there is no model set `lab-1.1`; did you mean `lab-1.0`? (INVALID_ARGUMENT)" in wrong
    wrong = empty.refused("target", "set", "leaf1", "--unset", "adress")
    assert "target leaf1: unknown key `adress`; did you mean `address`? (INVALID_ARGUMENT)" in wrong
    assert "INVALID_ARGUMENT" in empty.refused("target", "set", "leaf1", "--drift", "perhaps")
    assert "nothing to change" in empty.refused("target", "set", "leaf1")
    assert "`*` stands for every target" in empty.refused("target", "add", "*", "--address", "127.0.0.1:1")
    plain = empty.folder / "password"
    plain.write_text("hunter2\n")
    wrong = empty.refused("target", "set", "leaf1", "--device-password-file", str(plain))
    assert "`$NAME`" in wrong and "`secret-key-file`" in wrong and "hunter2" not in wrong
    # Nor is it said where others hear it.
    elsewhere = ["--server", "192.0.2.1:9339", "--device-password-file", str(plain)]
    wrong = empty.refused("target", "set", "leaf1", *elsewhere)
    assert "192.0.2.1:9339 is not this machine" in wrong and "--device-password-env" in wrong
    assert empty.run("target", "add", "leaf2", "--address", "127.0.0.1:1", "--dry-run") == {"dry_run": True}
    assert names(empty) == ["leaf1"]
    # The same id is the same request, also for what is gone by then.
    for _ in range(2):
        first = empty.run("target", "remove", "leaf1", "--yes", "--id", "take it out")
    assert len([t for t in empty.transactions() if t["kind"] == "remove"]) == 1 and first["status"] == "applied"


def test_targets_of_the_file_are_for_the_file_to_say(lab):
    for command in (["set", "leaf1", "--timeout", "1s"], ["remove", "leaf1", "--yes"]):
        done = lab.command("target", *command)
        assert done.returncode == 1 and "FAILED_PRECONDITION" in done.stderr, done
        assert "it is of the configuration file of node n1" in done.stderr
    assert {target["source"] for target in lab.run("target", "list")} == {"file"}
    # One that the file no longer names is left alone, and somebody may say what becomes of it.
    lab.set("leaf3", update=[("/system/motd", "x")])
    lab.node.stop()
    lab.names.remove("leaf3")
    lab.write_config()
    lab.start_node()
    assert lab.target("leaf3")["state"] == "paused"
    lab.run("target", "set", "leaf3", "--device-insecure")
    lab.wait_synchronised("leaf3")
    assert lab.target("leaf3")["source"] == "api" and lab.get("leaf3", "/system/motd") == "x"
    lab.run("target", "remove", "leaf3", "--yes")


def test_a_file_that_names_a_target_of_the_api_counts_from_then_on(empty):
    empty.add("leaf1", "--tag", "api")
    empty.wait_synchronised("leaf1")
    empty.set("leaf1", update=[("/system/motd", "ours")])
    empty.node.stop()
    empty.write_config(each={"leaf1": {"tags": ["file"]}})
    empty.start_node()
    empty.wait_synchronised("leaf1", "leaf2")
    shown = empty.target("leaf1")
    assert (shown["source"], shown["tags"]) == ("file", ["file"])
    assert empty.get("leaf1", "/system/motd") == "ours"
    assert "FAILED_PRECONDITION" in empty.refused("target", "remove", "leaf1", "--yes")


def test_what_waits_for_a_target_that_goes_is_withdrawn(empty):
    device = empty.devices["leaf1"]
    device.kill()
    empty.add("leaf1")
    queued = [
        empty.run("set", "leaf1", "--update", f"/system/motd={text}", "--queued", "--async")["index"]
        for text in ("first", "second")
    ]
    waits = f"transaction {queued[0]} waits for a connection to the device: {empty.device('leaf1')}: "
    shown = lambda: empty.run("target", "show", "leaf1")["waiting_for"]
    until("it says what is waited for, and why", lambda: shown().startswith(waits))
    removed = empty.run("target", "remove", "leaf1", "--yes")
    for index in queued:
        error = empty.run("tx", "show", str(index))["targets"]["leaf1"]["error"]
        assert error["code"] == "FAILED_PRECONDITION"
        assert error["message"] == f"its target was removed by transaction {removed['index']} before its device had it"
    # Nothing of that comes back with the name.
    empty.start_device("leaf1")
    empty.add("leaf1")
    empty.wait_synchronised("leaf1")
    assert motd(empty, "leaf1") is None
    fails(grpc.StatusCode.NOT_FOUND, lambda: empty.get("leaf1", "/system"))


def test_subscribers_are_told_of_what_goes_with_a_target(empty):
    empty.add("leaf1")
    empty.wait_synchronised("leaf1")
    empty.set("leaf1", update=[("/system/motd", "ours"), ("/vlans/vlan[id=7]", {"id": 7, "name": "seven"})])
    for target in ("leaf1", "*"):
        with subscribed(empty, request("/vlans", target=target)) as subscriber:
            assert len(subscriber.synced()) == 2
            empty.run("target", "remove", "leaf1", "--yes")
            gone = subscriber.update()
            assert [whole(gone, one) for one in gone.delete] == ["/vlans/vlan[id=7]"]
            assert gone.prefix.target == "leaf1" and not gone.update
            # It comes back as it is, and is told again.
            empty.add("leaf1")
            empty.wait_synchronised("leaf1")
            assert leaves([subscriber.update()]) == {
                ("leaf1", "/vlans/vlan[id=7]/id"): 7,
                ("leaf1", "/vlans/vlan[id=7]/name"): "seven",
            }


def test_a_target_moves_to_another_address(empty):
    empty.add("leaf1")
    empty.wait_synchronised("leaf1")
    empty.set("leaf1", update=[("/system/motd", "ours")])
    moved = empty.run("target", "set", "leaf1", "--address", empty.device("leaf2"))
    assert (moved["kind"], moved["status"]) == ("rebind", "applied")
    until("the other device has it", lambda: motd(empty, "leaf2") == "ours")
    empty.wait_synchronised("leaf1")
    empty.set("leaf1", update=[("/system/motd", "later")])
    assert (motd(empty, "leaf1"), motd(empty, "leaf2")) == ("ours", "later")
    empty.run("target", "set", "leaf1", "--drift", "enforce", "--ignore", "/system/motd")
    empty.wait_synchronised("leaf1")
    with empty.client(empty.ports["leaf2"]) as client:
        client.set(update=[("/system/motd", '"theirs"'), ("/system/hostname", '"theirs"')], encoding="json_ietf")
    until("the one is put right", lambda: empty.on_device("leaf2", "/system/hostname") is None)
    assert motd(empty, "leaf2") == "theirs", "and the other does not matter"


def test_drift_is_shown_with_its_places(empty):
    empty.add("leaf1")
    empty.wait_synchronised("leaf1")
    empty.set("leaf1", update=[("/system/motd", "ours")])
    with empty.client(empty.ports["leaf1"]) as client:
        client.set(update=[("/system/motd", '"theirs"'), ("/system/hostname", '"theirs"')], encoding="json_ietf")
    until("it drifted", lambda: len(empty.target("leaf1")["drift"]) == 2)
    assert empty.target("leaf1")["drift"] == [
        {"path": "/system/hostname", "shows": "theirs", "wanted": None},
        {"path": "/system/motd", "shows": "theirs", "wanted": "ours"},
    ]
    shown = empty.command("target", "show", "leaf1").stdout
    assert "/system/motd is `theirs`, applied is `ours`" in shown


def other_models(folder, name, change=lambda text: text):
    """The models of the devices in a folder of their own, with something changed."""
    there = folder / name
    shutil.copytree(MODELS, there)
    file = there / "lab.yang"
    file.write_text(change(file.read_text()))
    return str(there)


def with_more(text):
    return text.replace("    leaf motd {", "    leaf contact { type string; }\n    leaf motd {", 1)


def with_short_names(text):
    return text.replace('length "1..64";', 'length "1..4";', 1)


def test_models_come_while_the_node_runs(empty):
    empty.add("leaf1")
    empty.wait_synchronised("leaf1")
    empty.set("leaf1", update=[("/system/hostname", "long-name")])
    before = {model["name"]: model["digest"] for model in empty.run("model", "list")}
    assert list(before) == ["lab-1.0"]

    more = other_models(empty.folder, "more", with_more)
    short = other_models(empty.folder, "short", with_short_names)
    models = {"lab-1.0": str(MODELS), "lab-2.0": more, "lab-3.0": short}
    empty.write_config(targets={}, models=models)
    loaded = {model["name"]: model for model in empty.run("model", "reload")}
    assert list(loaded) == ["lab-1.0", "lab-2.0", "lab-3.0"]
    assert loaded["lab-1.0"]["digest"] == before["lab-1.0"] and loaded["lab-1.0"]["targets"] == 1
    assert loaded["lab-2.0"]["modules"][0]["name"] == "lab"

    # What stands has to be valid by the models that a target is bound to.
    wrong = empty.refused("target", "set", "leaf1", "--model", "lab-3.0")
    assert "INVALID_ARGUMENT" in wrong and "/system/hostname" in wrong
    assert empty.target("leaf1")["model"] == "lab-1.0"
    fails(grpc.StatusCode.NOT_FOUND, lambda: empty.set("leaf1", update=[("/system/contact", "me")]))
    bound = empty.run("target", "set", "leaf1", "--model", "lab-2.0")
    assert bound["status"] == "applied" and empty.target("leaf1")["model"] == "lab-2.0"
    # The device has other models still, and what both have goes on.
    empty.wait_synchronised("leaf1")
    empty.set("leaf1", update=[("/system/motd", "by the new ones")])
    assert empty.run("set", "leaf1", "--update", "/system/contact=me", "--dry-run")["changes"]

    # A name that stands for nothing any more, and one that cannot be loaded.
    (empty.folder / "short" / "lab.yang").write_text("module lab {")
    empty.write_config(targets={}, models={"lab-1.0": str(MODELS), "lab-3.0": short})
    done = empty.command("model", "reload", "--output", "json")
    assert done.returncode == 1 and "1 could not be loaded" in done.stderr
    shown = {model["name"]: model for model in json.loads(done.stdout)}
    assert shown["lab-3.0"]["error"] and shown["lab-3.0"]["digest"] == loaded["lab-3.0"]["digest"]
    assert shown[None]["digest"] == loaded["lab-2.0"]["digest"] and shown[None]["targets"] == 1
    empty.set("leaf1", update=[("/system/motd", "still")])


def test_a_hangup_reloads_the_models(empty):
    models = {"lab-1.0": str(MODELS), "lab-2.0": other_models(empty.folder, "more", with_more)}
    empty.write_config(targets={}, models=models)
    empty.node.process.send_signal(signal.SIGHUP)
    until("they are there", lambda: len(empty.run("model", "list")) == 2)
    assert empty.node.is_running()


def test_targets_of_a_gnmic_file_are_imported(empty):
    def write(**targets):
        gnmic = {"insecure": True, "timeout": "5s", "log": True, "targets": targets}
        file = empty.folder / "gnmic.yaml"
        file.write_text(json.dumps(gnmic))
        return str(file)

    one, two = ({"address": empty.device(name), "tags": ["lab"]} for name in ("leaf1", "leaf2"))
    # One that is wrong, and none is added.
    wrong = empty.refused("target", "import", write(leaf1=one, leaf2={**two, "model": "no"}))
    assert "nothing was added, for 1 of 2 cannot be" in wrong and "target leaf2: model" in wrong
    assert names(empty) == []
    # What is in the clear cannot be kept.
    wrong = empty.refused("target", "import", write(leaf1={**one, "password": "hunter2"}))
    assert "`secret-key-file`" in wrong and names(empty) == []
    file = write(leaf1=one, leaf2={**two, "model": "lab-1.0", "drift": "enforce"})
    assert empty.run("target", "import", file, "--dry-run") == {"dry_run": True, "targets": ["leaf1", "leaf2"]}
    done = empty.command("target", "import", file, "--output", "json")
    assert done.returncode == 0 and "for gnmic and ignored: log" in done.stderr, done
    assert [(t["kind"], t["status"]) for t in json.loads(done.stdout)] == [("add", "applied")] * 2
    empty.wait_synchronised("leaf1", "leaf2")
    assert empty.target("leaf2")["tags"] == ["lab"]
    assert "ALREADY_EXISTS" in empty.refused("target", "import", file)
    assert empty.run("target", "import", file, "--skip-existing") == []


def test_credentials_are_never_in_the_clear(empty, monkeypatch):
    key = empty.folder / "key"
    key.write_text("k" * 44)
    empty.write_config(targets={}, **{"secret-key-file": "key"})
    empty.node.stop()
    monkeypatch.setenv("LOCKSTEP_TARGET_LEAF2", "in the environment")
    empty.start_node()
    password = empty.folder / "password"
    password.write_text("hunter2\n")
    empty.add("leaf1", "--device-username", "admin", "--device-password-file", str(password))
    empty.add("leaf2", "--device-username", "admin", "--device-password-env", "LOCKSTEP_TARGET_LEAF2")
    empty.wait_synchronised("leaf1", "leaf2")
    dump = empty.folder / "dump.jsonl"
    assert empty.command("store", "export", "-f", str(dump)).returncode == 0
    held = dump.read_text()
    assert "sealed:1:" in held and "$LOCKSTEP_TARGET_LEAF2" in held and "admin" in held
    for clear in ("hunter2", "in the environment"):
        assert clear not in held
        assert clear not in (empty.folder / "node.log").read_text()
        assert not any(clear in empty.command("tx", "show", str(index), "--output", "json").stdout for index in (1, 2))

    # A node without the key, or without the variable, says so, and goes on with the others.
    empty.node.stop()
    monkeypatch.delenv("LOCKSTEP_TARGET_LEAF2")
    empty.write_config(targets={})
    empty.start_node()
    state = lambda name: (empty.target(name)["state"], empty.target(name)["reason"])
    assert state("leaf1")[0] == "failed" and "secret-key-file" in state("leaf1")[1]
    assert state("leaf2")[0] == "failed"
    assert "$LOCKSTEP_TARGET_LEAF2, which is not set on node n1" in state("leaf2")[1]
    said = fails(grpc.StatusCode.UNAVAILABLE, lambda: empty.set("leaf1", update=[("/system/motd", "x")]))
    assert "target leaf1 is not served" in said and "secret-key-file" in said
    empty.run("target", "set", "leaf2", "--unset", "password")
    empty.wait_synchronised("leaf2")


@pytest.fixture
def two(tmp_path):
    """Two nodes on one etcd, whose files name no target."""
    with members(tmp_path, 1) as [(port, _)]:
        cluster = Cluster(tmp_path, [port], nodes=2, devices=2)
        cluster.write_config(targets={})
        for name in cluster.listens:
            cluster.write_node(name)
        try:
            for name in cluster.names:
                cluster.start_device(name)
            for name in cluster.listens:
                cluster.start_node(name)
            yield cluster
        finally:
            cluster.stop()


def test_nodes_that_start_at_once_bind_the_same_targets(tmp_path):
    with members(tmp_path, 1) as [(port, _)]:
        cluster = Cluster(tmp_path, [port], nodes=3, devices=4)
        try:
            for name in cluster.names:
                cluster.start_device(name)
            for name in cluster.listens:
                cluster.start_node(name, wait=False)
            for name in cluster.listens:
                until(f"{name} answers", lambda: len(cluster.ask(name, "target", "list")) == 4)
            cluster.wait_synchronised()
            cluster.set("leaf4", update=[("/system/motd", "x")])
        finally:
            cluster.stop()


def add(cluster, node, name, *more):
    address = ["--address", cluster.device(name), "--device-insecure"]
    return cluster.ask(node, "target", "add", name, *address, *more)


def test_what_one_node_was_asked_to_add_another_serves(two):
    added = add(two, "n1", "leaf1")
    # At once: whatever was answered, every node knows.
    assert two.ask("n2", "target", "set", "leaf1", "--tag", "pod1")["index"] > added["index"]
    two.use("n2")
    two.run("set", "leaf1", "--update", "/system/motd=through n2", "--queued", "--async")
    until("the device has it", lambda: motd(two, "leaf1") == "through n2")
    assert two.target("leaf1")["tags"] == ["pod1"]
    # The one that was asked goes without a word, and the other goes on with all of it.
    add(two, "n1", "leaf2")
    two.nodes["n1"].kill()
    until("it has them all", lambda: {two.target(name)["master"] for name in two.names} == {"n2"})
    two.wait_synchronised("leaf1", "leaf2")
    two.set("leaf2", update=[("/system/motd", "still")])
    two.run("target", "remove", "leaf1", "--yes")
    # One that starts later learns of it from the store.
    two.start_node("n1")
    assert [target["name"] for target in two.ask("n1", "target", "list")] == ["leaf2"]
    two.use("n1")
    two.set("leaf2", update=[("/system/motd", "through n1")])


def test_a_node_without_the_models_says_so_and_leaves_it_to_others(two):
    config = json.loads(two.config("n1").read_text())
    config["models"]["lab-2.0"] = other_models(two.folder, "more", with_more)
    two.config("n1").write_text(json.dumps(config))
    digests = {model["name"]: model["digest"] for model in two.ask("n1", "model", "reload")}
    add(two, "n1", "leaf1", "--model", "lab-2.0")
    two.wait_synchronised("leaf1")
    assert two.target("leaf1")["master"] == "n1"
    two.use("n2")
    until("the other has heard of it", lambda: two.target("leaf1"))
    shown = two.target("leaf1")
    assert (shown["state"], shown["master"]) == ("synchronised", "n1")
    assert digests["lab-2.0"] in shown["reason"] and "node n2" in shown["reason"]
    said = fails(grpc.StatusCode.UNAVAILABLE, lambda: two.set("leaf1", update=[("/system/motd", "x")]))
    assert digests["lab-2.0"] in said and "lockstep model reload" in said
    # Nobody is left who could see to it: it waits, and goes on once there are the models.
    two.nodes["n1"].kill()
    until("it has no master", lambda: two.target("leaf1")["state"] == "failed")
    assert not two.target("leaf1")["connected"]
    there = json.loads(two.config("n2").read_text())
    there["models"]["lab-2.0"] = config["models"]["lab-2.0"]
    two.config("n2").write_text(json.dumps(there))
    two.run("model", "reload")
    two.wait_synchronised("leaf1")
    two.set("leaf1", update=[("/system/motd", "x")])
    assert motd(two, "leaf1") == "x"


def test_a_transaction_that_only_others_can_judge_says_so(two):
    """Its target was another transaction's until the one node that has the models was gone."""
    config = json.loads(two.config("n1").read_text())
    config["models"]["lab-2.0"] = other_models(two.folder, "more", with_more)
    two.config("n1").write_text(json.dumps(config))
    digests = {model["name"]: model["digest"] for model in two.ask("n1", "model", "reload")}
    undone = ("--commit-confirmed", "never", "--timeout", "3s")
    add(two, "n1", "leaf1", "--model", "lab-2.0", *undone)
    add(two, "n1", "leaf2", "--model", "lab-1.0", *undone)
    two.use("n1")
    two.wait_synchronised("leaf1", "leaf2")
    two.sim("hang", two.device("leaf2"), "--on", "set")
    both = two.folder / "both.json"
    both.write_text(json.dumps({name: {"update": {"/system/motd": "x"}} for name in ("leaf1", "leaf2")}))
    first = two.run("set", "-f", str(both), "--async")["index"]
    shown = lambda index: two.run("tx", "show", str(index))["targets"]["leaf1"]
    until("leaf1 has it", lambda: shown(first)["status"] == "applied")
    command = ["set", "leaf1", "--update", "/system/motd=y", "--async"]
    with concurrent.futures.ThreadPoolExecutor() as threads:
        asked = threads.submit(two.command, *command)
        second = first + 1
        until("it waits", lambda: "holds the target" in shown(second)["waiting_for"])
        two.nodes["n1"].kill()
        asked.result(PATIENCE)
    two.use("n2")
    two.sim("heal", two.device("leaf2"))
    until("the first has its outcome", lambda: two.run("tx", "show", str(first))["status"] == "applied")
    waits = shown(second)["waiting_for"]
    assert waits.startswith("its validation: node n2 does not have its models") and digests["lab-2.0"] in waits, waits
    assert "lockstep model reload" in two.target("leaf1")["waiting_for"]
    there = json.loads(two.config("n2").read_text())
    there["models"]["lab-2.0"] = config["models"]["lab-2.0"]
    two.config("n2").write_text(json.dumps(there))
    two.run("model", "reload")
    until("it is applied", lambda: two.run("tx", "show", str(second))["status"] == "applied")
    assert motd(two, "leaf1") == "y"

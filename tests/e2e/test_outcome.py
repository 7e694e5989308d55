"""What clients are told: outcomes in answers and in errors, and errors that have room."""

import threading

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from lab import code, fields, message, options, outcome_of_answer, outcome_of_error, path, update
from test_set import fails


def on(names, content, **extra):
    return gnmi_pb2.SetRequest(update=[update("/system/motd", content, name) for name in names], **extra)


# rule: outcome-details
def test_an_answer_tells_the_index(lab):
    with lab.stub() as stub:
        told = outcome_of_answer(stub.Set(on(["leaf1", "leaf2"], "x", extension=[options(id="mine")])))
        assert (told["id"], told["index"], told["status"]) == ("mine", 1, "applied")
        assert {name: one["status"] for name, one in told["targets"].items()} == {"leaf1": "applied", "leaf2": "applied"}
        assert not stub.Set(gnmi_pb2.SetRequest()).extension
    done = lab.command("set", "leaf1", "--update", "/system/motd=5")
    assert done.stdout == "transaction 2 applied: 1 operation on leaf1\n", done
    assert lab.get("leaf1", "/system/motd") == "5"
    done = lab.run("set", "leaf1", "--update", "/vlans/vlan[id=7]/name=seven", "--delete", "/system/motd")
    assert (done["index"], done["status"], done["operations"]) == (3, "applied", 2)
    assert done["id"] and done["timestamp"]


# rule: outcome-details
def test_an_error_tells_the_outcome(lab):
    lab.sim("refuse", lab.device("leaf2"), "/system/motd", "--message", "no banners here")
    with lab.stub() as stub, pytest.raises(grpc.RpcError) as caught:
        stub.Set(on(["leaf1", "leaf2"], "x"))
    told = outcome_of_error(caught.value)
    assert (told["index"], told["status"], told["left_out"]) == (1, "reverted", 0)
    assert told["targets"]["leaf1"]["status"] == "undone"
    there = told["targets"]["leaf2"]
    assert (there["status"], there["code"], there["message"]) == ("refused", "FAILED_PRECONDITION", "no banners here")


# rule: outcome-details
def test_many_violations_have_room(lab):
    entries = [{"name": f"eth1/{number}", "access-vlan": 7} for number in range(500)]
    with pytest.raises(Exception) as caught:
        lab.set("leaf1", update=[("/interfaces", {"interface": entries})])
    assert code(caught.value) == grpc.StatusCode.INVALID_ARGUMENT
    assert "more" in message(caught.value) or message(caught.value).endswith("…")
    metadata = dict(caught.value.orig_exc.trailing_metadata())
    assert len(message(caught.value).encode()) + len(metadata["grpc-status-details-bin"]) < 4096
    assert outcome_of_error(caught.value)["status"] == "rejected"
    listed = lab.command("tx", "list")
    assert len(listed.stdout.splitlines()) == 2, listed.stdout


# rule: limit-words
def test_long_words_have_room(lab):
    lab.sim("refuse", lab.device("leaf1"), "/system/motd", "--message", "nein, über " * 500)
    with pytest.raises(Exception) as caught:
        lab.set("leaf1", update=[("/system/motd", "x")])
    assert code(caught.value) == grpc.StatusCode.ABORTED
    said = fails(grpc.StatusCode.NOT_FOUND, lambda: lab.set("leaf1", delete=["/" + "x" * 100_000]))
    assert said.endswith("…") and len(said.encode()) <= 1024


# rule: limit-message
def test_too_large_a_message(lab):
    lab.node.stop()
    lab.write_config(limits={"message": "64KiB"})
    lab.start_node()
    lab.wait_synchronised()
    said = fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: lab.set("leaf1", update=[("/system/motd", "x" * 70_000)]))
    assert "limits.message" in said and "65536" in said
    lab.set("leaf1", update=[("/system/motd", "x" * 40_000)])
    lab.set("leaf2", update=[("/system/motd", "x" * 40_000)])
    with lab.stub() as stub:
        everything = gnmi_pb2.GetRequest(prefix=gnmi_pb2.Path(target="*"), path=[path("/system")], type=1)
        assert "limits.message" in fails(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda: stub.Get(everything))


def test_reflection_lists_what_is_served(lab):
    with grpc.insecure_channel(f"127.0.0.1:{lab.port}") as channel:
        same = lambda content: content
        for version in ("v1", "v1alpha"):
            service = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
            answer = next(channel.stream_stream(service, same, same)(iter([b"\x3a\x00"])))
            listed = fields(fields(answer)[6][0])[1]
            names = {fields(one)[1][0].decode() for one in listed}
            assert {"gnmi.gNMI", "lockstep.v1.Admin", "grpc.health.v1.Health"} <= names
            assert not any(name.startswith("lockstep.sim") for name in names), names


def test_a_target_that_the_file_no_longer_names(lab):
    lab.set("leaf3", update=[("/system/motd", "x")])
    lab.node.stop()
    lab.names.remove("leaf3")
    lab.write_config()
    lab.start_node()
    lab.wait_synchronised()
    said = fails(grpc.StatusCode.UNAVAILABLE, lambda: lab.set("leaf3", update=[("/system/motd", "y")]))
    unnamed = "the configuration file of node n1 does not name it"
    assert said.startswith(f"target leaf3 is paused: {unnamed}")
    # It is left alone, and nothing of it is lost.
    shown = lab.target("leaf3")
    assert shown["state"] == "paused" and shown["reason"].startswith(unnamed)
    assert shown["address"] == lab.device("leaf3") and not shown["connected"]
    assert lab.get("leaf3", "/system/motd") == "x"
    lab.names.append("leaf3")
    lab.write_config()
    lab.node.stop()
    lab.start_node()
    lab.wait_synchronised("leaf3")
    lab.set("leaf3", update=[("/system/motd", "y")])


def test_what_asks_for_nothing_says_so(lab):
    for command in (["set", "leaf1"], ["set", "-f", "/dev/null"]):
        done = lab.command(*command)
        assert done.returncode == 2 and "nothing" in done.stderr, done
    wrong = lab.command("tx", "list", "--status", "foo")
    assert wrong.returncode != 0 and "reverted" in wrong.stderr


def test_the_same_id_after_another_change(lab):
    with lab.stub() as stub:
        ask = lambda id_, content: stub.Set(
            gnmi_pb2.SetRequest(
                prefix=gnmi_pb2.Path(target="leaf1"),
                update=[update("/system/name-server", content)],
                extension=[options(id=id_)],
            )
        )
        first = outcome_of_answer(ask("one", ["10.0.0.1"]))
        ask("two", ["10.0.0.2"])
        again = outcome_of_answer(ask("one", ["10.0.0.1"]))
    assert again["index"] == first["index"]
    assert len(lab.transactions()) == 2


def test_updates_of_one_leaf_list_at_once(lab):
    servers = [f"10.0.0.{number}" for number in (1, 2, 3)]
    errors = []

    def add(server):
        try:
            lab.set("leaf1", update=[("/system", {"name-server": [server]})])
        except Exception as error:  # a thread would swallow it
            errors.append(error)

    threads = [threading.Thread(target=add, args=(server,)) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sorted(lab.get("leaf1", "/system/name-server")) == servers
    assert sorted(lab.on_device("leaf1", "/system/name-server")) == servers

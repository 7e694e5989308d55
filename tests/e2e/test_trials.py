"""Changes that every device takes on trial before any of them keeps it."""

import json
import time

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from gnmi import commit
from lab import PATIENCE, code, options, outcome_of_error, update, until

BOTH = ("leaf1", "leaf2")


def set_both(lab, motd, **given):
    with lab.stub() as stub:
        request = gnmi_pb2.SetRequest(update=[update("/system/motd", motd, name) for name in BOTH])
        request.extension.append(options(**given))
        return stub.Set(request, timeout=PATIENCE)


def holds(lab, motd):
    return all(lab.on_device(name, "/system/motd") == motd for name in BOTH)


def journal(lab, name):
    """What the device did, in order, from the first change on; reads left out."""
    entries = [json.loads(line) for line in lab.sim("journal", lab.device(name), "--output", "json").splitlines()]
    first = next(at for at, entry in enumerate(entries) if entry["kind"] == "set")
    return [entry for entry in entries[first:] if entry["kind"] not in ("get", "subscribe")]


def kinds(lab, name):
    return [entry["kind"] for entry in journal(lab, name)]


def part(lab, index, name):
    shown = lab.run("tx", "show", str(index))["targets"][name]
    assert shown["stage"] is None or shown["status"] == "pending"
    return shown["stage"] or shown["status"]


def let_the_timer_end(lab, name, index):
    """Nobody waits a minute in a test: the device is told that less of it is left."""
    epoch = journal(lab, name)[0]["master"]["high"]
    soon = commit(f"lockstep-{epoch}-{index}", "set_rollback_duration", 1)
    with grpc.insecure_channel(lab.device(name)) as channel:
        gnmi_pb2_grpc.gNMIStub(channel).Set(gnmi_pb2.SetRequest(extension=[soon]), timeout=PATIENCE)
    until(f"{name} takes it back", lambda: "rollback" in kinds(lab, name))


# rule: south-commit
def test_devices_keep_what_all_of_them_accepted(lab):
    set_both(lab, "kept")
    assert holds(lab, "kept")
    for name in BOTH:
        assert kinds(lab, name) == ["set", "confirm"]
    # One target needs no trial, unless it is asked for.
    lab.set("leaf3", update=[("/system/motd", "alone")])
    assert kinds(lab, "leaf3") == ["set"]


def test_what_one_refuses_the_others_take_back(lab):
    set_both(lab, "before")
    lab.sim("refuse", lab.device("leaf2"), "/system/motd", "--message", "not today", "--times", "1")
    with pytest.raises(grpc.RpcError) as refused:
        set_both(lab, "tried")
    assert code(refused.value) == grpc.StatusCode.ABORTED and "not today" in refused.value.details()
    assert outcome_of_error(refused.value)["status"] == "reverted"
    assert holds(lab, "before")
    assert kinds(lab, "leaf1") == ["set", "confirm", "set", "cancel"]
    lab.wait_synchronised(*BOTH)
    set_both(lab, "after")
    assert holds(lab, "after")


def test_it_is_tried_always_or_never_as_configured(lab):
    lab.node.stop()
    lab.write_config(each={"leaf1": {"commit-confirmed": "always"}, "leaf2": {"commit-confirmed": "never"}})
    lab.start_node()
    lab.wait_synchronised()
    set_both(lab, "one of them never does")
    assert kinds(lab, "leaf1") == kinds(lab, "leaf2") == ["set"]
    lab.set("leaf1", update=[("/system/motd", "tried")])
    assert kinds(lab, "leaf1") == ["set", "set", "confirm"]
    for name in BOTH:
        lab.sim("refuse", lab.device(name), "/system/motd", "--times", "1")
        with pytest.raises(Exception):
            lab.set(name, update=[("/system/motd", "refused")])
    assert (lab.get("leaf1", "/system/motd"), lab.get("leaf2", "/system/motd")) == ("tried", "one of them never does")


@pytest.mark.parametrize("seconds, status, left", [(600, "applied", "tried"), (9, "reverted", "before")])
def test_a_node_is_killed_before_all_have_accepted(lab, seconds, status, left):
    set_both(lab, "before")
    lab.sim("hang", lab.device("leaf2"), "--on", "set")
    set_both(lab, "tried", async_=True, seconds=seconds)
    late = time.monotonic() + seconds
    until("leaf1 has it on trial", lambda: part(lab, 2, "leaf1") == "accepted")
    assert lab.on_device("leaf1", "/system/motd") == "tried"
    assert lab.get("leaf1", "/system/motd") == "before", "readers see what is agreed"
    lab.node.kill()
    let_the_timer_end(lab, "leaf1", 2)
    assert holds(lab, "before")
    lab.sim("heal", lab.device("leaf2"))
    if status == "reverted":
        # Back before that, the node would go on with it.
        until("its deadline is over", lambda: time.monotonic() > late)
    lab.start_node()
    until("it has an outcome", lambda: lab.run("tx", "show", "2")["finished"])
    assert lab.run("tx", "show", "2")["status"] == status
    until("the devices follow", lambda: holds(lab, left))
    lab.wait_synchronised(*BOTH)
    assert lab.get("leaf1", "/system/motd") == left


def test_a_node_is_killed_before_all_were_told_to_keep_it(lab):
    set_both(lab, "before")
    for name in BOTH:
        lab.sim("hang", lab.device(name), "--on", "confirm")
    set_both(lab, "tried", async_=True)
    until("all have accepted", lambda: lab.run("tx", "show", "2")["stage"] == "confirming")
    lab.node.kill()
    # One takes it back by itself, the other still has it when the node is back.
    let_the_timer_end(lab, "leaf1", 2)
    assert lab.on_device("leaf1", "/system/motd") == "before"
    for name in BOTH:
        lab.sim("heal", lab.device(name))
    lab.start_node()
    until("it is applied", lambda: lab.run("tx", "show", "2")["status"] == "applied")
    until("both hold it", lambda: holds(lab, "tried"))
    lab.wait_synchronised(*BOTH)
    # There to stay: the one was sent it again, the other was told.
    assert kinds(lab, "leaf1")[-1] == "set"
    assert "set" not in kinds(lab, "leaf2")[3:] and "confirm" in kinds(lab, "leaf2")[3:]


def test_a_device_that_restarts_with_a_trial_gets_it_again(lab):
    set_both(lab, "before")
    lab.sim("hang", lab.device("leaf2"), "--on", "set")
    set_both(lab, "tried", async_=True, seconds=600)
    until("leaf1 has it on trial", lambda: part(lab, 2, "leaf1") == "accepted")
    lab.sim("restart", lab.device("leaf1"), "--keep")
    until("it is tried again", lambda: lab.on_device("leaf1", "/system/motd") == "tried")
    lab.sim("heal", lab.device("leaf2"))
    lab.sim("release", lab.device("leaf2"))
    until("it is applied", lambda: lab.run("tx", "show", "2")["status"] == "applied")
    assert holds(lab, "tried")

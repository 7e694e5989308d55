"""What operators do with a target beside changing it."""

import grpc
import pytest

from lab import code, message, until


def sets(lab, name):
    return sum(" set " in line for line in lab.sim("journal", lab.device(name)).splitlines())


def test_a_paused_device_is_left_alone_and_resumed(lab):
    lab.set("leaf1", update=[("/system/motd", "before")])
    shown = lab.run("target", "pause", "leaf1")
    assert (shown["state"], shown["reason"]) == ("paused", "an operator paused it")
    asked = sets(lab, "leaf1")

    with pytest.raises(Exception) as refused:
        lab.set("leaf1", update=[("/system/motd", "now")])
    assert code(refused.value) == grpc.StatusCode.UNAVAILABLE
    assert "target leaf1 is paused" in message(refused.value)
    # What is queued waits, and says for what; others go on.
    queued = lab.run("set", "leaf1", "--update", "/system/motd=later", "--queued", "--async")
    shown = lab.run("tx", "show", str(queued["index"]))
    assert shown["targets"]["leaf1"]["waiting_for"] == "an operator to resume the target"
    lab.set("leaf2", update=[("/system/motd", "elsewhere")])
    # Neither a restart of the device nor of the node is a reason to write to it.
    lab.sim("restart", lab.device("leaf1"))
    lab.node.kill()
    lab.start_node()
    lab.wait_synchronised("leaf2")
    until("it is connected again", lambda: lab.target("leaf1")["connected"])
    assert lab.target("leaf1")["state"] == "paused"
    assert lab.on_device("leaf1", "/system/motd") is None
    assert sets(lab, "leaf1") <= asked

    lab.run("target", "resume", "leaf1")
    until("it has what was queued", lambda: lab.on_device("leaf1", "/system/motd") == "later")
    lab.wait_synchronised("leaf1")


def test_a_device_is_looked_at_again_when_asked(lab):
    lab.set("leaf1", update=[("/system/motd", "ours")])
    with lab.client(lab.ports["leaf1"]) as client:
        client.set(update=[("/system/motd", '"theirs"')], encoding="json_ietf")
    until("it drifted", lambda: lab.target("leaf1")["state"] == "drifted")
    lab.run("target", "sync", "leaf1")
    until("it is ours again", lambda: lab.on_device("leaf1", "/system/motd") == "ours")
    lab.wait_synchronised("leaf1")


def test_an_order_for_nobody_is_refused(lab):
    refused = lab.command("target", "pause", "leaf9")
    assert refused.returncode != 0 and "there is no target leaf9" in refused.stderr

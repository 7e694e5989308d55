"""Subscriptions of every target, while targets come and go."""

import json

import pytest

from gnmi import POLL, SECOND, Subscriber, configuration_only, leaves, request, subscribed, subscription, whole
from lab import Lab, until


@pytest.fixture
def growing(tmp_path):
    """Three devices and a node that knows one of them."""
    lab = Lab(tmp_path, devices=2, boxes=1)
    config = json.loads((tmp_path / "lockstep.yaml").read_text())
    lab.write_config(targets={"leaf1": config["targets"]["leaf1"]})
    for name in lab.names:
        lab.start_device(name)
    try:
        lab.start_node()
        lab.wait_synchronised("leaf1")
        yield lab
    finally:
        lab.stop()


def add(lab, name):
    model = "lab-1.0" if name.startswith("leaf") else "box-1.0"
    lab.run("target", "add", name, "--address", lab.device(name), "--device-insecure", "--model", model)


def remove(lab, name):
    lab.run("target", "remove", name, "--yes")


def heard(subscriber, wanted):
    """Reads until all of this was told, and gives all that was."""
    said = {}
    while not wanted.items() <= said.items():
        message = subscriber.next()
        if message.HasField("update"):
            said |= leaves([message.update])
    return said


def motd(name, text):
    return {(name, "/system/motd"): text}


# rule: target-all-later
def test_every_target_is_also_one_that_comes_later(growing):
    lab = growing
    with subscribed(lab, request("/", target="*")) as subscriber:
        assert subscriber.synced() == {}
        # What it has when it is met is told, then what becomes of it.
        lab.sim("drift", lab.device("leaf2"), "/system/motd", "as it came")
        add(lab, "leaf2")
        assert heard(subscriber, motd("leaf2", "as it came")) == motd("leaf2", "as it came")
        lab.wait_synchronised("leaf2")
        lab.set("leaf2", update=[("/system/motd", "changed")])
        assert leaves([subscriber.update()]) == motd("leaf2", "changed")
        # One of other models brings its state.
        add(lab, "box1")
        assert {("box1", "/box/state/speed"): "1.5"}.items() <= heard(subscriber, {("box1", "/box/state/speed"): "1.5"}).items()
        lab.wait_synchronised("box1")
        lab.set("box1", update=[("/box/config/name", "b")])
        heard(subscriber, {("box1", "/box/config/name"): "b", ("box1", "/box/state/name"): "b"})
        # One that goes takes all of it along; others are told of as before.
        remove(lab, "leaf2")
        gone = subscriber.update()
        assert (gone.prefix.target, [whole(gone, one) for one in gone.delete]) == ("leaf2", ["/system/motd"])
        remove(lab, "box1")
        heard(subscriber, {("box1", "/box/config/name"): None, ("box1", "/box/state/name"): None})
        lab.set("leaf1", update=[("/system/motd", "still here")])
        assert heard(subscriber, motd("leaf1", "still here")) == motd("leaf1", "still here")
        # And it may come back.
        add(lab, "leaf2")
        heard(subscriber, motd("leaf2", "changed"))


# rule: target-all-later
def test_samples_and_polls_of_every_target(growing):
    lab = growing
    often = subscription("/system", "SAMPLE", sample_interval=SECOND // 10)
    config = dict(target="*", extensions=[configuration_only()])
    with lab.stub() as stub:
        sampled = Subscriber(stub, request(often, **config))
        polled = Subscriber(stub, request("/system", mode="POLL", **config))
        quiet = Subscriber(stub, request("/system", updates_only=True, **config))
        assert sampled.synced() == polled.synced() == quiet.synced() == {}
        lab.sim("drift", lab.device("leaf2"), "/system/motd", "there")
        add(lab, "leaf2")
        lab.wait_synchronised("leaf2")
        heard(sampled, motd("leaf2", "there"))
        heard(quiet, motd("leaf2", "there"))
        polled.send(POLL)
        assert polled.synced() == motd("leaf2", "there")
        remove(lab, "leaf2")
        heard(quiet, motd("leaf2", None))
        lab.set("leaf1", update=[("/system/motd", "alone")])
        polled.send(POLL)
        assert polled.synced() == motd("leaf1", "alone")
        heard(sampled, motd("leaf1", "alone"))
        until("the sample tells of nobody else", lambda: {one.prefix.target for one in [sampled.update()]} == {"leaf1"})
        for one in (sampled, polled, quiet):
            one.call.cancel()
            one.close()

"""Clocks that jump: whatever a node's clock did, a transaction is given up at its deadline."""

from datetime import datetime, timedelta

import grpc
import pytest
from device import hang
from wire import Node, told_by
from world import World, wait

PATIENCE = 60
# As far as a node follows it.
AHEAD = 240
NEVER = 3_600_000


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path, devices=3)
    try:
        world.start()
        targets = lambda: world.run("n1", "target", "list")
        wait("all are synchronised", lambda: all(t["state"] == "synchronised" for t in targets()), PATIENCE)
        if not world.clock:
            pytest.skip("a node has no clock of its own here: there is no C compiler")
        yield world
    finally:
        world.stop()


def change(id_, target="d1", **more):
    return {"id": id_, "mode": "atomic", "async": False, "writes": {target: {"motd": id_}}, **more}


def status(world, node, id_):
    return next(one["status"] for one in world.run(node, "tx", "list") if one["id"] == id_)


def test_a_deadline_counts_on_a_node_whose_clock_was_set_back(world):
    node = Node("n1", world.listens["n1"])
    world.set_clock("n1", AHEAD)
    node.set(change("ahead"), PATIENCE)
    world.set_clock("n1", 0)
    world.devices["d1"].set_faults(hang(NEVER))
    with pytest.raises(grpc.RpcError) as told:
        node.set(change("hangs"), 5)
    assert told_by(told.value)["status"] in ("reverting", "reverted"), "the node knew when to give it up"


def test_a_deadline_counts_on_all_nodes_once_the_one_that_was_ahead_is_gone(world):
    node = Node("n1", world.listens["n1"])
    world.set_clock("n1", AHEAD)
    world.devices["d1"].set_faults(hang(NEVER))
    # It is decided, its deadline counts from then on, and the only node with such a clock ends.
    node.set(change("ahead", **{"async": True}), 10)
    world.nodes["n1"].kill()
    wait("another gives it up", lambda: status(world, "n2", "ahead") in ("reverting", "reverted"), PATIENCE)


def test_a_clock_that_leaps_ahead_takes_nobody_along(world):
    """A year, after which all of the log would be too old to be kept."""
    submitted = lambda id_: next(one["submitted"] for one in world.run("n1", "tx", "list") if one["id"] == id_)
    node = Node("n1", world.listens["n1"])
    node.set(change("before"), PATIENCE)
    world.set_clock("n1", 365 * 86_400)
    node.set(change("after"), PATIENCE)
    took = datetime.fromisoformat(submitted("after")) - datetime.fromisoformat(submitted("before"))
    assert took < timedelta(minutes=5), took

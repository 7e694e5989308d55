"""Who is met by what is done: a fault counts where there was somebody."""

import time

import pytest
from world import MEMBERS, NODES

import nemesis


class Program:
    def __init__(self, runs):
        self.runs, self.done = runs, []

    def is_running(self):
        return self.runs

    def kill(self):
        self.done.append("kill")
        self.runs = False

    def pause(self):
        self.done.append("pause")

    def go_on(self):
        self.done.append("go on")

    def stop(self, patience):
        self.kill()


class World:
    names = ["d1", "d2", "d3", "d4"]

    def __init__(self, runs):
        self.nodes = {name: Program(runs) for name in NODES}
        self.members = {name: Program(runs) for name in MEMBERS}
        # What would hold up calls of a real process.
        self.brake = False


ONES = [("node-kill", "n1"), ("node-stop", "n1"), ("node-pause", "n1"), ("all-nodes-kill", "n1"), ("member-kill", "m1"),
        ("member-pause", "m1"), ("majority-kill", "m1"), ("slow-disk", "m1")]  # fmt: skip


@pytest.mark.parametrize("kind, name", ONES)
@pytest.mark.parametrize("runs", [True, False])
def test_what_is_done_to_a_program_counts_where_it_runs(kind, name, runs):
    fault = {"fault": kind, "lane": "nodes", "at": 0, "last": 0, "node": name, "member": name}
    one = nemesis.Nemesis(World(runs), [fault], lambda text: None)
    one.begun = 0
    one.try_to(fault, "begin")
    assert (dict(one.counts), dict(one.failed)) == (({kind: 1}, {}) if runs else ({}, {kind: 1}))


def test_a_node_that_was_not_met_is_still_looked_after():
    one = nemesis.Nemesis(World(False), [], lambda text: None)
    with pytest.raises(RuntimeError):
        one.begin_node_kill({"node": "n1"})
    assert not one.away


def test_when_a_fault_was_is_told_as_it_went():
    fault = {"fault": "member-pause", "lane": "members0", "at": 0.1, "last": 0.2, "node": "n1", "member": "m2"}
    one = nemesis.Nemesis(World(True), [fault], lambda text: None)
    one.begun = begun = time.monotonic()
    one.go_along("members0")
    [told] = one.told
    assert begun + 0.1 <= told["from"] and begun + 0.3 <= told["until"] <= time.monotonic()
    assert one.world.members["m2"].done == ["pause", "go on"]


@pytest.mark.parametrize(
    "fault, devices",
    [
        ({"fault": "hang", "lane": "devices3", "device": "d2"}, ["d2"]),
        ({"fault": "node-from-devices", "lane": "links0", "amount": 0.1}, World.names),
        ({"fault": "node-stalled-from-devices", "lane": "links0", "amount": 0.5}, ["d1", "d3"]),
        ({"fault": "node-deaf-to-devices", "lane": "links0", "amount": 0.9}, ["d1", "d4"]),
        ({"fault": "node-from-store", "lane": "links0", "amount": 0.1}, None),
        ({"fault": "slow-links", "lane": "links0", "amount": 0.1}, None),
        ({"fault": "node-kill", "lane": "nodes0"}, None),
    ],
)
def test_what_concerns_devices_alone_names_them(fault, devices):
    assert nemesis.Nemesis(World(True), [], lambda text: None).only(fault).get("devices") == devices

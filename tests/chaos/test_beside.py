"""Progress: what touches no device that fails is not kept by one that does; and what may wait for something is not looked at."""

import pytest
from check import beside, check
from story import A, B, Story


class Beside(Story):
    """A change of A while B is slow, which takes so long; everything else has been well for long."""

    def __init__(self, take=0, **more):
        super().__init__()
        self.time = 100
        self.faults.append({"fault": "hang", "devices": [B], "from": 95, "until": 120})
        self.show(d1=[1, 1, 1], d2=[1, 1, 1])
        self.write("one", take=take, **more)
        self.show(d1=[1, 1, 1], d2=[1, 1, 1])

    @property
    def told(self):
        return self.operations[-1]["attempts"][-1]

    def looks(self):
        """Whether it was looked at; and whether it was found to be late."""
        violations, looked = check(self.end())
        return looked["Progress: changes beside devices that fail"], sum("which was well" in text for _, text in violations)


FINE, LATE, NOT_LOOKED_AT = (1, 0), (1, 1), (0, 0)
LONG = beside.BOUND + 1


def test_what_is_answered_at_once():
    assert Beside().looks() == FINE
    assert Beside(told="rejected").looks() == FINE


def test_what_waits_for_the_device_of_another():
    assert Beside(take=LONG).looks() == LATE


def test_what_nobody_answers():
    story = Beside(told=None, becomes="applied")
    story.told["code"] = "DEADLINE_EXCEEDED"
    assert story.looks() == LATE


def test_what_is_given_up():
    story = Beside(told="reverted")
    story.told["code"] = "DEADLINE_EXCEEDED"
    assert story.looks() == LATE


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "node-kill", "node": "n2", "member": "m1", "from": 80, "until": 101 - beside.SETTLE},
        {"fault": "clients-deaf", "node": "n1", "from": 104, "until": 105},
        {"fault": "hang", "devices": [A], "from": 90, "until": 101 - beside.ITS_OWN},
        {"fault": "node-from-devices", "node": "n1", "devices": [A, B], "from": 99, "until": 110},
    ],
)
def test_what_a_fault_may_keep_is_not_looked_at(fault):
    story = Beside(take=LONG)
    story.faults.append(fault)
    assert story.looks() == NOT_LOOKED_AT


def test_a_device_that_failed_has_to_have_accepted_something_since():
    story = Beside(take=LONG)
    story.faults.append({"fault": "busy", "devices": [A], "from": 80, "until": 90})
    assert story.looks() == NOT_LOOKED_AT
    story.device(motd=None)
    for time, looked in ((89, NOT_LOOKED_AT), (95, LATE), (102, NOT_LOOKED_AT)):
        story.journals[A][0]["time"] = time
        assert story.looks() == looked, time
    story.journals[A][0] |= {"time": 95, "told": "INTERNAL"}
    assert story.looks() == NOT_LOOKED_AT
    story.journals.clear()
    story.faults[-1] |= {"from": 50, "until": 100 - beside.AGAIN}
    assert story.looks() == LATE, "that was long ago"


def test_what_was_long_ago_or_comes_later_or_is_elsewhere_keeps_nothing():
    story = Beside(take=LONG)
    story.faults.append({"fault": "node-kill", "node": "n2", "member": "m1", "from": 80, "until": 99 - beside.SETTLE})
    story.faults.append({"fault": "node-kill", "node": "n2", "member": "m1", "from": 101 + LONG, "until": 110})
    story.faults.append({"fault": "node-from-devices", "node": "n1", "devices": [B], "from": 99, "until": 110})
    assert story.looks() == LATE


def test_beside_nothing_that_fails_there_is_nothing_to_look_at():
    story = Beside(take=LONG)
    story.faults.clear()
    assert story.looks() == NOT_LOOKED_AT


def test_a_node_that_ended_keeps_everybody():
    story = Beside(take=LONG)
    story.ends.append({"who": "n2", "from": 1, "until": 99, "status": 1, "said": "lockstep: no"})
    assert story.looks() == NOT_LOOKED_AT


def test_a_target_that_is_not_shown_well_is_not_looked_at():
    for spoil in ({"targets": {A: [1, 1, 2, "n1", "synchronised"]}}, {"targets": {A: [1, 1, 1, "n1", "paused"]}}, {"time": 1}, {"node": "n2"}):
        story = Beside(take=LONG)
        story.sightings[0] |= spoil
        assert story.looks() == NOT_LOOKED_AT, spoil


def test_what_an_operator_does_with_a_target_may_keep_it():
    story = Beside(take=LONG)
    told = {"node": "n1", "invoke": 99, "return": 100, "code": "OK"}
    story.operations.insert(0, {"kind": "sync", "on": A, "writes": {}, "mode": "atomic", "async": False, "attempts": [told]})
    assert story.looks() == NOT_LOOKED_AT


def behind(*targets, then=None, known=None, shown=(1, 1)):
    """The change comes behind another, of these targets, of which a client was told this."""
    story = Beside()
    story.operations.clear(), story.transactions.clear(), story.sightings.clear()
    story.time = 90
    story.write("before", *targets, told=known, becomes="applied", mode="queued")
    if then:
        story.write("then", A, told=then)
    story.time = 100
    story.show(d1=[*shown, 1], d2=[1, 1, 1])
    story.write("one", take=LONG)
    story.show(d1=[1, 1, 1], d2=[1, 1, 1])
    return story


def test_what_shares_the_target_with_others_may_keep_it():
    assert behind(A, B).looks() == NOT_LOOKED_AT
    assert behind(B).looks()[1] == 1, "it is on another target"
    assert behind(A).looks()[1] == 1, "it waits for this device alone"


def test_what_was_applied_behind_it_shows_that_it_is_done():
    assert behind(A, B, then="applied").looks()[1] == 1
    assert behind(A, B, then="rejected").looks() == NOT_LOOKED_AT, "that is passed over where it stands"


def test_what_has_an_outcome_is_in_nobodys_way():
    assert behind(A, B, known="committed").looks() == NOT_LOOKED_AT
    assert behind(A, B, known="applied").looks()[1] == 1


def test_what_nodes_show_to_be_done_is_in_nobodys_way():
    assert behind(A, B, shown=(2, 2)).looks()[1] == 1
    assert behind(A, B, shown=(2, 0)).looks() == NOT_LOOKED_AT, "its device does not have it"
    assert behind(A, B, shown=(1, 1)).looks() == NOT_LOOKED_AT, "it may hold the target"


@pytest.mark.parametrize("more", [{"mode": "queued"}, {"async": True}, {"window": 2}])
def test_what_does_not_wait_for_the_device_alone_is_not_looked_at(more):
    assert Beside(take=LONG, **more).looks() == NOT_LOOKED_AT

"""The summary: who was answered, and what never happened."""

import summary
from story import A, B, Story


def test_whom_nobody_answered():
    told = lambda code, message="": {"code": code, "message": message, "outcome": None}
    assert summary.is_answered(told("OK")) and summary.is_answered(told("NOT_FOUND"))
    assert summary.is_answered(told("UNAVAILABLE", "target d1 is paused"))
    assert not summary.is_answered(told("UNAVAILABLE", "failed to connect to all addresses"))
    assert not summary.is_answered(told("DEADLINE_EXCEEDED"))
    assert summary.is_answered({**told("DEADLINE_EXCEEDED"), "outcome": {"status": "committed"}})


def test_a_mastership_that_moves_is_counted():
    story = Story()
    for time, (term, master) in enumerate([(1, "n1"), (2, "n1"), (3, ""), (4, "n2"), (2, "n1"), (5, "n1")]):
        story.sightings.append({"node": "n1", "start": 1, "time": time, "targets": {A: [0, 0, term, master, "synchronised"]}})
    assert summary.happened(story.end())["mastership handed to another node"] == 2


def test_what_never_happened_is_named():
    story = Story()
    story.write("one", A, B)
    missing = lambda duration: set(summary.missing(story.end(), {"node-kill": 1, "drift": 2}, ["full disk: not here"], duration))
    assert {"node-pause", "restore", "adopt applied", "window reverted"} <= missing(300)
    assert not {"node-kill", "drift", "full-disk", "one", "change applied"} & missing(300)


def test_a_short_run_has_every_fault_and_need_not_have_everything_else():
    story = Story()
    missing = lambda duration: set(summary.missing(story.end(), {"node-kill": 1}, [], duration))
    assert "node-pause" in missing(120) and "restore" not in missing(120)
    assert not missing(60)

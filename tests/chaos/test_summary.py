"""The summary: who was answered, and what never happened."""

from collections import Counter

import pytest
import summary
from story import A, B, Story


def test_whom_nobody_answered():
    told = lambda code, message="": {"code": code, "message": message, "outcome": None}
    assert summary.is_answered(told("OK")) and summary.is_answered(told("NOT_FOUND"))
    assert summary.is_answered(told("UNAVAILABLE", "target d1 is paused"))
    assert not summary.is_answered(told("UNAVAILABLE", "failed to connect to all addresses"))
    assert not summary.is_answered(told("DEADLINE_EXCEEDED"))
    assert summary.is_answered({**told("DEADLINE_EXCEEDED"), "outcome": {"status": "committed"}})


def test_all_of_it_is_told_in_tables():
    story = Story()
    story.write("one")
    told = story.end(), {"Order: this": 3}, Counter({"drift": 2}), Counter({"drift": 1, "hang": 4}), ["clock jump: not here"]
    page = summary.markdown(*told)
    for line in ("| drift | 2 | 1 |", "| hang | 0 | 4 |", "| one | 1 | 100 % | applied 1 |", "| change applied | 1 |", "| Order: this | 3 |"):
        assert line in page.splitlines()
    assert "| clock jump: not here | skipped |  |" in page
    assert "met nobody: hang" in summary.tell(*told)


def test_a_mastership_that_moves_is_counted():
    story = Story()
    for time, (term, master) in enumerate([(1, "n1"), (2, "n1"), (3, ""), (4, "n2"), (2, "n1"), (5, "n1")]):
        story.sightings.append({"node": "n1", "start": 1, "time": time, "targets": {A: [0, 0, term, master, "synchronised"]}})
    assert summary.happened(story.end())["mastership handed to another node"] == 2


def test_what_faults_came_to_on_a_device_is_counted():
    story = Story()
    story.device(term=2, kind="claim")
    story.device(term=1, kind="claim", code="PERMISSION_DENIED")
    story.device(term=1, code="PERMISSION_DENIED")
    story.device(term=1, code="PERMISSION_DENIED")
    story.journals[A][-1]["faults"] = ["refuse", "lack"]
    story.device(term=2)
    story.journals[A][-1] |= {"late": True, "told": "", "faults": ["hang"]}
    story.device(term=2)
    story.journals[A][-1] |= {"told": "INTERNAL", "faults": ["refuse"]}
    wanted = {"an older master turned away": 1, "done late": 1, "done and denied": 1, "device did hang": 1, "device did refuse": 2}
    assert dict(summary.happened(story.end())) == wanted


def test_a_check_without_anything_to_look_at_is_named():
    beside = "Progress: changes beside devices that fail"
    assert summary.idle({"Order": 0, "Fold": 3, beside: 0}, 120) == ["Order", beside]
    assert summary.idle({"Order": 0, "Fold": 3, beside: 0}, 60) == ["Order"], "that takes some time"


def test_what_never_happened_is_named():
    story = Story()
    story.write("one", A, B)
    missing = lambda duration: set(summary.missing(story.end(), {"node-kill": 1, "drift": 2}, ["full disk: not here"], duration))
    assert {"node-pause", "restore", "adopt applied", "window reverted", "device did hang"} <= missing(300)
    assert "done late" in missing(900) - missing(300)
    assert not {"node-kill", "drift", "full-disk", "one", "change applied"} & missing(300)


def test_a_short_run_has_every_fault_and_need_not_have_everything_else():
    story = Story()
    missing = lambda duration: set(summary.missing(story.end(), {"node-kill": 1}, [], duration))
    assert "node-pause" in missing(120) and "restore" not in missing(120)
    assert not missing(60)


@pytest.mark.parametrize("nodes, held, requests, lacks", [(3, "1,204", "99", 0), (1, "1,204", "9", 1), (3, "0", "9", 1), (3, "1,203", "9", 1), (3, "1,204", "0", 1)])
def test_a_trace_that_tells_of_little_proves_little(nodes, held, requests, lacks):
    said = f"1,300 lines, {nodes} nodes, 1,204 revisions, {held} held against the guarantees, {requests} device requests"
    assert len(list(summary.hollow(said, 3))) == lacks

"""Progress: what stays open for too long is found, and what could not go on is not held against anybody."""

from check import check, delay
from story import A, Story


def found(evidence):
    return [text for name, text in check(evidence)[0] if name == "Progress"]


def open_from(story, first, last, may_take=6.4):
    """A transaction that is shown open between two times, and had an outcome later."""
    index = story.write("one", A)
    story.glimpses = [{"node": "n1", "time": time, "open": [[index, may_take]]} for time in (first, (first + last) / 2, last)]
    return story.end(held={A: {"motd": "one"}})


def test_what_is_open_a_little_longer_than_it_may_take():
    assert not found(open_from(Story(), 100, 130))


def test_what_is_open_for_much_longer():
    assert found(open_from(Story(), 100, 140)) == [
        "transaction 1 may take 6 s, and was open for 40 s in which it could go on"
    ]


def test_what_may_take_longer():
    assert not found(open_from(Story(), 100, 140, may_take=60))


def fault(kind, begin, end, node="n1", member="m1"):
    return {"fault": kind, "from": begin, "until": end, "node": node, "member": member}


def outlasts(*faults):
    evidence = open_from(Story(), 100, 140)
    evidence.faults = list(faults)
    return bool(found(evidence))


def test_whoever_has_no_store_waits():
    assert not outlasts(fault("majority-kill", 110, 115))
    assert not outlasts(fault("all-nodes-kill", 110, 115))
    assert not outlasts(fault("no-space", 90, 115))
    assert outlasts(fault("member-kill", 110, 115)), "two members are enough"
    assert outlasts(fault("node-kill", 110, 115)), "another node goes on with it"
    assert outlasts(fault("majority-kill", 10, 15)), "that was long before"


def test_faults_that_keep_everything_from_working_only_together():
    assert not outlasts(fault("member-kill", 110, 130), fault("member-from-members", 112, 118, member="m2"))
    assert outlasts(fault("member-kill", 110, 130), fault("member-from-members", 112, 118, member="m1"))
    nodes = [fault("node-kill", 105, 120, "n1"), fault("node-stop", 106, 121, "n2"), fault("node-from-store", 107, 119, "n3")]
    assert not outlasts(*nodes)
    assert outlasts(*nodes[:2])


def test_outages_are_counted_once():
    assert delay.overlap([(1, 5), (2, 6), (4, 5)], 0, 10) == 5
    assert delay.overlap([(1, 5)], 2, 4) == 2

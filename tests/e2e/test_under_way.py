"""Orders about a target while something is under way on it, and what is shown of what waits."""

import concurrent.futures

import grpc
import pytest
from test_targets import Empty

from lab import PATIENCE, code, message, until

# Soon given up on, so that a device which never answers is asked again.
QUICK = ("--timeout", "3s")

OF_A_TRANSACTION = (
    "index id kind status author comment submitted decided finished waiting_for error rolled_back_by targets"
)
OF_ITS_TARGETS = "status error waiting_for"
OF_A_TARGET = "name address connected master term state reason fencing committed applied model tags"


@pytest.fixture
def lab(tmp_path):
    """One device that is there for everybody to see, on a node whose file does not name it."""
    lab = Empty(tmp_path, devices=1)
    try:
        lab.start()
        lab.add("leaf1", *QUICK)
        lab.wait_synchronised("leaf1")
        yield lab
    finally:
        lab.stop()


def shown(lab, index):
    return lab.run("tx", "show", str(index))


def waits(lab, index):
    return shown(lab, index)["targets"]["leaf1"]["waiting_for"]


def begin(lab, motd):
    """A change that its device does not answer to."""
    lab.sim("hang", lab.device("leaf1"), "--on", "set")
    index = lab.run("set", "leaf1", "--update", f"/system/motd={motd}", "--async")["index"]
    until("it is with the device", lambda: (waits(lab, index) or "").startswith("the device's answer"))
    return index


def ends_well(lab, index, motd):
    lab.sim("heal", lab.device("leaf1"))
    until("it is applied", lambda: shown(lab, index)["status"] == "applied")
    lab.wait_synchronised("leaf1")
    assert lab.on_device("leaf1", "/system/motd") == motd == lab.get("leaf1", "/system/motd")


def test_a_target_is_paused_while_a_change_is_with_its_device(lab):
    index = begin(lab, "under way")
    assert lab.run("target", "pause", "leaf1")["state"] == "paused"
    assert waits(lab, index) == "an operator to resume the target"
    assert lab.target("leaf1")["waiting_for"] == f"transaction {index} waits for an operator to resume the target"
    lab.sim("heal", lab.device("leaf1"))
    assert shown(lab, index)["status"] == "committed"
    lab.run("target", "resume", "leaf1")
    ends_well(lab, index, "under way")


def test_a_target_is_claimed_while_a_change_is_with_its_device(lab):
    term = lab.target("leaf1")["term"]
    index = begin(lab, "under way")
    lab.run("target", "claim", "leaf1")
    until("it is claimed", lambda: lab.target("leaf1")["term"] > term)
    ends_well(lab, index, "under way")


def test_a_target_is_removed_while_a_change_is_with_its_device(lab):
    index = begin(lab, "under way")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        removal = threads.submit(lab.run, "target", "remove", "leaf1", "--yes")
        until("it is in the log", lambda: lab.transactions()[0]["kind"] == "remove")
        assert waits(lab, lab.transactions()[0]["index"]) == (
            f"transaction {index}, which holds the target until it has an outcome"
        )
        lab.sim("heal", lab.device("leaf1"))
        assert removal.result(PATIENCE)["status"] == "applied"
    assert shown(lab, index)["status"] == "applied"
    assert lab.run("target", "list") == []
    assert lab.on_device("leaf1", "/system/motd") == "under way", "the device is left alone"


def test_a_device_that_does_not_answer_a_change_is_said_not_to(lab):
    index = begin(lab, "under way")
    silent = "it gave no clear answer to the last set in time"
    # It is claimed and sent the change again and again, which does not make it answer.
    until("it is said", lambda: waits(lab, index) == f"the device's answer: {silent}")
    ends_well(lab, index, "under way")


def reason(lab):
    return lab.target("leaf1")["state"], lab.target("leaf1")["reason"]


def test_a_silent_device_is_said_to_be(lab):
    """While it is connected to as well as after it was let go of, again."""
    # It goes on telling what it can do, so that it is connected to.
    lab.sim("hang", lab.device("leaf1"), "--on", "claim")
    lab.run("target", "sync", "leaf1")
    silent = "it gave no clear answer to the last "
    until("it is connected to again", lambda: reason(lab)[0] == "synchronising" and reason(lab)[1].startswith(silent))
    until("it is let go of again", lambda: reason(lab)[1].endswith(" in time, so the connection was closed"))
    lab.sim("heal", lab.device("leaf1"))
    lab.wait_synchronised("leaf1")
    assert not lab.target("leaf1")["reason"]


@pytest.mark.parametrize("refusal", ["UNAVAILABLE", "RESOURCE_EXHAUSTED"])
def test_a_busy_device_is_said_to_be(lab, refusal):
    lab.sim("refuse", lab.device("leaf1"), "--on", "get", "--code", refusal)
    lab.run("target", "sync", "leaf1")
    index = lab.run("set", "leaf1", "--update", "/system/motd=later", "--queued", "--async")["index"]
    busy = "it was busy at the last read, and is tried again"
    until("it is said", lambda: reason(lab) == ("synchronising", busy))
    assert waits(lab, index) == f"the device to be brought in line: {busy}"
    ends_well(lab, index, "later")
    assert not lab.target("leaf1")["reason"]


def test_what_is_shown_has_every_field_that_is_promised(lab):
    index = begin(lab, "under way")
    behind = ("set", "leaf1", "--update", "/system/motd=behind", "--comment", "later")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        later = threads.submit(lab.run, *behind)
        until("it is in the log", lambda: len(lab.transactions()) == 3)
        promised_is_shown(lab, index)
        lab.sim("heal", lab.device("leaf1"))
        assert later.result(PATIENCE)["status"] == "applied"


def promised_is_shown(lab, index):
    for one in (shown(lab, index), *lab.transactions()):
        assert set(OF_A_TRANSACTION.split()) <= set(one), one
        assert all(set(OF_ITS_TARGETS.split()) <= set(on) for on in one["targets"].values()), one
    for one in (lab.run("target", "show", "leaf1"), *lab.run("target", "list")):
        assert set(OF_A_TARGET.split()) <= set(one), one
    # It is given up on and sent again, by and by.
    until("it says where", lambda: shown(lab, index)["waiting_for"].startswith("target leaf1: the device's answer"))
    first, second = shown(lab, index), lab.transactions()[0]
    assert (first["status"], first["finished"]) == ("committed", None), first
    assert (second["status"], second["decided"], second["comment"]) == ("pending", None, "later"), second
    assert f"transaction {index}" in second["waiting_for"], second


def test_what_is_more_than_may_be_open_is_turned_away_and_told_why(lab):
    lab.node.stop()
    lab.write_config(targets={}, limits={"pending": 2})
    lab.start_node()
    lab.wait_synchronised("leaf1")
    index = begin(lab, "under way")
    with concurrent.futures.ThreadPoolExecutor() as threads:
        behind = threads.submit(lab.run, "set", "leaf1", "--update", "/system/motd=behind")
        until("it is in the log", lambda: len(lab.transactions()) == 3)
        with pytest.raises(Exception) as refused:
            lab.set("leaf1", update=[("/system/motd", "one too many")])
        assert code(refused.value) == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "2 transactions are open, which is the limit" in message(refused.value), message(refused.value)
        assert len(lab.transactions()) == 3, "it is not in the log"
        lab.sim("heal", lab.device("leaf1"))
        assert behind.result(PATIENCE)["status"] == "applied"
    # There is room again.
    lab.set("leaf1", update=[("/system/motd", "now")])
    assert shown(lab, index)["status"] == "applied" and lab.on_device("leaf1", "/system/motd") == "now"

"""The log of a node, for programs: a JSON object a line, which names the target and the transaction it is about."""

import itertools
import json
import os
import re
import subprocess
from unittest import mock

import pytest

from lab import BINARY, Lab, until


@pytest.fixture
def lab(tmp_path):
    lab = Lab(tmp_path)
    try:
        with mock.patch.dict(os.environ, LOCKSTEP_LOG_FORMAT="json", LOCKSTEP_LOG="info,lockstep_node=debug"):
            yield lab.start()
    finally:
        lab.stop()


def lines(lab):
    return [json.loads(line) for line in (lab.folder / "node.log").read_text().splitlines()]


def said(lab, **wanted):
    """The lines that say this, once there is one."""
    says = lambda line: all(line.get(field) == value for field, value in wanted.items())
    return until(f"a line with {wanted}", lambda: [line for line in lines(lab) if says(line)])


def test_every_line_says_what_it_is_about(lab):
    lab.set("leaf1", update=[("/system/motd", "hello")])
    [ended] = said(lab, message="transaction ended", transaction=1)
    assert (ended["kind"], ended["status"], ended["target"], ended["level"]) == ("change", "applied", "leaf1", "info")
    [decided] = said(lab, message="transaction decided", transaction=1)
    assert (decided["kind"], decided["target"], decided["targets"], decided["level"]) == ("change", "leaf1", 1, "info")
    said(lab, message="moved on", transaction=1, target="leaf1", status="applied")

    lab.sim("refuse", lab.device("leaf2"), "/system/motd", "--message", "for nobody's log")
    change = "{leaf1: {update: {/system/motd: x}}, leaf2: {update: {/system/motd: x}}}"
    (lab.folder / "change.yaml").write_text(change)
    assert lab.command("set", "-f", str(lab.folder / "change.yaml")).returncode == 4
    [refused] = said(lab, message="the device refused", transaction=2, target="leaf2")
    assert refused["level"] == "warn" and refused["code"] == "FAILED_PRECONDITION"
    [ended] = said(lab, message="transaction ended", transaction=2)
    assert (ended["status"], ended["targets"], ended["target"]) == ("reverted", 2, "leaf1,leaf2")

    (lab.folder / "change.yaml").write_text(change.replace("leaf2", "leaf3"))
    assert lab.command("set", "-f", str(lab.folder / "change.yaml")).returncode == 0
    # On trial first: each of its steps is told.
    for target, status in itertools.product(("leaf1", "leaf3"), ("accepted", "applied")):
        [moved] = said(lab, message="moved on", transaction=3, target=target, status=status)
        assert moved["level"] == "debug"

    lab.devices["leaf3"].kill()
    said(lab, message="not connected", target="leaf3")
    lab.start_device("leaf3")
    lab.wait_synchronised()
    for message in ("connected", "synchronised"):
        until(f"it is {message} again", lambda: len(said(lab, message=message, target="leaf3")) > 1)
    said(lab, message="this node is its master", target="leaf3", term=2)

    lab.sim("drift", lab.device("leaf2"), "/system/motd", '"by hand"')
    said(lab, message="it was changed behind our back", target="leaf2")

    told = lines(lab)
    are_about_something(told)
    for line in told:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", line["time"]), line
        assert line["level"] in ("info", "warn", "error", "debug") and line["message"] and line["room"].startswith("lockstep"), line
    # A device's own words may hold a value that is secret: `tx show` knows who may read them.
    assert "for nobody's log" not in json.dumps(told)
    # One word for each thing.
    assert not {field for line in told for field in line} & {"target_name", "index", "device", "tx", "name"}


def are_about_something(told):
    """A line about a device names the target, and one about a Set the transaction as well."""
    for line in told:
        assert "target" in line or not {"address", "connection", "term", "differences"} & set(line), line
        assert "transaction" in line or line.get("asked") not in ("Set", "Settle"), line


def test_a_line_without_what_it_is_about_would_be_found():
    are_about_something([{"address": "a", "asked": "Set", "target": "leaf1", "transaction": 1}, {"message": "ready"}])
    for lost in ({"address": "a"}, {"connection": 1}, {"asked": "Set", "target": "leaf1"}):
        with pytest.raises(AssertionError):
            are_about_something([lost])


def test_a_device_that_does_not_answer_is_told_of_in_words(lab):
    lab.sim("hang", lab.device("leaf2"), "--apply-after", "60s", "--times", "1")
    lab.command("set", "leaf2", "--update", "/system/motd=late", "--deadline", "15")
    told = said(lab, asked="Set", transaction=1, target="leaf2")
    assert {line["why"] for line in told} == {"it did not answer in time"}
    are_about_something(lines(lab))
    # Nothing that a program would print of itself.
    dumps = [line for line in lines(lab) if re.search(r"[A-Z]\w+\(|code: '|source: ", json.dumps(line))]
    assert not dumps, dumps


@pytest.mark.parametrize("code", ["RESOURCE_EXHAUSTED", "UNAVAILABLE"])
def test_a_set_that_is_not_done_names_its_transaction_and_not_the_devices_words(lab, code):
    lab.sim("refuse", lab.device("leaf2"), "/system/motd", "--code", code, "--message", "for nobody's log")
    lab.command("set", "leaf2", "--update", "/system/motd=x", "--deadline", "3")
    told = said(lab, message="not done, or not known to be", asked="Set", transaction=1, target="leaf2")
    assert {line["why"] for line in told} == {code} and told[0]["level"] == "warn"
    assert "for nobody's log" not in json.dumps(lines(lab))


def test_what_is_logged_can_be_chosen(tmp_path):
    lab = Lab(tmp_path, devices=0)
    with mock.patch.dict(os.environ, LOCKSTEP_LOG="error"):
        lab.start_node()
    lab.stop()
    assert (lab.folder / "node.log").read_text() == ""
    wrong = subprocess.run([BINARY, "serve", "--log", "lockstep=loud"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "--log lockstep=loud" in wrong.stderr

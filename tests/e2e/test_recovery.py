"""Devices that restart, nodes that are killed, changes that are taken back."""

import itertools
import os
import pty
import subprocess
import threading

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from lab import BINARY, PATIENCE, code, options, update, until


# rule: south-restart, mistake-resync
def test_a_device_that_lost_its_configuration_gets_it_back(lab):
    lab.set("leaf1", update=[("/system", {"hostname": "leaf1", "motd": "hello"})])
    term = lab.target("leaf1")["term"]
    lab.devices["leaf1"].kill()
    lab.start_device("leaf1")
    until("it is back", lambda: lab.on_device("leaf1", "/system") == {"lab:hostname": "leaf1", "lab:motd": "hello"})
    lab.wait_synchronised("leaf1")
    assert lab.target("leaf1")["term"] > term


# rule: mistake-resync
def test_a_device_that_kept_its_configuration_is_not_written_to(lab):
    lab.set("leaf1", update=[("/system/motd", "hello")])
    term = lab.target("leaf1")["term"]
    lab.sim("restart", lab.device("leaf1"), "--keep")
    until("a new term", lambda: lab.target("leaf1")["term"] > term)
    lab.wait_synchronised("leaf1")
    assert lab.on_device("leaf1", "/system/motd") == "hello"
    sets = [line for line in lab.sim("journal", lab.device("leaf1")).splitlines() if " set " in line]
    assert len(sets) == 1, sets


# rule: mistake-rollback
def test_a_rollback_brings_back_what_stood_before(lab):
    lab.set("leaf1", update=[("/system", {"hostname": "a", "motd": "first"})])
    lab.set("leaf1", delete=["/system"], update=[("/vlans/vlan[id=7]", {"id": 7, "name": "seven"})])
    assert lab.on_device("leaf1", "/system") is None
    done = lab.run("rollback", "2")
    assert (done["kind"], done["of"], done["status"]) == ("rollback", 2, "applied")
    assert lab.on_device("leaf1", "/system") == {"lab:hostname": "a", "lab:motd": "first"}
    assert lab.on_device("leaf1", "/vlans") is None
    assert lab.run("tx", "show", "2")["rolled_back_by"] == 3


def test_targets_are_restored_to_how_they_stood(lab):
    lab.set("leaf1", update=[("/system", {"hostname": "a", "motd": "first"})])
    lab.set("leaf2", update=[("/system/motd", "other")])
    lab.set("leaf1", delete=["/system"], update=[("/vlans/vlan[id=7]", {"id": 7, "name": "seven"})])
    done = lab.run("restore", "1")
    assert (done["kind"], done["to"], done["status"]) == ("restore", 1, "applied")
    assert sorted(done["targets"]) == ["leaf1", "leaf2"]
    assert lab.on_device("leaf1", "/system") == {"lab:hostname": "a", "lab:motd": "first"}
    assert lab.on_device("leaf1", "/vlans") is None
    assert lab.on_device("leaf2", "/system") is None
    # Like any change, it can be rolled back, and gone back to on fewer targets.
    assert lab.run("rollback", "4")["status"] == "applied"
    assert lab.on_device("leaf2", "/system/motd") == "other"
    assert lab.run("restore", "4", "--target", "leaf2")["status"] == "applied"
    assert lab.on_device("leaf2", "/system") is None
    assert lab.on_device("leaf1", "/system") is None
    unknown = lab.command("restore", "99")
    assert unknown.returncode != 0 and "NOT_FOUND" in unknown.stderr


# rule: past-retention
def test_the_log_is_kept_as_far_back_as_asked(lab, tmp_path):
    lab.node.stop()
    lab.write_config(retention={"transactions": 3})
    lab.start_node()
    lab.wait_synchronised("leaf1")
    for number in range(1, 9):
        lab.run("set", "leaf1", "--update", f"/system/motd=number {number}")
    until("the rest is forgotten", lambda: [t["index"] for t in lab.transactions()] == [8, 7, 6, 5])
    for command in (("rollback", "2"), ("restore", "2"), ("tx", "show", "2")):
        refused = lab.command(*command)
        assert refused.returncode != 0 and "OUT_OF_RANGE" in refused.stderr, refused
        assert "beyond retention: the log is kept from 5 on" in refused.stderr
    assert lab.run("restore", "5")["status"] == "applied"
    assert lab.on_device("leaf1", "/system/motd") == "number 5"
    lab.node.stop()
    dump = str(tmp_path / "dump")
    for store in ("data", "copy"):
        assert lab.command("store", "check", str(lab.folder / store)).returncode == 0
        if store == "data":
            assert lab.command("store", "export", str(lab.folder / store), "-f", dump).returncode == 0
            assert lab.command("store", "import", str(lab.folder / "copy"), "-f", dump).returncode == 0
    lab.write_config(retention={"transactions": 3}, store="./copy")
    lab.start_node()
    assert "beyond retention" in lab.command("rollback", "2").stderr


# rule: mistake-stuck
def test_what_is_not_confirmed_in_time_is_taken_back(lab):
    lab.set("leaf1", update=[("/system/motd", "before")])
    shown = lab.run("set", "leaf1", "--update", "/system/motd=try", "--confirm", "8")
    assert shown["status"] == "applied"
    refused = lab.command("set", "leaf1", "--update", "/system/hostname=other")
    assert refused.returncode != 0 and "FAILED_PRECONDITION" in refused.stderr
    assert "confirm window of transaction 2" in refused.stderr and "ends at" in refused.stderr
    # Another target is none of its business.
    lab.run("set", "leaf2", "--update", "/system/motd=meanwhile")
    until("it is taken back", lambda: lab.run("tx", "show", "2")["window"] == "reverted")
    by = lab.run("tx", "show", "2")["rolled_back_by"]
    until("the device has it back", lambda: lab.on_device("leaf1", "/system/motd") == "before")
    assert lab.run("tx", "show", str(by))["kind"] == "rollback"
    late = lab.command("confirm", "2")
    assert late.returncode != 0 and "not confirmed in time" in late.stderr


def test_a_cancel_is_answered_when_it_can_be_seen(lab):
    """The device takes its time to go back."""
    lab.set("leaf1", update=[("/system/motd", "before")])
    made = lab.run("set", "leaf1", "--update", "/system/motd=after", "--confirm", "600")
    lab.sim("delay", lab.device("leaf1"), "1s", "--on", "set")
    assert lab.run("cancel", str(made["index"]))["window"] == "reverted"
    assert lab.get("leaf1", "/system/motd") == "before" == lab.on_device("leaf1", "/system/motd")


def test_what_is_confirmed_stays_across_a_restart_and_what_is_cancelled_does_not(lab):
    lab.run("set", "leaf1", "--update", "/system/motd=kept", "--confirm", "600")
    lab.node.kill()
    lab.start_node()
    assert lab.run("tx", "show", "1")["window"] == "open"
    done = lab.run("confirm", "1")
    assert (done["window"], done["confirm_until"]) == ("confirmed", None)
    lab.wait_synchronised("leaf1")
    lab.run("set", "leaf1", "--update", "/system/motd=tried", "--confirm", "600")
    assert lab.run("cancel", "2")["window"] == "reverted"
    until("it is taken back", lambda: lab.on_device("leaf1", "/system/motd") == "kept")


# rule: error-rollback
def test_a_rollback_is_refused_with_the_reason(lab):
    lab.set("leaf1", update=[("/system/motd", "first")])
    lab.set("leaf1", update=[("/system/hostname", "b")])
    refused = lab.command("rollback", "1")
    assert refused.returncode != 0
    assert "transaction 2 came later on target leaf1" in refused.stderr
    assert "FAILED_PRECONDITION" in refused.stderr
    # Nothing else wrote its path.
    assert lab.run("rollback", "1", "--rule", "path")["status"] == "applied"
    assert lab.on_device("leaf1", "/system") == {"lab:hostname": "b"}
    unknown = lab.command("rollback", "99")
    assert unknown.returncode != 0 and "FAILED_PRECONDITION" in unknown.stderr
    unknown = lab.command("tx", "show", "99")
    assert unknown.returncode != 0 and "NOT_FOUND" in unknown.stderr


def at_a_terminal(lab, typed, *arguments):
    """Runs a command with a terminal as its input, on which somebody has typed."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, typed.encode())
        server = ["--server", f"127.0.0.1:{lab.port}", "--insecure"]
        return subprocess.run(
            [BINARY, *server, *arguments], stdin=theirs, capture_output=True, text=True, timeout=PATIENCE
        )
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_person_is_asked_before_a_rollback(lab):
    with lab.stub() as stub:
        stub.Set(gnmi_pb2.SetRequest(update=[update("/system/motd", "x", name) for name in ("leaf1", "leaf2")]))
    no = at_a_terminal(lab, "n\n", "rollback", "1")
    assert no.returncode == 1 and "roll back transaction 1 on leaf1, leaf2? [y/N]" in no.stderr, no
    assert len(lab.transactions()) == 1
    yes = at_a_terminal(lab, "y\n", "rollback", "1")
    assert yes.returncode == 0, yes
    # A program is not asked, nor somebody who said so before.
    said = at_a_terminal(lab, "", "cancel", "1", "--yes")
    assert "[y/N]" not in said.stderr and "outcome" in said.stderr, said
    silent = lab.command("rollback", "1")
    assert "[y/N]" not in silent.stderr and len(lab.transactions()) == 3, silent


def test_a_node_that_stops_and_starts_goes_on(lab):
    lab.set("leaf1", update=[("/system/motd", "hello")])
    assert lab.node.stop() == 0
    lab.devices["leaf1"].kill()
    lab.start_device("leaf1")
    lab.start_node()
    assert lab.get("leaf1", "/system/motd") == "hello"
    until("it is back", lambda: lab.on_device("leaf1", "/system/motd") == "hello")
    assert [t["status"] for t in lab.transactions()] == ["applied"]


def test_a_second_node_on_the_same_store_is_refused(lab):
    # Other ports, so that the store is what stands in the way.
    lab.write_config(listen="127.0.0.1:0", http="127.0.0.1:0")
    second = lab.command("serve", "--config", str(lab.folder / "lockstep.yaml"))
    assert second.returncode != 0
    assert str(lab.node.process.pid) in second.stderr, second.stderr


# What a client hears that cannot know what became of its request.
CUT_OFF = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN, grpc.StatusCode.CANCELLED)
FINAL = ("applied", "partial", "rejected", "reverted", "cancelled")


class Writers:
    """Clients that write as fast as they can, each to its own target, and keep what they were told."""

    def __init__(self, lab):
        self.lab = lab
        self.answered = []  # (target, number), each with the id "target number"
        self.errors = []
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(name,)) for name in lab.names]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def write(self, name):
        try:
            for number in itertools.count(1):
                if self.stop.is_set():
                    return
                self.write_one(name, number)
        except Exception as error:  # a thread would swallow it
            self.errors.append(error)

    def write_one(self, name, number):
        motd = f"{name} {number}"
        request = gnmi_pb2.SetRequest(update=[update("/system/motd", motd, name)], extension=[options(id=motd)])
        try:
            with self.lab.stub() as stub:
                stub.Set(request, timeout=PATIENCE)
        except grpc.RpcError as error:
            assert code(error) in CUT_OFF, error
        else:
            self.answered.append((name, number))

    def wait_for(self, count):
        until(f"{count} answers", lambda: len(self.answered) >= count or self.errors)
        assert not self.errors, self.errors


@pytest.mark.parametrize("round_", range(3))
def test_nothing_that_was_answered_is_lost_by_kill_9(lab, round_):
    """Clients write, the node is killed at some moment, again and again."""
    with Writers(lab) as writers:
        for wanted in (5, 20, 40 + 7 * round_):
            writers.wait_for(wanted)
            lab.node.kill()
            lab.start_node()
    assert not writers.errors, writers.errors
    everything = lambda: lab.run("tx", "list", "--limit", "10000")
    until("nothing is open", lambda: all(t["finished"] for t in everything()))
    status = {t["id"]: t["status"] for t in everything()}
    assert len(status) < 10000, "not the whole log is listed"
    lost = {f"{name} {number}" for name, number in writers.answered}
    lost = {id_: status.get(id_) for id_ in lost if status.get(id_) != "applied"}
    assert not lost, lost
    # What was cut off ended one way or the other.
    assert set(status.values()) <= set(FINAL)
    # What is wanted is what the devices have, and nothing older than what was answered.
    lab.wait_synchronised()
    for name in lab.names:
        latest = max(number for target, number in writers.answered if target == name)
        held = lab.on_device(name, "/system/motd")
        assert held == lab.get(name, "/system/motd")
        assert int(held.split()[1]) >= latest


def test_a_killed_node_finds_its_devices_as_it_left_them(lab):
    """The device has the change and the node does not know: it finds out, and does not undo it."""
    lab.set("leaf1", update=[("/system/motd", "one")])
    lab.node.kill()
    lab.start_node()
    lab.wait_synchronised()
    assert lab.on_device("leaf1", "/system/motd") == "one"
    lab.set("leaf1", update=[("/system/motd", "two")])
    assert lab.on_device("leaf1", "/system/motd") == "two"

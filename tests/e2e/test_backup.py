"""A store is set back to a backup while devices have gone on: they listen to terms it does not know of, and hold values that
came later. Everything comes back in line by itself."""

import contextlib
import os
import shutil
import signal
import subprocess

import pytest

from lab import Lab, free_ports, until
from test_etcd import ask


class Member:
    """An etcd of one member whose folder can be copied and put back."""

    def __init__(self, folder):
        self.folder, (self.port, peer) = folder, free_ports(2)
        at = lambda port: f"http://127.0.0.1:{port}"
        self.command = [
            "etcd", "--name", "m1", "--data-dir", folder / "etcd", "--initial-cluster", f"m1={at(peer)}",
            "--listen-client-urls", at(self.port), "--advertise-client-urls", at(self.port),
            "--listen-peer-urls", at(peer), "--initial-advertise-peer-urls", at(peer),
        ]  # fmt: skip
        self.process = None

    def start(self):
        with open(self.folder / "etcd.log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        until("etcd answers", lambda: ask(self.port, "maintenance/status"))

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def member(tmp_path):
    member = Member(tmp_path)
    member.start()
    yield member
    member.stop()


@contextlib.contextmanager
def lab_of(folder, **config):
    lab = Lab(folder)
    # No trace: what it tells would be of a past that never was.
    lab.write_config(**{"secret-paths": []}, **config)
    try:
        yield lab.start()
    finally:
        lab.stop()


def live(lab):
    """Devices get new masters and new values: more of both than the backup knows."""
    for number in range(3):
        for name in lab.names:
            term = lab.target(name)["term"]
            lab.sim("restart", lab.device(name), "--keep")
            until("a new term", lambda: lab.target(name)["term"] > term)
        lab.wait_synchronised()
        for name in lab.names:
            lab.set(name, update=[("/system/motd", f"later {number}")])
    lab.set("leaf2", update=[("/vlans/vlan[id=9]", {"id": 9, "name": "nine"})])


def is_as_in_the_backup(lab):
    """And goes on from there."""
    lab.wait_synchronised()
    for name in lab.names:
        until(f"{name} is back", lambda: lab.on_device(name, "/system/motd") == "kept")
        assert lab.target(name)["fencing"] == "device", "a device that fences is what this is about"
    assert lab.on_device("leaf2", "/vlans") is None
    assert len(lab.transactions()) == len(lab.names)
    for name in lab.names:
        lab.set(name, update=[("/system/motd", "and on")])
        assert lab.on_device(name, "/system/motd") == "and on"


def fill(lab):
    for name in lab.names:
        lab.set(name, update=[("/system/motd", "kept")])


def test_a_folder_is_set_back_to_a_copy_of_it(tmp_path):
    with lab_of(tmp_path) as lab:
        fill(lab)
        assert lab.node.stop() == 0
        shutil.copytree(tmp_path / "data", tmp_path / "backup")
        lab.start_node()
        lab.wait_synchronised()
        live(lab)
        lab.node.kill()
        shutil.rmtree(tmp_path / "data")
        os.rename(tmp_path / "backup", tmp_path / "data")
        lab.start_node()
        is_as_in_the_backup(lab)


def test_a_dump_is_imported_while_devices_went_on(tmp_path):
    with lab_of(tmp_path) as lab:
        fill(lab)
        done = lab.command("store", "export", "-f", str(tmp_path / "backup.jsonl"))
        assert done.returncode == 0, done.stderr
        live(lab)
        lab.node.kill()
        shutil.rmtree(tmp_path / "data")
        done = lab.command("store", "import", str(tmp_path / "data"), "-f", str(tmp_path / "backup.jsonl"))
        assert done.returncode == 0, done.stderr
        lab.start_node()
        is_as_in_the_backup(lab)


@pytest.mark.parametrize("node", ["stopped", "running", "standing still"])
def test_etcd_is_set_back_to_a_copy_of_it(tmp_path, member, node):
    """Whatever the node does meanwhile. One that ran has to notice: what it knows is of a past that never was."""
    with lab_of(tmp_path, store=f"etcd://127.0.0.1:{member.port}/lab") as lab:
        fill(lab)
        member.stop()
        shutil.copytree(tmp_path / "etcd", tmp_path / "backup")
        member.start()
        lab.wait_synchronised()
        live(lab)
        if node == "stopped":
            assert lab.node.stop() == 0
        if node == "standing still":
            lab.node.process.send_signal(signal.SIGSTOP)
        member.stop()
        shutil.rmtree(tmp_path / "etcd")
        os.rename(tmp_path / "backup", tmp_path / "etcd")
        member.start()
        if node == "stopped":
            lab.start_node()
        if node == "standing still":
            lab.node.process.send_signal(signal.SIGCONT)
        until("it has begun anew", lambda: len(lab.transactions()) == len(lab.names))
        is_as_in_the_backup(lab)
        if node == "running":
            assert "set back" in (tmp_path / "node.log").read_text()

"""A node that keeps its records in etcd."""

import contextlib
import shutil
import signal
import subprocess

import pytest

from lab import Lab, free_ports, until


@contextlib.contextmanager
def etcd(folder):
    """A real etcd of one member; its address."""
    assert shutil.which("etcd"), "there is no etcd; `scripts/setup test` installs it"
    client, peer = free_ports(2)
    at = lambda port: f"http://127.0.0.1:{port}"
    arguments = [
        "etcd", "--name", "m", "--data-dir", folder / "etcd",
        "--listen-client-urls", at(client), "--advertise-client-urls", at(client),
        "--listen-peer-urls", at(peer), "--initial-advertise-peer-urls", at(peer), "--initial-cluster", f"m={at(peer)}",
    ]  # fmt: skip
    with open(folder / "etcd.log", "ab") as log:
        process = subprocess.Popen(arguments, stdout=log, stderr=log)
    try:
        yield client, process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def lab(tmp_path):
    with etcd(tmp_path) as (port, process):
        lab = Lab(tmp_path)
        lab.etcd = process
        lab.store = f"etcd://127.0.0.1:{port}/lab"
        lab.write_config(store=lab.store)
        try:
            yield lab.start()
        finally:
            lab.stop()


def test_a_node_on_etcd_goes_on_where_it_was_killed(lab):
    lab.set("leaf1", update=[("/system/motd", "one")])
    lab.node.kill()
    lab.start_node()
    assert lab.get("leaf1", "/system/motd") == "one"
    # Its former session has to run out first: nobody else can know that it is dead.
    lab.wait_synchronised()
    lab.set("leaf1", update=[("/system/motd", "two")])
    assert lab.on_device("leaf1", "/system/motd") == "two"
    assert [t["status"] for t in lab.transactions()] == ["applied", "applied"]


def test_a_store_that_stalls_and_comes_back(lab):
    lab.set("leaf1", update=[("/system/motd", "one")])
    lab.etcd.send_signal(signal.SIGSTOP)
    log = lambda: (lab.folder / "node.log").read_text()
    until("it is noticed", lambda: "could not be renewed" in log())
    lab.etcd.send_signal(signal.SIGCONT)
    until("it works again", lambda: lab.set("leaf1", update=[("/system/motd", "two")]))
    assert lab.on_device("leaf1", "/system/motd") == "two"


def test_a_node_that_lost_its_session_begins_anew(lab):
    """A process that stood still: the store counts it as dead, and it does not know."""
    lab.set("leaf1", update=[("/system/motd", "one")])
    sessions = lambda: lab.run("store", "check", lab.store)["kinds"].get("session", {"keys": 0})["keys"]
    assert sessions() == 1
    lab.node.process.send_signal(signal.SIGSTOP)
    until("its session has run out", lambda: sessions() == 0)
    lab.node.process.send_signal(signal.SIGCONT)
    until("it works again", lambda: lab.set("leaf1", update=[("/system/motd", "two")]))
    assert lab.on_device("leaf1", "/system/motd") == "two"
    assert "its session ran out" in (lab.folder / "node.log").read_text()
    assert lab.node.stop() == 0

"""A node that keeps its records in etcd."""

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import urllib.request

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2

from lab import BINARY, PATIENCE, Lab, free_ports, until, update
from test_recovery import Writers
from test_tls import Authority


@contextlib.contextmanager
def etcd(folder, *arguments, scheme="http"):
    """A real etcd of one member; its port and its process."""
    with members(folder, 1, *arguments, scheme=scheme) as [member]:
        yield member


@contextlib.contextmanager
def members(folder, count, *arguments, scheme="http"):
    """A real etcd of so many members; the port and the process of each."""
    assert shutil.which("etcd"), "there is no etcd; `scripts/setup test` installs it"
    ports = free_ports(2 * count)
    clients, peers = ports[:count], ports[count:]
    at = lambda port, scheme="http": f"{scheme}://127.0.0.1:{port}"
    everyone = ",".join(f"m{n}={at(peer)}" for n, peer in enumerate(peers))
    with contextlib.ExitStack() as stack:
        started = []
        for n, (client, peer) in enumerate(zip(clients, peers)):
            command = [
                "etcd", "--name", f"m{n}", "--data-dir", folder / f"etcd{n}",
                "--listen-client-urls", at(client, scheme), "--advertise-client-urls", at(client, scheme),
                "--listen-peer-urls", at(peer), "--initial-advertise-peer-urls", at(peer),
                "--initial-cluster", everyone, *arguments,
            ]  # fmt: skip
            log = stack.enter_context(open(folder / f"etcd{n}.log", "ab"))
            process = subprocess.Popen(command, stdout=log, stderr=log)
            stack.callback(lambda process=process: (process.kill(), process.wait()))
            started.append((client, process))
        yield started


def ask(port, what, **body):
    """One request to a member, by its own gateway for JSON."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v3/{what}", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


@contextlib.contextmanager
def lab_on(folder, ports, **config):
    """A lab whose node finds its store at these ports."""
    lab = Lab(folder)
    lab.store = "etcd://" + ",".join(f"127.0.0.1:{port}" for port in ports) + "/lab"
    lab.write_config(store=lab.store, **config)
    try:
        yield lab.start()
    finally:
        lab.stop()


@pytest.fixture
def lab(tmp_path):
    with etcd(tmp_path) as (port, process), lab_on(tmp_path, [port]) as lab:
        lab.etcd = process
        yield lab


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


def test_an_etcd_without_space_is_named_and_takes_writes_again(tmp_path):
    with etcd(tmp_path) as (port, _), lab_on(tmp_path, [port]) as lab:
        member = ask(port, "maintenance/status")["header"]["member_id"]
        alarm = lambda action: ask(port, "maintenance/alarm", action=action, memberID=member, alarm="NOSPACE")
        alarm("ACTIVATE")
        with lab.stub() as stub, pytest.raises(grpc.RpcError) as error:
            stub.Set(gnmi_pb2.SetRequest(update=[update("/system/motd", "never", "leaf1")]), timeout=12)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE, error.value
        assert "database space exceeded" in (lab.folder / "node.log").read_text()
        alarm("DEACTIVATE")
        until("it works again", lambda: lab.set("leaf1", update=[("/system/motd", "one")]))
        assert lab.on_device("leaf1", "/system/motd") == "one"


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


def test_a_leader_that_dies_under_load_takes_nothing_with_it(tmp_path):
    with members(tmp_path, 3) as cluster, lab_on(tmp_path, [port for port, _ in cluster]) as lab:
        with Writers(lab) as writers:
            writers.wait_for(20)
            status = {port: ask(port, "maintenance/status") for port, _ in cluster}
            [leader] = [port for port, told in status.items() if told["header"]["member_id"] == told["leader"]]
            dict(cluster)[leader].kill()
            writers.wait_for(len(writers.answered) + 20)
        everything = lambda: lab.run("tx", "list", "--limit", "10000")
        until("nothing is open", lambda: all(t["finished"] for t in everything()))
        told = [(t["id"], t["status"]) for t in everything()]
        assert len(dict(told)) == len(told), "one was taken in twice"
        answered = {f"{name} {number}" for name, number in writers.answered}
        lost = {id_ for id_ in answered if dict(told).get(id_) != "applied"}
        assert not lost, lost


def test_a_cluster_with_certificates_on_both_sides(tmp_path):
    """And with a member in the list that is not there."""
    authority = Authority(tmp_path)
    for name in ("server", "client"):
        authority.issue(name)
    file = lambda name: str(tmp_path / name)
    arguments = ["--cert-file", file("server.pem"), "--key-file", file("server.key"),
                 "--trusted-ca-file", file("ca.pem"), "--client-cert-auth"]  # fmt: skip
    tls = {"ca": "ca.pem", "cert": "client.pem", "key": "client.key"}
    [gone] = free_ports(1)
    with etcd(tmp_path, *arguments, scheme="https") as (port, _):
        with lab_on(tmp_path, [gone, port], **{"store-tls": tls}) as lab:
            lab.set("leaf1", update=[("/system/motd", "one")])
            assert lab.on_device("leaf1", "/system/motd") == "one"
            flags = ["--store-ca", file("ca.pem"), "--store-cert", file("client.pem"), "--store-key", file("client.key")]
            checked = lab.run("store", "check", lab.store, *flags)
            assert checked["problems"] == [] and checked["kinds"]["transaction"]["keys"] == 1


def test_a_cluster_with_users(tmp_path):
    with etcd(tmp_path) as (port, _):
        text = lambda key: base64.b64encode(key.encode()).decode()
        until("etcd answers", lambda: ask(port, "maintenance/status"))
        ours = {"permType": "READWRITE", "key": text("/lab/"), "range_end": text("/lab0")}
        for what, body in [
            ("user/add", {"name": "root", "password": "top"}),
            ("role/add", {"name": "root"}),
            ("user/grant", {"user": "root", "role": "root"}),
            ("role/add", {"name": "lab"}),
            ("role/grant", {"name": "lab", "perm": ours}),
            ("user/add", {"name": "lockstep", "password": "hunter2"}),
            ("user/grant", {"user": "lockstep", "role": "lab"}),
            ("enable", {}),
        ]:
            ask(port, f"auth/{what}", **body)
        with lab_on(tmp_path, [port], **{"store-user": "lockstep", "store-password": "hunter2"}) as lab:
            lab.set("leaf1", update=[("/system/motd", "one")])
            assert lab.on_device("leaf1", "/system/motd") == "one"
            check = [BINARY, "store", "check", lab.store, "--store-user", "lockstep"]
            run = lambda **env: subprocess.run(
                check, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **env}
            )
            assert run(LOCKSTEP_STORE_PASSWORD="hunter2").returncode == 0
            wrong = run(LOCKSTEP_STORE_PASSWORD="swordfish")
            assert wrong.returncode != 0 and "swordfish" not in wrong.stderr, wrong.stderr
            assert "hunter2" not in lab.logs()

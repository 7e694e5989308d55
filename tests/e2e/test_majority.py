"""etcd loses its majority: reads and writes say so, devices are left alone, and nothing that was answered is lost when it is
back, or when what is left of it goes on alone."""

import contextlib
import datetime

import grpc
import pytest
from cluster import Cluster, Members
from load import Clients, nothing_is_lost
from pygnmi.spec.v080 import gnmi_pb2

from lab import PATIENCE, code, field, path, until, update
from test_etcd import members


@contextlib.contextmanager
def cluster_of(tmp_path, **config):
    with members(tmp_path, 3) as started:
        members_ = Members(tmp_path, started)
        cluster = Cluster(tmp_path, members_.ports, nodes=2, devices=3)
        cluster.members = members_
        cluster.write_config(each={name: {"drift": "enforce"} for name in cluster.names}, **config)
        for name in cluster.listens:
            cluster.write_node(name)
        try:
            yield cluster.start()
        finally:
            cluster.stop()
            members_.stop()


@pytest.fixture
def cluster(tmp_path):
    with cluster_of(tmp_path) as cluster:
        yield cluster


def refused(cluster, node, call):
    """What a node says that cannot do it."""
    with cluster.stub_of(node) as stub, pytest.raises(grpc.RpcError) as error:
        call(stub)
    return code(error.value), error.value.details()


def sets(cluster, name):
    """How often a device was asked to change something."""
    journal = cluster.sim("journal", cluster.device(name)).splitlines()
    return sum(" set " in line for line in journal)


# How long a session lasts without being renewed, and a little more, in seconds.
SESSION = 7


def failures(cluster, name):
    """When a node failed to renew its session."""
    lines = (cluster.folder / f"{name}.log").read_text().splitlines()
    return [datetime.datetime.fromisoformat(line.split()[0]) for line in lines if "could not be renewed" in line]


def sessions_are_over(cluster):
    """Every node has failed to renew its session for longer than that lasts."""
    for name in cluster.listens:
        first = until(f"{name} cannot renew its session", lambda: failures(cluster, name))[0]
        long = lambda: (failures(cluster, name)[-1] - first).total_seconds() > SESSION
        until(f"{name} cannot renew it for longer than it lasts", long)


def another_failure(cluster):
    for name in cluster.listens:
        before = len(failures(cluster, name))
        until(f"{name} cannot renew its session", lambda: len(failures(cluster, name)) > before)


def test_a_lost_majority_comes_back(cluster):
    get = gnmi_pb2.GetRequest(path=[path("/system/motd", "leaf1")], encoding=gnmi_pb2.JSON_IETF)
    set_ = gnmi_pb2.SetRequest(update=[update("/system/hostname", "never", "leaf1")])
    with Clients(cluster, patience=6 * PATIENCE, timeout=5, gives_up=True) as clients:
        clients.advance()
        cluster.members.kill(0, 1)
        for node in cluster.listens:
            for call in (lambda stub: stub.Get(get, timeout=PATIENCE), lambda stub: stub.Set(set_, timeout=12)):
                told, why = refused(cluster, node, call)
                assert told == grpc.StatusCode.UNAVAILABLE and "store" in why, (node, told, why)
        # Longer than a session lasts. Somebody else may be the master by now, for all they know: devices are left as they are.
        sessions_are_over(cluster)
        for name in cluster.names:
            cluster.sim("drift", cluster.device(name), "/system/motd", "by hand")
        before = {name: sets(cluster, name) for name in cluster.names}
        another_failure(cluster)
        assert before == {name: sets(cluster, name) for name in cluster.names}
        assert {cluster.on_device(name, "/system/motd") for name in cluster.names} == {"by hand"}
        cluster.members.start(0, 1)
        clients.advance()
    nothing_is_lost(cluster, clients)
    for node in cluster.listens:
        cluster.use(node)
        cluster.wait_synchronised()
    statuses = {t["id"]: t["status"] for t in cluster.run("tx", "list", "--limit", "10000")}
    assert "never" not in str(cluster.get("leaf1", "/system")), statuses


def test_however_many_read_they_are_told_why_they_cannot(cluster):
    """Before they hang up, each of them."""
    get = gnmi_pb2.GetRequest(path=[path("/system", "leaf1")], encoding=gnmi_pb2.JSON_IETF)
    cluster.set("leaf1", update=[("/system/motd", "before")])
    cluster.members.kill(0, 1)
    with cluster.stub_of("n1") as stub:
        for error in [asked.exception() for asked in [stub.Get.future(get, timeout=10) for _ in range(20)]]:
            assert code(error) == grpc.StatusCode.UNAVAILABLE and "store" in error.details(), error
    cluster.members.start(0, 1)
    until("it is read again", lambda: cluster.get("leaf1", "/system/motd") == "before")


def test_operators_are_told_that_it_is_not_done(cluster):
    """A cancel, a confirm and an order wait no longer than whoever gave them."""
    made = cluster.run("set", "leaf1", "--update", "/system/motd=maybe", "--confirm", "600")
    index = field(1, made["index"])
    cluster.members.kill(0, 1)
    same = lambda content: content
    orders = {"Confirm": index, "Cancel": index, "OperateTarget": field(1, "leaf2") + field(2, "pause")}
    with grpc.insecure_channel(f"127.0.0.1:{cluster.port}") as channel:
        for name, asked in orders.items():
            with pytest.raises(grpc.RpcError) as error:
                channel.unary_unary(f"/lockstep.v1.Admin/{name}", same, same)(asked, timeout=8)
            assert code(error.value) == grpc.StatusCode.UNAVAILABLE and "store" in error.value.details(), error.value
    cluster.members.start(0, 1)
    # Whether it was done or not: asked again, it is.
    until("it is paused", lambda: cluster.command("target", "pause", "leaf2").returncode == 0)
    assert cluster.run("target", "show", "leaf2")["state"] == "paused"


def test_what_is_left_of_etcd_goes_on_alone(tmp_path):
    """A majority is lost for good. The nodes know all three members, and find the one that is left. That gives up what
    it did not know to be agreed on, which nodes may have seen: they start anew, on what there is."""
    # No trace: the last moment of it may never have been.
    with cluster_of(tmp_path, **{"secret-paths": []}) as cluster:
        with Clients(cluster, timeout=5, gives_up=True) as clients:
            clients.advance()
            cluster.members.kill(0, 1, 2)
            cluster.members.start(2, more=["--force-new-cluster"])
            clients.advance()
        nothing_is_lost(cluster, clients)
        cluster.wait_synchronised()

"""Several nodes on one etcd: any node takes any request, and any may go."""

import itertools
import threading
import time

import grpc
import pytest
from cluster import Cluster

from lab import PATIENCE, code, options, until, update
from pygnmi.spec.v080 import gnmi_pb2
from test_etcd import members


@pytest.fixture
def cluster(tmp_path):
    with members(tmp_path, 3) as started:
        cluster = Cluster(tmp_path, [port for port, _ in started])
        cluster.members = [process for _, process in started]
        try:
            yield cluster.start()
        finally:
            cluster.stop()


# rule: get-nodes
def test_any_node_takes_any_request(cluster):
    for at, name in enumerate(cluster.listens):
        cluster.use(name)
        for target in cluster.names:
            cluster.set(target, update=[("/system/motd", f"{name} {target}")])
            assert cluster.on_device(target, "/system/motd") == f"{name} {target}"
        # What one was told, every other knows.
        for other in cluster.listens:
            cluster.use(other)
            assert cluster.get(cluster.names[0], "/system/motd") == f"{name} {cluster.names[0]}"


RETRY = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}


class Clients:
    """Clients that write to their own target, go to the next node when one fails them, and keep what they were told."""

    def __init__(self, cluster, patience=PATIENCE):
        self.cluster, self.patience = cluster, patience
        self.answered, self.errors, self.stop = {}, [], threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(name,)) for name in cluster.names]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def write(self, target):
        try:
            nodes = itertools.cycle(self.cluster.listens)
            node = next(nodes)
            for number in itertools.count(1):
                if self.stop.is_set():
                    return
                motd, deadline, attempt = f"{target} {number}", time.monotonic() + self.patience, 0
                while True:
                    # Asked again under the same id, it is done once; what was given up is asked for anew.
                    id_ = options(id=f"{motd} {attempt}")
                    request = gnmi_pb2.SetRequest(update=[update("/system/motd", motd, target)], extension=[id_])
                    try:
                        with self.cluster.stub_of(node) as stub:
                            stub.Set(request, timeout=5)
                        break
                    except grpc.RpcError as error:
                        told = (node, code(error), error.details())
                        assert code(error) in RETRY and time.monotonic() < deadline, told
                        attempt += code(error) == grpc.StatusCode.DEADLINE_EXCEEDED
                        node = next(nodes)
                self.answered[target] = number
        except Exception as error:  # a thread would swallow it
            self.errors.append(error)

    def advance(self, by=3):
        """Waits until every client got that much further."""
        before = dict(self.answered)
        done = lambda: all(self.answered.get(t, 0) >= before.get(t, 0) + by for t in self.cluster.names)
        until("every client gets on", lambda: self.errors or done())
        assert not self.errors, self.errors


def nothing_is_lost(cluster, clients):
    for target, number in clients.answered.items():
        until("it is there", lambda: cluster.get(target, "/system/motd") == f"{target} {number}")
        until("on the device", lambda: cluster.on_device(target, "/system/motd") == f"{target} {number}")


def test_a_node_and_a_member_of_etcd_are_lost_under_load(cluster):
    with Clients(cluster) as clients:
        clients.advance()
        cluster.nodes["n1"].kill()
        cluster.use("n2")
        clients.advance()
        cluster.members[0].kill()
        clients.advance()
    nothing_is_lost(cluster, clients)


def test_a_rolling_restart_fails_nobody_who_tries_elsewhere(cluster):
    with Clients(cluster) as clients:
        for name in cluster.listens:
            clients.advance()
            assert cluster.nodes[name].stop() == 0
            cluster.start_node(name)
        clients.advance()
    nothing_is_lost(cluster, clients)


def shares(cluster, by="n1"):
    masters = list(cluster.masters(by).values())
    return {name: masters.count(name) for name in cluster.listens}


def connections(port):
    """How many are connected to a port, as the system knows it."""
    lines = [line.split() for line in open("/proc/net/tcp").read().splitlines()[1:]]
    return sum(fields[2].endswith(f":{port:04X}") and fields[3] == "01" for fields in lines)


# rule: south-one-connection
def test_masterships_are_spread_and_spread_again(cluster):
    even = {name: 2 for name in cluster.listens}
    until("each has its share", lambda: shares(cluster) == even)
    cluster.wait_synchronised()
    assert all(shares(cluster, name) == even for name in cluster.listens)
    two = lambda: {connections(cluster.ports[name]) for name in cluster.names} == {2}
    until("a master and one that stands by are connected to each", two)
    cluster.nodes["n3"].kill()
    until("the others have its share", lambda: shares(cluster) == {"n1": 3, "n2": 3, "n3": 0})
    cluster.start_node("n3")
    until("it has its share again", lambda: shares(cluster) == even)
    cluster.wait_synchronised()


def test_every_node_shows_the_same_of_a_device(cluster):
    until("each has its share", lambda: set(shares(cluster).values()) == {2})
    cluster.wait_synchronised()
    [leaf, *_] = cluster.names
    cluster.set(leaf, update=[("/system/motd", "agreed")])
    cluster.sim("drift", cluster.device(leaf), "/system/motd", "by hand")
    shown = lambda name: next(t for t in cluster.ask(name, "target", "list") if t["name"] == leaf)
    for name in cluster.listens:
        until(f"{name} shows that it drifted", lambda: shown(name)["state"] == "drifted")
        assert "by hand" in shown(name)["reason"] and shown(name)["fencing"] == "device"
        # A node that is not connected to it connects to look: the device has no such state, and says so.
        with pytest.raises(Exception) as looked:
            cluster.use(name)
            cluster.get(leaf, "/system/uptime", datatype="operational")
        assert code(looked.value) == grpc.StatusCode.NOT_FOUND
    assert len({str(shown(name)) for name in cluster.listens}) == 1
    # What is adopted is drift no more, to anybody.
    cluster.ask("n1", "target", "adopt", leaf)
    for name in cluster.listens:
        until(f"{name} shows that it is well", lambda: shown(name)["state"] == "synchronised")

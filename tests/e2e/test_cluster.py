"""Several nodes on one etcd: any node takes any request, and any may go."""

import json

import grpc
import pytest
from cluster import Cluster, Members
from load import Clients, Readers, nothing_is_lost

from lab import PATIENCE, code, until
from test_etcd import members


@pytest.fixture
def cluster(tmp_path):
    with members(tmp_path, 3) as started:
        members_ = Members(tmp_path, started)
        cluster = Cluster(tmp_path, members_.ports)
        cluster.members = members_
        try:
            yield cluster.start()
        finally:
            cluster.stop()
            members_.stop()


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


def test_a_node_and_a_member_of_etcd_are_lost_under_load(cluster):
    """The worst of each: the leader, and the node that is the master of most. Both come back."""
    with Clients(cluster, patience=3 * PATIENCE) as clients:
        clients.advance()
        with Readers(clients, cluster.names[0], patience=3 * PATIENCE) as readers:
            leader = cluster.members.leader()
            node = max(shares(cluster).items(), key=lambda share: share[1])[0]
            cluster.members.kill(leader)
            cluster.nodes[node].kill()
            cluster.use(next(name for name in cluster.listens if name != node))
            clients.advance()
            readers.advance()
            cluster.members.start(leader)
            cluster.start_node(node)
            clients.advance()
            readers.advance()
    nothing_is_lost(cluster, clients)


# Longer than a node that stops waits for those who wait for an answer.
SLOW = "5s"


def test_a_rolling_restart_fails_nobody_who_tries_elsewhere(cluster):
    """Clients hear of nothing worse than UNAVAILABLE, and are answered under the same id: also on a device that takes longer than a
    node does to stop."""
    cluster.sim("delay", cluster.device(cluster.names[-1]), SLOW, "--on", "set")
    with Clients(cluster, timeout=2 * PATIENCE, patience=3 * PATIENCE) as clients:
        clients.advance(1)
        with Readers(clients, cluster.names[0]) as readers:
            for name in cluster.listens:
                clients.advance(1)
                assert cluster.nodes[name].stop() == 0
                readers.advance()
                cluster.start_node(name)
            clients.advance(1)
            readers.advance()
    nothing_is_lost(cluster, clients)


def shares(cluster, by="n1"):
    masters = list(cluster.masters(by).values())
    return {name: masters.count(name) for name in cluster.listens}


def test_two_nodes_of_one_name_are_told(cluster):
    cluster.nodes["n3"].stop()
    config = json.loads(cluster.config("n3").read_text())
    cluster.config("n3").write_text(json.dumps(config | {"node": "n1"}))
    cluster.start_node("n3")
    assert sorted(node["name"] for node in cluster.ask("n2", "node", "list")) == ["n1", "n1", "n2"]
    for name in ("n1", "n3"):
        log = lambda: (cluster.folder / f"{name}.log").read_text()
        until(f"{name} says so", lambda: "another node that runs has the same name" in log())


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

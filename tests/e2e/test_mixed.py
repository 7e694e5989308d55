"""Three nodes are rolled from an earlier version to this one, one by one and under load (`make mixed` builds the earlier one)."""

import os
import pathlib

import pytest
from cluster import Cluster, Members
from load import Clients, Readers, nothing_is_lost

import lab
from lab import PATIENCE
from test_etcd import members
from test_upgrade import LEVEL, level

EARLIER = os.environ.get("EARLIER")
pytestmark = pytest.mark.skipif(not EARLIER, reason="`make mixed` runs this: it takes an earlier version to be built")


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """Of nodes of the earlier version, and devices of this one."""
    with members(tmp_path, 3) as started:
        members_ = Members(tmp_path, started)
        cluster = Cluster(tmp_path, members_.ports)
        for name in cluster.names:
            cluster.start_device(name)
        with monkeypatch.context() as earlier:
            earlier.setattr(lab, "BINARY", pathlib.Path(EARLIER))
            for name in cluster.listens:
                cluster.start_node(name)
        try:
            cluster.wait_synchronised()
            yield cluster
        finally:
            cluster.stop()
            members_.stop()


def test_a_cluster_is_rolled_to_this_version(cluster):
    before = level(cluster.store)
    with Clients(cluster, timeout=2 * PATIENCE, patience=3 * PATIENCE) as clients:
        clients.advance()
        with Readers(clients, cluster.names[0]) as readers:
            for name in cluster.listens:
                assert cluster.nodes[name].stop() == 0
                cluster.start_node(name)
                # All of them at work at once, the earlier and the later ones.
                clients.advance()
                readers.advance()
    nothing_is_lost(cluster, clients)
    cluster.wait_synchronised()
    assert before <= LEVEL == level(cluster.store)

"""Subscribers on several nodes of one etcd: each is told what was changed through any of them."""

import contextlib

import grpc
import pytest
from cluster import Cluster
from pygnmi.spec.v080 import gnmi_pb2

from gnmi import Subscriber, configuration_only, each, leaves, request
from lab import fields, update
from test_etcd import members

COUNT = 8


@pytest.fixture
def cluster(tmp_path):
    with members(tmp_path, 1) as started:
        cluster = Cluster(tmp_path, [port for port, _ in started], devices=2, boxes=1)
        try:
            yield cluster.start()
        finally:
            cluster.stop()


@contextlib.contextmanager
def on_every_node(cluster, first):
    """A subscriber on each node, all that stands read."""
    with contextlib.ExitStack() as stack:
        subscribers = {}
        for name in cluster.listens:
            subscriber = Subscriber(stack.enter_context(cluster.stub_of(name)), first)
            stack.callback(subscriber.close)
            stack.callback(subscriber.call.cancel)
            subscriber.until_sync()
            subscribers[name] = subscriber
        yield subscribers


def transactions(subscriber, count):
    """The next ones, as they were told: each with its index, and what it did where and when."""
    told, parts = [], []
    while len(told) < count:
        message = subscriber.next()
        if message.HasField("update"):
            parts.append((message.update.timestamp, leaves([message.update])))
            continue
        (extension,) = message.extension
        done = fields(fields(fields(extension.SerializeToString())[6][0])[2][0])
        told.append((int(done[2][0]), parts))
        parts = []
    return told


# rule: subscribe-nodes, get-nodes
def test_each_is_told_of_every_transaction_in_one_order(cluster):
    nodes = list(cluster.listens)
    first = request("/system", target="*", extensions=[configuration_only()])
    with on_every_node(cluster, first) as subscribers:
        # One after the other, each through another node, on one target or both.
        answers = []
        for number in range(3 * COUNT):
            targets = [["leaf1"], ["leaf2"], ["leaf1", "leaf2"]][number // 3 % 3]
            asked = gnmi_pb2.SetRequest(update=[update("/system/motd", str(number), name) for name in targets])
            with cluster.stub_of(nodes[number % 3]) as stub:
                timestamp = stub.Set(asked).timestamp
            answers.append([(timestamp, {(name, "/system/motd"): str(number)}) for name in targets])
            with cluster.stub_of(nodes[(number + 1) % 3]) as stub:
                path = asked.update[0].path
                (told,) = stub.Get(gnmi_pb2.GetRequest(path=[path], type=1)).notification
            assert leaves([told]) == {(targets[0], "/system/motd"): str(number)}
        for name, subscriber in subscribers.items():
            told = transactions(subscriber, len(answers))
            assert [parts for _, parts in told] == answers, name
            assert [index for index, _ in told] == sorted(index for index, _ in told), name
        # At the same time through all of them: in whichever order, but the same to everybody.
        def set_(number):
            with cluster.stub_of(nodes[number % 3]) as stub:
                name = ("leaf1", "leaf2")[number // 3 % 2]
                asked = gnmi_pb2.SetRequest(update=[update("/system/motd", f"at once {number}", name)])
                return stub.Set(asked).timestamp, {(name, "/system/motd"): f"at once {number}"}

        answers = each(3 * COUNT, set_)
        streams = [transactions(subscriber, len(answers)) for subscriber in subscribers.values()]
        assert streams[0] == streams[1] == streams[2]
        by_time = lambda one: one[0]
        assert sorted((parts[0] for _, parts in streams[0]), key=by_time) == sorted(answers, key=by_time)


# rule: subscribe-state-nodes
def test_state_comes_through_any_node(cluster):
    master = cluster.masters()["box1"]
    assert master in cluster.listens
    first = request("/box/state", target="box1")
    with on_every_node(cluster, first) as subscribers:
        for name in cluster.listens:
            cluster.use(name)
            cluster.set("box1", update=[("/box/config/name", f"by {name}")])
            for subscriber in subscribers.values():
                assert leaves([subscriber.update()]) == {("box1", "/box/state/name"): f"by {name}"}


# rule: subscribe-nodes
def test_a_node_that_goes_ends_its_subscribers_alone(cluster):
    first = request("/system", target="*", extensions=[configuration_only()])
    with on_every_node(cluster, first) as subscribers:
        assert cluster.nodes["n3"].stop() == 0
        subscribers.pop("n3").fails(grpc.StatusCode.UNAVAILABLE)
        cluster.set("leaf1", update=[("/system/motd", "after")])
        for subscriber in subscribers.values():
            assert leaves([subscriber.update()]) == {("leaf1", "/system/motd"): "after"}

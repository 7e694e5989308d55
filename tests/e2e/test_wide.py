"""One transaction on more targets than one write of the store holds."""

import contextlib
import json
import threading

import grpc
import pytest
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from gnmi import configuration_only, leaves, request, subscribed
from lab import MODELS, Lab, Process, free_ports_in_a_row, options, outcome_of_error, path, update, until

TARGETS = 60


class Network(Lab):
    """As many devices as it takes, in one process."""

    def __init__(self, folder):
        super().__init__(folder, TARGETS)
        first = free_ports_in_a_row(TARGETS)
        self.ports = {name: first + at for at, name in enumerate(self.names)}
        self.write_config()

    def start(self):
        listen = f"127.0.0.1:{self.ports[self.names[0]]}"
        count = ["--count", str(TARGETS)]
        self.devices["all"] = Process(self.folder / "sim.log", "sim", "--models", MODELS, "--listen", listen, *count)
        self.start_node()
        self.wait_all_synchronised()
        return self

    def wait_all_synchronised(self):
        states = lambda: {target["state"] for target in self.run("target", "list")}
        until("all are synchronised", lambda: states() == {"synchronised"})

    def request(self, motd, **given):
        updates = [update("/system/motd", motd, name) for name in self.names]
        return gnmi_pb2.SetRequest(update=updates, extension=[options(**given)] if given else [])

    def banners(self):
        """What the devices themselves show, all of them."""
        return {self.banner(port) for port in self.ports.values()}

    def banner(self, port):
        request = gnmi_pb2.GetRequest(path=[path("/system/motd")], type="CONFIG", encoding="JSON_IETF")
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            try:
                answer = gnmi_pb2_grpc.gNMIStub(channel).Get(request)
                return json.loads(answer.notification[0].update[0].val.json_ietf_val)
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.NOT_FOUND, error
                return None


@pytest.fixture
def lab(tmp_path):
    lab = Network(tmp_path)
    try:
        yield lab.start()
    finally:
        lab.stop()


def test_it_is_applied_everywhere_or_nowhere_and_rolled_back(lab):
    with lab.stub() as stub:
        stub.Set(lab.request("one"))
        assert lab.banners() == {"one"}
        shown = lab.run("tx", "show", "1")
        assert {part["status"] for part in shown["targets"].values()} == {"applied"}

        lab.sim("refuse", lab.device("leaf33"), "/system/motd")
        with pytest.raises(grpc.RpcError) as refused:
            stub.Set(lab.request("two"))
        told = outcome_of_error(refused.value)
        assert told["status"] == "reverted" and told["targets"]["leaf33"]["status"] == "refused"
        assert lab.banners() == {"one"}
    lab.sim("heal", lab.device("leaf33"))
    assert lab.run("rollback", "1", "--yes")["status"] == "applied"
    assert lab.banners() == {None}


def test_a_subscriber_is_told_of_all_of_it_at_its_time(lab):
    first = request("/system/motd", target="*", extensions=[configuration_only()], updates_only=True)
    with subscribed(lab, first) as subscriber, lab.stub() as stub:
        subscriber.until_sync()
        answer = stub.Set(lab.request("one"))
        told = [subscriber.update() for _ in lab.names]
        assert {one.prefix.target for one in told} == set(lab.names)
        assert {one.timestamp for one in told} == {answer.timestamp}
        assert set(leaves(told).values()) == {"one"}


def test_a_node_that_is_killed_at_any_point_leaves_all_or_nothing(lab):
    """What was asked takes effect on every device or on none, however far its node had come."""
    with lab.stub() as stub:
        stub.Set(lab.request("before"))
    for number, questions in enumerate([0, 1, 2, 4], start=2):
        kill_after(lab, f"round {number}", questions)
        lab.start_node()
        lab.wait_all_synchronised()
        until("nothing is open", lambda: all(tx["finished"] for tx in lab.transactions()))
        (shown,) = lab.banners()
        assert {lab.get(name, "/system/motd") for name in ("leaf1", "leaf31", "leaf60")} == {shown}


def kill_after(lab, motd, questions):
    """Sends a change, and kills the node after it has answered so many other questions meanwhile."""
    def send():
        with contextlib.suppress(grpc.RpcError), lab.stub() as stub:
            stub.Set(lab.request(motd, async_=True))

    before = len(lab.transactions())
    sender = threading.Thread(target=send)
    sender.start()
    if questions:
        until("it is in the log", lambda: len(lab.transactions()) > before)
    for _ in range(questions):
        lab.transactions()
    lab.node.kill()
    sender.join()

"""What a node was at when it was killed, or cut off, is carried on by whichever node is there; one that stops hands over first."""

import json
import threading

import grpc
import pytest
from cluster import Cluster, Members
from pygnmi.spec.v080 import gnmi_pb2

from lab import MODELS, PATIENCE, Process, free_ports_in_a_row, options, until, update
from test_etcd import members

UNDONE = {"commit-confirmed": "never", "timeout": "3s"}


def of(tmp_path, count, make):
    """A cluster on an etcd of so many members, until the test is over."""
    with members(tmp_path, count) as started:
        members_ = Members(tmp_path, started)
        cluster = make(members_.ports)
        cluster.members = members_
        try:
            yield cluster.start()
        finally:
            cluster.stop()
            members_.stop()


@pytest.fixture
def cluster(tmp_path):
    """Two nodes, and devices that take nothing on trial."""

    def make(ports):
        cluster = Cluster(tmp_path, ports, nodes=2, devices=2)
        cluster.write_config(each={name: UNDONE for name in cluster.names})
        for name in cluster.listens:
            cluster.write_node(name)
        return cluster

    yield from of(tmp_path, 1, make)


def other(cluster, name):
    return next(node for node in cluster.listens if node != name)


def kill(cluster, name):
    """Whatever asks one node asks one that is left from here on."""
    cluster.nodes[name].kill()
    cluster.use(other(cluster, name))


def refuses(cluster, name, **more):
    """In place of what was wrong with it, in one step: in between, what is tried again would be taken."""
    file = cluster.folder / "faults.yaml"
    file.write_text(json.dumps([{"refuse": {"code": "FAILED_PRECONDITION"}, "paths": "/system/motd", **more}]))
    cluster.sim("faults", cluster.device(name), str(file))


def part(cluster, index, name):
    return cluster.run("tx", "show", str(index))["targets"][name]["status"]


def send(cluster, names, motd, **given):
    updates = [update("/system/motd", motd, name) for name in names]
    with cluster.stub() as stub:
        stub.Set(gnmi_pb2.SetRequest(update=updates, extension=[options(async_=True, **given)]), timeout=PATIENCE)


def test_a_confirm_window_ends_without_the_node_that_opened_it(cluster):
    cluster.set("leaf1", update=[("/system/motd", "before")])
    master = cluster.masters()["leaf1"]
    cluster.use(master)
    made = cluster.run("set", "leaf1", "--update", "/system/motd=tried", "--confirm", "8")
    assert cluster.run("tx", "show", str(made["index"]))["window"] == "open"
    kill(cluster, master)
    shown = lambda: cluster.run("tx", "show", str(made["index"]))
    until("it is taken back", lambda: shown()["window"] == "reverted")
    until("the device has what was before", lambda: cluster.on_device("leaf1", "/system/motd") == "before")
    assert cluster.get("leaf1", "/system/motd") == "before"


def test_a_confirm_window_is_confirmed_without_the_node_that_opened_it(cluster):
    made = cluster.run("set", "leaf1", "--update", "/system/motd=tried", "--confirm", "600")
    kill(cluster, "n1")
    assert cluster.run("tx", "show", str(made["index"]))["window"] == "open"
    assert cluster.run("confirm", str(made["index"]))["window"] == "confirmed"
    cluster.wait_synchronised("leaf1")
    assert cluster.on_device("leaf1", "/system/motd") == "tried"


def test_a_revert_is_carried_on(cluster):
    """One device refuses, and before the other has heard of it the master of both is gone."""
    cluster.set("leaf1", update=[("/system/motd", "before")])
    cluster.sim("hang", cluster.device("leaf2"), "--on", "set")
    send(cluster, cluster.names, "refused", seconds=600)
    index = cluster.transactions()[0]["index"]
    until("leaf1 has it", lambda: part(cluster, index, "leaf1") == "applied")
    # The undo gets nowhere.
    cluster.sim("hang", cluster.device("leaf1"), "--on", "set")
    refuses(cluster, "leaf2")
    until("it turned", lambda: cluster.run("tx", "show", str(index))["status"] == "reverting")
    shown = cluster.run("tx", "show", str(index))["targets"]
    assert shown["leaf2"]["status"] == "refused" and shown["leaf1"]["waiting_for"], shown
    assert cluster.on_device("leaf1", "/system/motd") == "refused"
    kill(cluster, cluster.masters()["leaf1"])
    cluster.sim("heal", cluster.device("leaf1"))
    until("it is reverted", lambda: cluster.run("tx", "show", str(index))["status"] == "reverted")
    until("the device has what was before", lambda: cluster.on_device("leaf1", "/system/motd") == "before")
    assert cluster.get("leaf1", "/system/motd") == "before"


@pytest.fixture
def trying(tmp_path):
    """Two nodes, and devices that take on trial what touches both."""
    yield from of(tmp_path, 1, lambda ports: Cluster(tmp_path, ports, nodes=2, devices=2))


def kinds(cluster, name):
    lines = cluster.sim("journal", cluster.device(name), "--output", "json").splitlines()
    return [json.loads(line)["kind"] for line in lines]


def test_a_trial_is_confirmed_by_the_other_node(trying):
    """All have it on trial, and whoever was about to have it kept is gone."""
    send(trying, trying.names, "before")
    until("it is there", lambda: trying.transactions()[0]["status"] == "applied")
    trying.wait_synchronised()
    trying.sim("hang", trying.device("leaf2"), "--on", "confirm")
    send(trying, trying.names, "tried", seconds=600)
    index = trying.transactions()[0]["index"]
    shown = lambda: trying.run("tx", "show", str(index))
    until("all have accepted", lambda: shown()["stage"] == "confirming")
    kill(trying, trying.masters()["leaf2"])
    trying.sim("heal", trying.device("leaf2"))
    until("it is applied", lambda: shown()["status"] == "applied")
    trying.wait_synchronised()
    assert all(trying.on_device(name, "/system/motd") == "tried" for name in trying.names)
    # It was kept where it was on trial, and neither taken back nor sent again.
    assert "rollback" not in kinds(trying, "leaf2") and "cancel" not in kinds(trying, "leaf2")
    assert kinds(trying, "leaf2").count("confirm") >= 2


class Wide(Cluster):
    """With more targets than one write holds, all in one process."""

    COUNT = 60

    def __init__(self, folder, ports):
        super().__init__(folder, ports, nodes=2, devices=self.COUNT)
        first = free_ports_in_a_row(self.COUNT)
        self.ports = {name: first + at for at, name in enumerate(self.names)}
        self.write_config(each={name: UNDONE for name in self.names})
        for name in self.listens:
            self.write_node(name)

    def start_device(self, name):
        if name == self.names[0]:
            count = ["--listen", self.device(name), "--count", str(self.COUNT)]
            self.devices["all"] = Process(self.folder / "sim.log", "sim", "--models", MODELS, *count)

    def wait_synchronised(self, *_):
        states = lambda: {target["state"] for target in self.run("target", "list")}
        until("all are synchronised", lambda: states() == {"synchronised"})


@pytest.fixture
def wide(tmp_path):
    yield from of(tmp_path, 1, lambda ports: Wide(tmp_path, ports))


def test_a_half_decided_large_transaction_is_carried_on(wide):
    """It is prepared everywhere but on one target, which another transaction holds."""
    first, *_, last = wide.names
    wide.sim("hang", wide.device(last), "--on", "set")
    send(wide, [last], "holds it", seconds=600)

    def ask():
        try:
            send(wide, wide.names, "everywhere", id="wide", seconds=600)
        except grpc.RpcError:
            pass  # it is killed

    asked = threading.Thread(target=ask)
    asked.start()
    named = lambda: next(tx for tx in wide.transactions() if tx["id"] == "wide")
    until("it is in the log", named)
    index = named()["index"]
    waits = lambda name: wide.run("tx", "show", str(index))["targets"][name]["waiting_for"]
    until("it is prepared", lambda: waits(first) == "its other targets")
    assert "holds the target until it has an outcome" in waits(last)
    kill(wide, "n1")
    asked.join()
    assert named()["status"] == "pending"
    wide.sim("heal", wide.device(last))
    until("it is applied", lambda: named()["status"] == "applied")
    wide.wait_synchronised()
    assert {wide.on_device(name, "/system/motd") for name in (first, wide.names[30], last)} == {"everywhere"}
    assert {one["status"] for one in wide.run("tx", "show", str(index))["targets"].values()} == {"applied"}


def decided(wide, motd):
    """A large transaction that is on every device but the last, which says nothing; and its index."""
    first, *_, last = wide.names
    wide.sim("hang", wide.device(last), "--on", "set")
    send(wide, wide.names, motd, seconds=600)
    index = wide.transactions()[0]["index"]
    applied = lambda: {name for name, one in parts(wide, index).items() if one["status"] == "applied"}
    until("it is on all the others", lambda: applied() == set(wide.names) - {last})
    return index


def parts(wide, index):
    return wide.run("tx", "show", str(index))["targets"]


def hold(wide, motd):
    return {wide.on_device(name, "/system/motd") for name in (wide.names[0], wide.names[30], wide.names[-1])} == {motd}


def test_a_decided_large_transaction_is_carried_on(wide):
    index = decided(wide, "everywhere")
    last = wide.names[-1]
    kill(wide, wide.masters()[last])
    wide.sim("heal", wide.device(last))
    until("it is applied", lambda: wide.run("tx", "show", str(index))["status"] == "applied")
    wide.wait_synchronised()
    assert hold(wide, "everywhere")
    assert {one["status"] for one in parts(wide, index).values()} == {"applied"}


def test_a_large_transaction_that_turned_is_carried_on(wide):
    """One device refuses, and of the others one has yet to take it back when its master is gone."""
    send(wide, wide.names, "before")
    until("it is there", lambda: wide.transactions()[0]["status"] == "applied")
    index = decided(wide, "refused")
    first, *_, last = wide.names
    # The undo gets nowhere on one of them.
    wide.sim("hang", wide.device(first), "--on", "set")
    refuses(wide, last, times=1)
    until("it turned", lambda: wide.run("tx", "show", str(index))["status"] == "reverting")
    undone = lambda: [one["status"] for one in parts(wide, index).values()].count("undone")
    until("the others took it back", lambda: undone() == wide.COUNT - 2)
    kill(wide, wide.masters()[first])
    wide.sim("heal", wide.device(first))
    until("it is reverted", lambda: wide.run("tx", "show", str(index))["status"] == "reverted")
    wide.wait_synchronised()
    assert hold(wide, "before")
    assert undone() == wide.COUNT - 1 and parts(wide, index)[last]["status"] == "refused"


def test_a_node_that_stops_hands_over_at_once(cluster):
    """Nobody waits for its lease to end, and the store is left clean."""
    until("each has its share", lambda: set(cluster.masters().values()) == {"n1", "n2"})
    cluster.wait_synchronised()
    terms = {name: cluster.target(name)["term"] for name in cluster.names}
    assert cluster.nodes["n1"].stop() == 0
    cluster.use("n2")
    # The first answer after its end: no session of its, and it is nobody's master.
    assert [node["name"] for node in cluster.run("node", "list")] == ["n2"]
    assert "n1" not in cluster.masters("n2").values()
    cluster.wait_synchronised()
    assert set(cluster.masters("n2").values()) == {"n2"}
    for name in cluster.names:
        cluster.set(name, update=[("/system/motd", "handed over")])
        assert cluster.target(name)["term"] >= terms[name]
    assert cluster.nodes["n2"].stop() == 0
    checked = cluster.command("store", "check", cluster.store)
    assert checked.returncode == 0, checked


@pytest.fixture
def apart(tmp_path):
    """Two nodes, of which the first knows but one member of etcd."""

    def make(ports):
        cluster = Cluster(tmp_path, ports, nodes=2, devices=2)
        each = {name: UNDONE | {"drift": "enforce"} for name in cluster.names}
        # No trace: it would be two halves, since the nodes have different words for their store.
        cluster.write_config(each=each, **{"secret-paths": []})
        for name in cluster.listens:
            cluster.write_node(name)
        config = json.loads(cluster.config("n1").read_text())
        alone = f"etcd://127.0.0.1:{ports[0]}/cluster"
        cluster.config("n1").write_text(json.dumps(config | {"store": alone}))
        return cluster

    yield from of(tmp_path, 3, make)


def terms_since_it_drifted(cluster, name):
    """In which terms a device was asked for something since somebody else changed it, denied or not."""
    lines = cluster.sim("journal", cluster.device(name), "--output", "json").splitlines()
    entries = list(map(json.loads, lines))
    last = max(at for at, entry in enumerate(entries) if entry["kind"] == "drift")
    return [entry["master"]["low"] for entry in entries[last:] if entry["master"]]


@pytest.mark.parametrize("cut, mended", [("kill", "start"), ("pause", "go_on")])
def test_a_node_that_is_cut_off_from_etcd_writes_to_no_device(apart, cut, mended):
    """Its targets go to the other one, and whatever it would like to change it leaves alone: also where nobody tells it that its
    store is gone."""
    until("each has its share", lambda: set(apart.masters().values()) == {"n1", "n2"})
    apart.wait_synchronised()
    theirs = next(name for name, master in apart.masters().items() if master == "n1")
    apart.set(theirs, update=[("/system/motd", "agreed")])
    apart.use("n2")
    term = apart.target(theirs)["term"]
    getattr(apart.members, cut)(0)
    until("it is the other's", lambda: apart.masters("n2")[theirs] == "n2")
    apart.wait_synchronised(theirs)
    assert apart.target(theirs)["term"] > term
    # Both see it, and only one may do something about it.
    apart.sim("drift", apart.device(theirs), "/system/motd", "by hand")
    until("it is as agreed again", lambda: apart.on_device(theirs, "/system/motd") == "agreed")
    terms = terms_since_it_drifted(apart, theirs)
    assert terms and min(terms) > term, terms
    assert apart.nodes["n1"].is_running()
    getattr(apart.members, mended)(0)
    until("it has its share again", lambda: set(apart.masters("n2").values()) == {"n1", "n2"})
    apart.wait_synchronised()

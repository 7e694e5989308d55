"""What a network of many devices costs: real nodes, real etcd, simulated devices, all on this machine.

Each figure stands beside a floor of the same run: the same work done straight on the devices, by one process with the same
concurrency. A part of `make bench`; alone: `bench/run.py --only cluster`.
"""

import base64
import contextlib
import datetime
import http.client
import json
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import grpc
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from network import BINARY, MODELS, Process, cpu, floor, free_ports, memory
from lab import update
from report import met
from test_etcd import ask, members

PATIENCE = 120
# Connections are looked after every 20 s, so that is to fall in a few times.
IDLE = 60
# What a target may take in memory, connected, and what each of its leaves.
ALLOWED, ALLOWED_A_LEAF = 100_000, 300
# So many Sets at once, where writes are counted.
AT_ONCE = 64
# So many devices in a process: each has a file open for itself and for each node that is connected.
AT_A_TIME = 5000


def wait(what, condition, every=0.01):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(grpc.RpcError):
            if found := condition():
                return found
        time.sleep(every)
    raise SystemExit(f"{what}: not within {PATIENCE} s")


class Network:
    """Devices, and the nodes in front of them."""

    def __init__(self, folder, count):
        self.folder, self.nodes, self.ports, self.asked = folder, {}, {}, {}
        self.first = base_port(count)
        self.names = {f"leaf{at}": self.first + at for at in range(count)}
        self.devices = [self.simulate(at, min(AT_A_TIME, count - at)) for at in range(0, count, AT_A_TIME)]

    def simulate(self, at, count):
        """So many devices from this one on, in a process of their own."""
        log, listen = self.folder / f"devices{at}.log", f"127.0.0.1:{self.first + at}"
        process = Process(log, "sim", "--models", MODELS, "--listen", listen, "--count", str(count))
        wait("the devices listen", lambda: "device on" in log.read_text() and reachable(self.first + at + count - 1))
        return process

    def start(self, name, store):
        listen, web = free_ports(2)
        target = lambda port: {"address": f"127.0.0.1:{port}", "insecure": True, "model": "lab-1.0"}
        config = {
            "node": name, "listen": f"127.0.0.1:{listen}", "http": f"127.0.0.1:{web}", "store": store,
            "insecure": True, "models": {"lab-1.0": str(MODELS)},
            "targets": {name: target(port) for name, port in self.names.items()},
        }  # fmt: skip
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps(config))
        self.nodes[name] = Process(self.folder / f"{name}.log", "serve", "--config", path)
        self.ports[name], self.asked[name] = listen, http.client.HTTPConnection("127.0.0.1", web, timeout=PATIENCE)
        wait(f"{name} answers", lambda: reachable(listen))

    def set(self, name, targets, value, timeout=PATIENCE):
        with grpc.insecure_channel(f"127.0.0.1:{self.ports[name]}") as channel:
            begun = time.monotonic()
            changes = [update("/system/motd", value, target) for target in targets]
            gnmi_pb2_grpc.gNMIStub(channel).Set(gnmi_pb2.SetRequest(update=changes), timeout=timeout)
            return time.monotonic() - begun

    def states(self, name):
        """How the targets stand, by the command line, as anybody would ask."""
        server = f"127.0.0.1:{self.ports[name]}"
        told = subprocess.run(
            [BINARY, "target", "list", "--server", server, "--insecure", "--output", "json"],
            capture_output=True,
            check=False,
        )
        return json.loads(told.stdout or "[]")

    def synchronised(self, name):
        """Whether all are; asked on one connection, and answered in a few words, so that to ask often takes little."""
        asked = self.asked[name]
        try:
            asked.request("GET", "/api/v1/summary")
            states = json.load(asked.getresponse())["targets"]
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            asked.close()
            return False
        return states.get("synchronised") == len(self.names) and sum(states.values()) == len(self.names)

    def stop(self):
        for process in [*self.nodes.values(), *self.devices]:
            if process.is_running():
                process.kill()


def base_port(count):
    """The first of so many ports in a row, below those the system hands out."""
    for first in range(10000, 30000 - count, 500):
        if not any(reachable(first + at, 0.05) for at in (0, count // 2, count - 1)):
            return first
    raise SystemExit("no ports in a row are free")


def reachable(port, timeout=1.0):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout):
        return True
    return False


def read_directly(first, count):
    """The floor: seconds to dial and read so many devices, many at once, by a client that does nothing else."""
    return statistics.median(floor("reads", "--first", first, "--count", count)["read_milliseconds"]) / 1000


def slow_device(network, row):
    [slow, *others] = list(network.names)[:51]
    median = lambda tag: statistics.median(network.set("n1", [t], f"{tag} {n}") for n in range(3) for t in others)
    before = median("before")
    address = f"127.0.0.1:{network.names[slow]}"
    subprocess.run([BINARY, "sim", "delay", address, "10s"], check=True, capture_output=True)
    def waits():
        # Its answer is of no interest here, only that it keeps somebody waiting.
        with contextlib.suppress(grpc.RpcError):
            network.set("n1", [slow], "slow", timeout=30)

    waiting = threading.Thread(target=waits)
    waiting.start()
    beside = median("beside")
    waiting.join()
    subprocess.run([BINARY, "sim", "heal", address], check=True, capture_output=True)
    row("median Set beside a device that takes 10 s", f"{beside * 1000:.1f} ms", f"without it: {before * 1000:.1f} ms",
        aim("less than 10 % more", beside < 1.1 * before))  # fmt: skip


def idle(network, row):
    process = network.nodes["n1"]
    before = cpu(process)
    time.sleep(IDLE)
    share = (cpu(process) - before) / IDLE
    row(f"idle at {len(network.names):,} targets, for {IDLE} s", f"{share * 100:.1f} % of a core",
        "three keepalives of each connection are in it", aim("under 2 %", share < 0.02))  # fmt: skip


def memory_of_leaves(network, row):
    """What targets and their leaves take together: every target gets a thousand."""
    ports = [{"name": f"ethernet-1/{at}", "description": f"to rack {at}", "enabled": True, "mtu": 9000} for at in range(250)]
    value = gnmi_pb2.TypedValue(json_ietf_val=json.dumps({"lab:interface": ports}).encode())
    before = memory(network.nodes["n1"])
    with grpc.insecure_channel(f"127.0.0.1:{network.ports['n1']}") as channel:
        stub = gnmi_pb2_grpc.gNMIStub(channel)
        for target in network.names:
            path = gnmi_pb2.Path(target=target, elem=[gnmi_pb2.PathElem(name="interfaces")])
            stub.Set(gnmi_pb2.SetRequest(update=[gnmi_pb2.Update(path=path, val=value)]), timeout=PATIENCE)
    taken, leaves = memory(network.nodes["n1"]), 4 * len(ports)
    each = (taken - before) / len(network.names) / leaves
    allowed = len(network.names) * (ALLOWED + ALLOWED_A_LEAF * leaves)
    row(f"memory of the node, {len(network.names):,} targets of {leaves:,} leaves", f"{taken / 1e6:.0f} MB",
        f"before the leaves {before / 1e6:.0f} MB; {each:.0f} B for each of them",
        aim(f"at most {allowed / 1e6:.0f} MB: 100 kB a target and 300 B a leaf", taken <= allowed))  # fmt: skip


def takeover(network, etcd, row):
    until_synchronised = lambda name: wait("all synchronised", lambda: network.synchronised(name))
    until_synchronised("n2")
    share = lambda: sum(target["master"] == "n1" for target in network.states("n2"))
    wait("the share is even", lambda: share() == len(network.names) // 2, 0.5)
    until_synchronised("n2")
    writes(network, etcd, row)
    victims = [target["name"] for target in network.states("n2") if target["master"] == "n1"]
    reading = read_directly(network.first, len(victims))
    brought = Brought(network.folder / "n2.log")
    network.nodes["n1"].kill()
    killed = time.monotonic()
    wait("its session ends", lambda: sessions(etcd) == 1, 0.005)
    ended, on_the_clock = time.monotonic(), time.time()
    first = []

    def set_first():
        # With a time of its own: until somebody is the master, nothing waits.
        wait("a Set goes through", lambda: network.set("n2", victims[:1], "taken over", timeout=30))
        first.append(time.monotonic() - ended)

    # Beside it, so that neither of the two waits for the other.
    setting = threading.Thread(target=set_first)
    setting.start()
    # Looked at seldom, for that is work for the machine, too. When the last was, the log says.
    wait("all synchronised", lambda: set(victims) <= brought.targets() and network.synchronised("n2"), 0.2)
    everything = brought.last() - on_the_clock
    setting.join()
    [first] = first
    row(f"first Set after kill -9 of the master of {len(victims):,}", f"{first * 1000:.0f} ms after its lease",
        f"the lease ended {ended - killed:.1f} s after the kill", aim("under 1 s", first < 1))  # fmt: skip
    row("all of them synchronised", f"{everything:.2f} s after the lease", f"reading each: {reading:.2f} s",
        aim("within twice that", everything <= 2 * reading))  # fmt: skip


class Brought:
    """The targets that a node brings in line from now on, as its log has them."""

    def __init__(self, log):
        self.log, self.begin = log, log.stat().st_size

    def lines(self):
        said = self.log.read_bytes()[self.begin :].decode()
        return [line for line in said.splitlines() if " synchronised target=" in line]

    def targets(self):
        return {re.search(r" target=(\S+)", line)[1] for line in self.lines()}

    def last(self):
        """When it was the last one's turn, in seconds of the clock."""
        return max(datetime.datetime.fromisoformat(line.split()[0]).timestamp() for line in self.lines())


def writes(network, etcd, row):
    """How many revisions of the store a transaction on one target takes: one after the other, and many at once."""
    targets = list(network.names)[:AT_ONCE]

    def counted(act):
        before = revision(etcd)
        act()
        return (revision(etcd) - before) / len(targets)

    alone = counted(lambda: [network.set("n2", [target], "alone") for target in targets])
    threads = [threading.Thread(target=network.set, args=("n2", [target], "together")) for target in targets]

    def at_once():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    together = counted(at_once)
    row("durable writes for a Set to one target", f"{alone:.1f}", f"{len(targets)} at once: {together:.1f} each",
        aim("two", alone <= 2))  # fmt: skip


def revision(port):
    """How often anything was written to etcd."""
    key = base64.b64encode(b"/bench/").decode()
    return int(ask(port, "kv/range", key=key, count_only=True)["header"]["revision"])


def sessions(port):
    """How many nodes are alive, as etcd knows it."""
    key = lambda text: base64.b64encode(text.encode()).decode()
    found = ask(port, "kv/range", key=key("/bench/data/session/"), range_end=key("/bench/data/session0"), count_only=True)
    return int(found.get("count", 0))


def aim(text, holds):
    return f"{text}; {met(holds)}"


def rows(count):
    """All of it with so many devices, one row after the other."""
    found = []

    def row(what, figure, beside, aimed="–"):
        found.append((what, figure, beside, aimed))
        print(" " * 10, what, figure, beside, aimed, sep="  |  ", flush=True)

    with network(count) as alone:
        begun = time.monotonic()
        alone.start("n1", "./data")
        wait("all synchronised", lambda: alone.synchronised("n1"))
        took = time.monotonic() - begun
        reading = read_directly(alone.first, count)
        row(f"start with {count:,} targets, all synchronised", f"{took:.2f} s", f"reading each: {reading:.2f} s")
        idle(alone, row)
        slow_device(alone, row)
        wait("the slow device is back", lambda: alone.synchronised("n1"), 0.1)
        memory_of_leaves(alone, row)
    # Two nodes share the devices evenly: so many are taken over when one of them is gone.
    with network(2 * count) as shared, members(shared.folder, 3) as started:
        store = "etcd://" + ",".join(f"127.0.0.1:{port}" for port, _ in started) + "/bench"
        shared.start("n1", store)
        shared.start("n2", store)
        takeover(shared, started[0][0], row)
    return found


@contextlib.contextmanager
def network(count):
    with tempfile.TemporaryDirectory() as folder:
        made = Network(pathlib.Path(folder), count)
        try:
            yield made
        finally:
            made.stop()

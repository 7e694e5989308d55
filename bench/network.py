"""What is measured, as processes: nodes, devices, and servers that do nothing; with what each costs."""

import bisect
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
os.environ.setdefault("LOCKSTEP", str(ROOT / "target" / "release" / "lockstep"))
FLOOR = pathlib.Path(os.environ.get("LOCKSTEP_BENCH", ROOT / "target" / "release" / "lockstep-bench"))

sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import lab  # noqa: E402
from lab import BINARY, MODELS, Process, free_ports, free_ports_in_a_row  # noqa: E402
from test_etcd import members  # noqa: E402

# On a machine that is busy with something else.
lab.PATIENCE = 180

OPENCONFIG = os.environ.get("LOCKSTEP_OPENCONFIG")
MODULES = [
    "iana-if-type", "openconfig-interfaces", "openconfig-if-ip", "openconfig-if-ethernet", "openconfig-if-aggregate",
    "openconfig-vlan", "openconfig-network-instance", "openconfig-network-instance-types", "openconfig-acl",
    "openconfig-system", "openconfig-platform",
]  # fmt: skip


def cpu(process):
    """Seconds of CPU that a process has used, with those of threads that have ended; in nanoseconds, where /proc counts in
    ticks of ten milliseconds. This is how the kernel names the clock of a process (clock_getcpuclockid)."""
    return time.clock_gettime((~process.process.pid << 3) | 2)


class Use:
    """What a process has used, looked at every few milliseconds: so that it can be said of the time in which something was
    measured, and not of what it took to set that up and to clear it away."""

    EVERY = 0.005

    def __init__(self, process):
        self.process, self.over, self.times, self.used = process, threading.Event(), [], []

    def __enter__(self):
        self.look()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.look()

    def watch(self):
        while not self.over.wait(self.EVERY):
            self.look()

    def look(self):
        self.used.append(cpu(self.process))
        self.times.append(time.time())

    def at(self, moment):
        """Seconds of CPU up to a moment, by the clock of the day."""
        after = min(max(1, bisect.bisect_left(self.times, moment)), len(self.times) - 1)
        (from_, until), (least, most) = self.times[after - 1 : after + 1], self.used[after - 1 : after + 1]
        share = min(1.0, max(0.0, (moment - from_) / (until - from_))) if until > from_ else 0.0
        return least + (most - least) * share

    def between(self, from_, until):
        return self.at(until) - self.at(from_)


def memory(process):
    status = pathlib.Path(f"/proc/{process.process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def floor(*arguments, **unset):
    """A floor or a peer: what the program beside this one says."""
    env = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run([FLOOR, *map(str, arguments)], capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="bench-") as path:
        yield pathlib.Path(path)


@contextlib.contextmanager
def devices(count):
    """Simulated devices in a process of their own; the port of the first."""
    with folder() as at:
        first = free_ports_in_a_row(count)
        log = at / "devices.log"
        process = Process(log, "sim", "--models", MODELS, "--listen", f"127.0.0.1:{first}", "--count", str(count))
        try:
            lab.until("the devices listen", lambda: log.read_text().count("device on") == count)
            yield first
        finally:
            process.kill()


def listens(port):
    with socket.create_connection(("127.0.0.1", port), 1):
        return True


class Node:
    """A node of its own, on a store of its own."""

    def __init__(self, at, targets, store="./data", **more):
        """`targets`: name → port; none: nobody is there."""
        self.at = at
        self.port, self.http = free_ports(2)
        self.address = f"127.0.0.1:{self.port}"
        models = {"lab-1.0": str(MODELS)}
        if OPENCONFIG:
            models["openconfig"] = {"path": OPENCONFIG, "modules": MODULES}
        # Port 9, discard: nothing listens there.
        place = lambda port: f"127.0.0.1:{port or 9}"
        target = lambda port: {"address": place(port), "insecure": True, "model": "lab-1.0"}
        described = {name: port if isinstance(port, dict) else target(port) for name, port in targets.items()}
        config = {
            "node": "n1", "listen": self.address, "http": f"127.0.0.1:{self.http}", "store": store, "insecure": True,
            "models": models, "targets": described, "limits": {"pending": 10_000_000}, **more,
        }  # fmt: skip
        (at / "lockstep.yaml").write_text(json.dumps(config))
        self.process = Process(at / "node.log", "serve", "--config", at / "lockstep.yaml")
        # It listens once it has loaded everything; to start a process again and again would take from it the core it does
        # that with.
        lab.until("the node listens", lambda: listens(self.port))
        lab.until("the node answers", lambda: self.run("target", "list", "--output", "json") is not None)

    def command(self, *arguments):
        return [BINARY, "--server", self.address, "--insecure", *map(str, arguments)]

    def run(self, *arguments, given=None):
        """A command that must work; what it prints."""
        done = subprocess.run(self.command(*arguments), input=given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{arguments}: {done.stderr}")
        return done.stdout

    def metric(self, name):
        """One figure of /metrics."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith(f"{name} ")))

    def states(self):
        return json.loads(self.run("target", "list", "--output", "json"))

    def synchronised(self):
        lab.until("all are synchronised", lambda: all(one["state"] == "synchronised" for one in self.states()))
        return self

    def pause(self):
        """From now on changes are decided and nothing is sent."""
        for one in self.states():
            self.run("target", "pause", one["name"])
        return self

    def load(self, *arguments, seconds, warm_up=0.5):
        """A load; what came of it, with the CPU that the node used for each answer, and while it was measured."""
        timed = ["--duration", f"{int(seconds * 1000)}ms", "--warm-up", f"{int(warm_up * 1000)}ms"]
        before = cpu(self.process)
        with Use(self.process) as use:
            told = json.loads(self.run("bench", *timed, *arguments, "--yes", "--output", "json"))
        told["cpu_each"] = (cpu(self.process) - before) / max(1, told["changes"]["answered_in_all"])
        told["cpu_measured"] = use.between(moment(told["measured_from"]), moment(told["measured_until"]))
        return told

    def stop(self):
        self.process.kill()


def moment(text):
    return datetime.datetime.fromisoformat(text).timestamp()


@contextlib.contextmanager
def node(targets, **more):
    with folder() as at:
        started = Node(at, targets, **more)
        try:
            yield started
        finally:
            started.stop()


class Empty:
    """A server that does nothing."""

    def __init__(self, *arguments):
        command = [FLOOR, "serve", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]

    def counted(self, count, *arguments):
        """Something that asks it; what came of it, with its CPU for each of what is counted."""
        before = cpu(self)
        told = floor(arguments[0], "--address", self.address, *arguments[1:])
        told["cpu_each"] = (cpu(self) - before) / max(1, told[count])
        return told

    def watched(self, count, *arguments):
        """The same, of no more than the time in which it was counted."""
        with Use(self) as use:
            told = floor(arguments[0], "--address", self.address, *arguments[1:])
        told["cpu_each"] = use.between(told["from"], told["until"]) / max(1, told[count])
        return told


@contextlib.contextmanager
def empty(*arguments):
    server = Empty(*arguments)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


@contextlib.contextmanager
def etcd(count):
    """The ports of a real etcd of so many members; none: there is no etcd here."""
    if not shutil.which("etcd"):
        yield None
        return
    with folder() as at, members(at, count) as started:
        ports = [port for port, _ in started]
        lab.until("etcd answers", lambda: all(healthy(port) for port in ports))
        yield ports


def healthy(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
        return json.load(answer)["health"] in ("true", True)

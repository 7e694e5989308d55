"""A small network to test with: one node and a few simulated devices, each a process of its own."""

import contextlib
import fcntl
import itertools
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import time
import zlib

import grpc
from pygnmi.client import gNMIclient
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("LOCKSTEP", ROOT / "target" / "debug" / "lockstep"))
MODELS = ROOT / "models" / "lab"
# With state, which the simulator has where it mirrors configuration.
BOX = pathlib.Path(__file__).with_name("models")
# What devices are shown, and no log is.
DEVICE_PASSWORD = "sesame-of-the-device"
# Long enough for a machine that is busy with something else; nothing waits for it to pass.
PATIENCE = 30
ATTEMPTS = 6


def free_ports(count):
    """Ports that nobody listens on, and that no connection going out can take before the one they are meant for does:
    they lie below those the kernel gives to such."""
    return list(itertools.islice(filter(is_free, PORTS), count))


def free_ports_in_a_row(count):
    """Likewise; the first of so many with following numbers. All of them are out of the way of whoever asks next."""
    if count > BLOCK // 10:
        return free_blocks(count)
    row = []
    while len(row) < count:
        port = next(PORTS)
        row = [*row, port] if is_free(port) and (not row or port == row[-1] + 1) else []
    return row[0]


def free_blocks(count):
    """For so many that a row of them would hardly fit the block of this process: blocks of their own, the same again
    once they are free."""
    home = next(iter(LOCKS))
    for first in blocks():
        row = range(first, first + count, BLOCK)
        if home not in row and row[-1] in blocks() and all(own(block) for block in row) and all(map(is_free, range(first, first + count))):
            return first
    raise SystemExit(f"there are no {count} ports in a row that nobody has")


def is_free(port):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


# So many ports a process takes from. It comes to one again only after all others.
BLOCK = 2_000
# What this process holds, by the first port.
LOCKS = {}


def blocks():
    """Where each begins."""
    high = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    return range(10_000, high - BLOCK + 1, BLOCK)


def own(block):
    """Whether a block is held by this process, from now on until it ends: no other of these tests takes from it,
    whichever checkout it is of. A port is free, too, while whoever it is meant for is about to start again."""
    if block not in LOCKS:
        lock = open(pathlib.Path(tempfile.gettempdir()) / f"lockstep-ports-{block}", "a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            return False
        LOCKS[block] = lock
    return True


def ports_of_our_own():
    for block in random.sample(blocks(), len(blocks())):
        if own(block):
            return itertools.cycle(range(block, block + BLOCK))
    raise SystemExit(f"all blocks of ports are taken; see {tempfile.gettempdir()}/lockstep-ports-*")


PORTS = ports_of_our_own()


def until(what, condition, patience=PATIENCE):
    """Waits for a condition to hold and gives back what it gave."""
    deadline = time.monotonic() + patience
    while True:
        try:
            found = condition()
            if found:
                return found
            last = found
        except Exception as error:  # it may well fail until it holds
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {patience} s; last: {last!r}")
        time.sleep(0.02)


# Where nodes write down their steps, of all that were started here.
TRACED = set()


def traced(arguments):
    """A node writes down its steps where that is asked for (TRACES=1), those on one store to one file; what is in them
    is checked after everything."""
    if arguments[0] != "serve" or not os.environ.get("TRACES"):
        return []
    config = pathlib.Path(arguments[-1])
    told = json.loads(config.read_text())
    store = zlib.crc32(str(told.get("store")).encode())
    if "secret-paths" in told:
        return []
    trace = config.parent / f"trace-{store:08x}.jsonl"
    TRACED.add(trace)
    return ["--trace", trace]


# The logs of the nodes that were started by this process.
SERVED = set()


class Process:
    """A process whose output is kept, and shown if a test fails."""

    def __init__(self, log, *arguments, **more):
        self.log = log
        arguments = [*arguments, *traced(arguments)]
        if arguments[0] == "serve":
            SERVED.add(pathlib.Path(log))
        with open(log, "ab") as out:
            self.process = subprocess.Popen([BINARY, *arguments], stdout=out, stderr=out, **more)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Stops it as an operator would, and says how it ended."""
        self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not stop:\n{pathlib.Path(self.log).read_text()}") from None

    def is_running(self):
        return self.process.poll() is None


def connect(port):
    """A connection of pygnmi's. A server that ends as it is reached lets a new connection go at once; the client
    then waits for it and does not try again by itself, so it is not waited for long."""
    client = gNMIclient(target=("127.0.0.1", port), insecure=True, gnmi_timeout=PATIENCE)
    for _ in range(ATTEMPTS):
        try:
            return client.connect(timeout=PATIENCE / ATTEMPTS)
        except grpc.FutureTimeoutError:
            client.close()
    raise grpc.FutureTimeoutError()


class Lab:
    """Devices leaf1, leaf2, … and a node in front of them; box1, box2, … are of another model."""

    def __init__(self, folder, devices=3, boxes=0):
        self.folder = folder
        self.kinds = {f"leaf{number}": MODELS for number in range(1, devices + 1)}
        self.kinds |= {f"box{number}": BOX for number in range(1, boxes + 1)}
        self.names = list(self.kinds)
        self.port, self.http, *ports = free_ports(2 + len(self.names))
        self.ports = dict(zip(self.names, ports))
        self.devices = {}
        self.node = None
        self.write_config()

    def write_config(self, each=None, **extra):
        """Writes the file; `each` has more for some targets, by name."""
        address = lambda name: f"127.0.0.1:{self.ports[name]}"
        model = lambda name: "lab-1.0" if self.kinds[name] == MODELS else "box-1.0"
        more = lambda name: (each or {}).get(name, {})
        login = {"username": "admin", "password": DEVICE_PASSWORD}
        target = lambda name: {"address": address(name), "insecure": True, "model": model(name), **login, **more(name)}
        models = {model(name): str(self.kinds[name]) for name in self.names}
        config = {
            "node": "n1",
            "listen": f"127.0.0.1:{self.port}",
            "http": f"127.0.0.1:{self.http}",
            "store": "./data",
            "insecure": True,
            "models": models,
            "targets": {name: target(name) for name in self.names},
            **extra,
        }
        # JSON is YAML.
        (self.folder / "lockstep.yaml").write_text(json.dumps(config))

    def start_device(self, name):
        listen = f"127.0.0.1:{self.ports[name]}"
        log = self.folder / f"{name}.log"
        self.devices[name] = Process(log, "sim", "--models", self.kinds[name], "--listen", listen)

    def start_node(self, wait=True, **more):
        self.node = Process(self.folder / "node.log", "serve", "--config", self.folder / "lockstep.yaml", **more)
        if wait:
            until("the node answers", lambda: self.run("target", "list") is not None)

    def start(self):
        for name in self.names:
            self.start_device(name)
        self.start_node()
        self.wait_synchronised()
        return self

    def stop(self):
        for process in [self.node, *self.devices.values()]:
            if process and process.is_running():
                process.kill()

    def logs(self):
        return "\n".join(f"--- {log.name}\n{log.read_text()}" for log in sorted(self.folder.glob("*.log")))

    # The command line.

    def command(self, *arguments, insecure=True):
        """A command as a script gives it: nobody can be asked."""
        server = ["--server", f"127.0.0.1:{self.port}", *(["--insecure"] if insecure else [])]
        return subprocess.run(
            [BINARY, *server, *arguments], capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
        )

    def run(self, *arguments):
        """A command that must work; what it prints, from JSON."""
        done = self.command(*arguments, "--output", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def sim(self, *arguments):
        done = subprocess.run([BINARY, "sim", *arguments], capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def device(self, name):
        return f"127.0.0.1:{self.ports[name]}"

    def target(self, name):
        return next(target for target in self.run("target", "list") if target["name"] == name)

    def transactions(self):
        return self.run("tx", "list")

    def wait_synchronised(self, *names):
        for name in names or self.names:
            try:
                until(f"{name} is synchronised", lambda: self.target(name)["state"] == "synchronised")
            except AssertionError as error:
                raise AssertionError(f"{error}\n{self.target(name)}\n{self.logs()}") from None

    # gNMI, by a client that nobody here wrote.

    @contextlib.contextmanager
    def client(self, port=None):
        client = connect(port or self.port)
        try:
            yield client
        finally:
            client.close()

    def set(self, target, **operations):
        # pygnmi takes a text for JSON that is already written.
        text = lambda content: json.dumps(content) if isinstance(content, str) else content
        for kind in ("replace", "update"):
            if kind in operations:
                operations[kind] = [(path, text(content)) for path, content in operations[kind]]
        with self.client() as client:
            return client.set(target=target, encoding="json_ietf", **operations)

    def get(self, target, path, datatype="config", encoding="json_ietf"):
        with self.client() as client:
            return value(client.get(target=target, path=[path], datatype=datatype, encoding=encoding))

    def on_device(self, name, path):
        """What the device itself says it holds; nothing: None."""
        with self.client(self.ports[name]) as client:
            try:
                return value(client.get(path=[path], datatype="config", encoding="json_ietf"))
            except Exception as error:
                if code(error) == grpc.StatusCode.NOT_FOUND:
                    return None
                raise

    @contextlib.contextmanager
    def stub(self):
        """gNMI as it is on the wire, for what pygnmi's client has no words for."""
        with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
            yield gnmi_pb2_grpc.gNMIStub(channel)


def value(answer):
    """The value of an answer with one path."""
    (notification,) = answer["notification"]
    (update,) = notification["update"]
    return update["val"]


def code(error):
    """The gRPC code of an error of pygnmi, or of grpc itself."""
    error = getattr(error, "orig_exc", error)
    return error.code()


def message(error):
    return getattr(error, "orig_exc", error).details()


# The wire, written by hand: what is ours beside gNMI is not in pygnmi.


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, content):
    if isinstance(content, bool):
        content = int(content)
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    if isinstance(content, str):
        content = content.encode()
    return varint(number << 3 | 2) + varint(len(content)) + content


def options(**given):
    """Registered extension 999 with lockstep.v1.SetOptions."""
    numbers = {"queued": 1, "async": 2, "dry_run": 3, "comment": 4, "id": 6, "unknown": 15}
    body = b"".join(field(numbers[name.rstrip("_")], content) for name, content in given.items() if name != "seconds")
    if "seconds" in given:
        body += field(5, field(1, given["seconds"]))
    any_ = field(1, "type.googleapis.com/lockstep.v1.SetOptions") + field(2, body)
    request = gnmi_pb2.SetRequest()
    extension = request.extension.add()
    extension.registered_ext.id = 999
    extension.registered_ext.msg = any_
    return extension


def fields(content):
    """The fields of a message on the wire, by number; a number or bytes each, in the order they came."""
    found, at = {}, 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(content):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = content[at : at + value], at + value
        found.setdefault(key >> 3, []).append(value)
    return found


def outcome(any_):
    """A google.protobuf.Any with lockstep.v1.Outcome, as a dictionary."""
    any_ = fields(any_)
    assert any_[1] == [b"type.googleapis.com/lockstep.v1.Outcome"]
    told = fields(any_.get(2, [b""])[0])
    text = lambda message, number: message.get(number, [b""])[0].decode()
    targets = {}
    for entry in told.get(4, []):
        entry = fields(entry)
        one = fields(entry.get(2, [b""])[0])
        names = {1: "status", 2: "code", 3: "message", 4: "waiting_for"}
        targets[text(entry, 1)] = {name: text(one, number) for number, name in names.items()}
    index, left_out = told.get(2, [0])[0], told.get(5, [0])[0]
    return {"id": text(told, 1), "index": index, "status": text(told, 3), "targets": targets, "left_out": left_out}


def outcome_of_error(error):
    """The outcome in the details of an error: a google.rpc.Status in its trailing metadata."""
    metadata = dict(getattr(error, "orig_exc", error).trailing_metadata())
    return outcome(fields(metadata["grpc-status-details-bin"])[3][0])


def outcome_of_answer(answer):
    return outcome(registered(answer, 999))


def registered(answer, number):
    """What an answer has under this number."""
    (found,) = [one.registered_ext.msg for one in answer.extension if one.registered_ext.id == number]
    return found


def path(text, target=""):
    """A path of names without keys; with a target of its own where it has one."""
    elements = [gnmi_pb2.PathElem(name=name) for name in text.strip("/").split("/") if name]
    return gnmi_pb2.Path(elem=elements, target=target)


def update(text, content, target=""):
    typed = gnmi_pb2.TypedValue(json_ietf_val=json.dumps(content).encode())
    return gnmi_pb2.Update(path=path(text, target), val=typed)

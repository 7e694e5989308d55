"""Everything that runs: members of etcd, nodes, devices, and the network between them."""

import contextlib
import json
import pathlib
import shutil
import subprocess
import time
import urllib.request

import disk
from device import Device, ignore, lack
from lab import BINARY, DEVICE_PASSWORD, MODELS, free_ports
from network import Network
from program import Program

HERE = pathlib.Path(__file__).parent
NODES, MEMBERS = ("n1", "n2", "n3"), ("m1", "m2", "m3")
# All clients and operators together, as the network knows them.
CLIENTS = "clients"
GROUP = 10
# Devices of targets that operators add and remove while everything runs, and how those are dealt with.
GUESTS = 4
REACHED = {"insecure": True, "timeout": "2s", "initial": "replace", "drift": "report", "drift-interval": "3s"}
# Enough for what a run writes, and little enough to be filled.
DISK = 192


def ports_in_a_row(count):
    while True:
        ports = free_ports(count)
        if ports[-1] - ports[0] == count - 1:
            return ports


class World:
    """Nodes, members, devices: each with a folder or a log of its own in the folder of the run."""

    def __init__(self, folder, devices=50):
        self.folder = folder
        self.network = Network(folder / "network.log")
        self.names = [f"d{number}" for number in range(1, devices + 1)]
        self.guests = [f"e{number}" for number in range(1, GUESTS + 1)]
        # The pairs that are taken back to how they stood: what is read of the others tells more, without the log.
        self.restorable = [self.names[at : at + 2] for at in range(2, len(self.names), GROUP)]
        self.models = {"lab-1.0": str(MODELS), "lab-2.0": str(self.later_models())}
        self.skipped, self.mounted = [], []
        self.clock, self.brake = self.build_clock(), disk.works()
        if not self.brake:
            self.skipped.append("slow disk: there is no strace here, or it may not trace; a member stood still again and again instead")
        self.devices, self.groups = {}, []
        self.make_devices()
        self.members, self.clients = {}, {}
        self.make_members()
        # Where nodes listen; and where clients come in, over a network that may lose their answers.
        self.nodes, self.listens, self.doors = {}, {}, {}
        for name in NODES:
            self.make_node(name)

    # Devices.

    def make_devices(self):
        for first in range(0, len(self.names), GROUP):
            names = self.names[first : first + GROUP]
            ports = ports_in_a_row(len(names))
            command = [BINARY, "sim", "--models", MODELS, "--listen", f"127.0.0.1:{ports[0]}", "--count", str(len(names))]
            self.groups.append(Program(command, self.folder / f"devices{first // GROUP + 1}.log"))
            for number, (name, port) in enumerate(zip(names, ports)):
                self.devices[name] = Device(port, self.nature(number))
        ports = ports_in_a_row(len(self.guests))
        command = [BINARY, "sim", "--models", MODELS, "--listen", f"127.0.0.1:{ports[0]}", "--count", str(len(ports))]
        self.groups.append(Program(command, self.folder / "guests.log"))
        self.devices |= {name: Device(port) for name, port in zip(self.guests, ports)}

    def address(self, guest):
        return f"127.0.0.1:{self.devices[guest].port}"

    def later_models(self):
        """The same models with one leaf more."""
        folder = self.folder / "models"
        shutil.copytree(MODELS, folder)
        [file] = folder.glob("lab*.yang")
        file.write_text(file.read_text().replace("leaf motd {", "leaf location { type string; }\n    leaf motd {", 1))
        return folder

    def adopts(self, name):
        """Whether what somebody else makes of a device is to stay."""
        return name in self.names and self.names.index(name) % 7 == 5 and self.fences(name)

    def nature(self, number):
        """What a device cannot do, all its life: some try nothing out first, do not tell of changes or have no Get, and the last
        of each ten honours no arbitration."""
        own = [lack("commit-confirmed")] if number % 3 == 1 else []
        own += [lack({4: "on-change", 6: "get"}[number])] if number in (4, 6) else []
        return own + ([ignore("arbitration")] if number == GROUP - 1 else [])

    def fences(self, name):
        return (int(name[1:]) - 1) % GROUP != GROUP - 1

    # etcd.

    def make_members(self):
        clients, peers, links = free_ports(3), free_ports(3), free_ports(3)
        everyone = ",".join(f"{name}=http://127.0.0.1:{port}" for name, port in zip(MEMBERS, links))
        for name, client, peer, link in zip(MEMBERS, clients, peers, links):
            at = lambda port: f"http://127.0.0.1:{port}"
            command = [
                "etcd", "--name", name, "--data-dir", self.disk(name) / "data",
                "--listen-client-urls", at(client), "--advertise-client-urls", at(client),
                "--listen-peer-urls", at(peer), "--initial-advertise-peer-urls", at(link), "--initial-cluster", everyone,
            ]  # fmt: skip
            self.clients[name] = client
            self.members[name] = Program(command, self.folder / f"{name}.log")
            self.network.link(link, peer, server=name)

    def disk(self, name):
        """The last member has a disk of its own that can be full."""
        folder = self.folder / name
        folder.mkdir()
        if name == MEMBERS[-1]:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", "chaos", folder]
            if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
                self.mounted.append(folder)
            else:
                self.skipped += [f"{what}: a file system cannot be mounted here" for what in ("full disk", "disk fills")]
        return folder

    def start_member(self, name):
        self.members[name].start()
        self.network.know(name, self.members[name].process)

    def ask_member(self, name, what, **body):
        request = urllib.request.Request(f"http://127.0.0.1:{self.clients[name]}/v3/{what}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=3) as answer:
            return json.load(answer)

    def ballast(self):
        """The file that fills the disk; none: there is no disk to fill."""
        return self.mounted[0] / "ballast" if self.mounted else None

    # Nodes.

    def make_node(self, name):
        folder = self.folder / name
        folder.mkdir()
        (folder / "clock").write_text("0\n")
        self.listens[name], self.doors[name], http, *ports = free_ports(3 + len(MEMBERS) + len(self.names))
        self.network.link(self.doors[name], self.listens[name], server=name, client=CLIENTS)
        stores, ports = ports[: len(MEMBERS)], ports[len(MEMBERS) :]
        for member, port in zip(MEMBERS, stores):
            self.network.link(port, self.clients[member], server=member, client=name)
        targets = {}
        for at, (target, port) in enumerate(zip(self.names, ports)):
            self.network.link(port, self.devices[target].port, server=target, client=name)
            drift = "adopt" if self.adopts(target) else "report" if at % 7 == 6 else "enforce"
            targets[target] = {"address": f"127.0.0.1:{port}", "insecure": True, "model": "lab-1.0", "timeout": "2s"}
            targets[target] |= {"drift": drift, "drift-interval": "3s", "username": "admin", "password": DEVICE_PASSWORD}
        config = {
            "node": name, "listen": f"127.0.0.1:{self.listens[name]}", "http": f"127.0.0.1:{http}", "insecure": True,
            "store": "etcd://" + ",".join(f"127.0.0.1:{port}" for port in stores) + "/chaos",
            "models": self.models, "targets": targets,
        }  # fmt: skip
        (folder / "lockstep.yaml").write_text(json.dumps(config))
        env = {"CHAOS_CLOCK": str(folder / "clock"), "LD_PRELOAD": str(self.clock)} if self.clock else {}
        # One file for all: every step of every node, in an order in which they can have happened.
        command = [BINARY, "serve", "--config", folder / "lockstep.yaml", "--trace", self.folder / "trace.jsonl"]
        self.nodes[name] = Program(command, folder / "node.log", env)

    def build_clock(self):
        """The library that gives a node a clock of its own; none where there is no compiler."""
        built = self.folder / "clock.so"
        compiler = shutil.which("cc")
        command = [compiler, "-shared", "-fPIC", "-O2", "-o", built, HERE / "clock.c", "-ldl"]
        if compiler and subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return built
        self.skipped.append("clock jump: there is no C compiler here")
        return None

    def set_clock(self, name, seconds):
        (self.folder / name / "clock").write_text(f"{int(seconds * 1e9)}\n")

    # All of it.

    def start(self):
        for group in self.groups:
            group.start()
        for name in MEMBERS:
            self.start_member(name)
        for device in self.devices.values():
            device.set_faults()
        for node in self.nodes.values():
            node.start()

    def run(self, node, *arguments, patience=30):
        """A command of a node that must work; what it prints, from JSON."""
        server = ["--server", f"127.0.0.1:{self.listens[node]}", "--insecure", "--output", "json", "--yes"]
        done = subprocess.run([BINARY, *server, *arguments], capture_output=True, text=True, timeout=patience, check=False)
        if done.returncode:
            raise RuntimeError(f"{node}: {' '.join(arguments)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def programs(self):
        """Everything that is to run, by name: nodes, members, devices and the network."""
        groups = {group.log.stem: group for group in self.groups}
        return {**self.nodes, **self.members, **groups, "network": self.network}

    def look(self):
        """Notes whatever ended by itself."""
        for program in self.programs().values():
            program.look()

    def ends(self):
        self.look()
        return [{"who": name, **end} for name, program in self.programs().items() for end in program.ends]

    def stop(self):
        for program in [*self.nodes.values(), *self.members.values(), *self.groups]:
            program.kill()
        self.network.stop()
        for folder in self.mounted:
            with contextlib.suppress(OSError):
                shutil.copytree(folder, self.folder / "disk", ignore=lambda *_: ["ballast", "data"])
            subprocess.run(["umount", folder], capture_output=True, check=False)


def wait(what, condition, patience):
    """Waits for a condition to hold, and gives back what it gave; it may fail until then."""
    deadline = time.monotonic() + patience
    last = None
    while time.monotonic() < deadline:
        try:
            if last := condition():
                return last
        except Exception as error:  # whatever it is, it may pass
            last = error
        time.sleep(0.2)
    raise TimeoutError(f"{what}: not within {patience} s; last: {last!r}")

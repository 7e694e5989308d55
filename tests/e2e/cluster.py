"""Several nodes on one etcd of several members, in front of the same devices."""

import contextlib
import json
import signal
import subprocess

import grpc
from lab import Lab, Process, free_ports, until
from pygnmi.spec.v080 import gnmi_pb2_grpc
from test_etcd import ask


class Cluster(Lab):
    """A lab with several nodes: n1, n2, … Whatever asks one node asks the first, unless it is told otherwise."""

    def __init__(self, folder, store_ports, nodes=3, devices=6, boxes=0):
        super().__init__(folder, devices, boxes)
        ports = free_ports(2 * nodes)
        self.listens = {f"n{at + 1}": ports[2 * at] for at in range(nodes)}
        self.https = {f"n{at + 1}": ports[2 * at + 1] for at in range(nodes)}
        self.store = "etcd://" + ",".join(f"127.0.0.1:{port}" for port in store_ports) + "/cluster"
        self.nodes = {}
        self.use("n1")
        for name in self.listens:
            self.write_node(name)

    def use(self, name):
        """From here on, whatever asks one node asks this one."""
        self.port = self.listens[name]

    def config(self, name):
        return self.folder / f"{name}.yaml"

    def write_node(self, name):
        config = json.loads((self.folder / "lockstep.yaml").read_text())
        listen, http = f"127.0.0.1:{self.listens[name]}", f"127.0.0.1:{self.https[name]}"
        config |= {"node": name, "store": self.store, "listen": listen, "http": http}
        self.config(name).write_text(json.dumps(config))

    def start_node(self, name="n1", wait=True):
        self.nodes[name] = Process(self.folder / f"{name}.log", "serve", "--config", self.config(name))
        if wait:
            until(f"{name} answers", lambda: self.ask(name, "target", "list") is not None)

    def start(self):
        for name in self.names:
            self.start_device(name)
        for name in self.listens:
            self.start_node(name)
        self.wait_synchronised()
        return self

    def stop(self):
        for process in [*self.nodes.values(), *self.devices.values()]:
            if process.is_running():
                process.kill()

    def ask(self, name, *arguments):
        """A command of this node."""
        before, self.port = self.port, self.listens[name]
        try:
            return self.run(*arguments)
        finally:
            self.port = before

    def masters(self, name="n1"):
        """Who is the master of each target, as this node knows it."""
        return {target["name"]: target["master"] for target in self.ask(name, "target", "list")}

    @contextlib.contextmanager
    def stub_of(self, name):
        with grpc.insecure_channel(f"127.0.0.1:{self.listens[name]}") as channel:
            yield gnmi_pb2_grpc.gNMIStub(channel)


class Members:
    """The members of an etcd, which can be killed and started again."""

    def __init__(self, folder, started):
        self.folder, self.ports = folder, [port for port, _ in started]
        self.processes = [process for _, process in started]

    def kill(self, *numbers):
        for number in numbers:
            self.processes[number].kill()
            self.processes[number].wait()

    def start(self, *numbers, more=()):
        for number in numbers:
            with open(self.folder / f"etcd{number}.log", "ab") as log:
                self.processes[number] = subprocess.Popen([*self.processes[number].args, *more], stdout=log, stderr=log)

    def pause(self, *numbers):
        """Nothing arrives there any more, and nobody is told."""
        for number in numbers:
            self.processes[number].send_signal(signal.SIGSTOP)

    def go_on(self, *numbers):
        for number in numbers:
            self.processes[number].send_signal(signal.SIGCONT)

    def stop(self):
        self.kill(*range(len(self.processes)))

    def leader(self):
        """The number of the one that leads."""
        for number, port in enumerate(self.ports):
            told = ask(port, "maintenance/status")
            if told["leader"] == told["header"]["member_id"]:
                return number
        raise AssertionError("none of them leads")

"""Clients: each writes values that nobody else writes, reads, goes elsewhere with the same id when a node fails it, and
writes down what it was told and when."""

import random
import threading
import time

import grpc

import registers
from wire import Node, told_by

# What has not become clear within this is given up by the client; the transaction's own deadline comes before.
PATIENCE = 8
# Answers after which nobody knows what became of it.
UNCLEAR = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "UNKNOWN", "INTERNAL", "ABORTED", "RESOURCE_EXHAUSTED"}
FINAL = {"applied", "partial", "rejected", "reverted", "cancelled"}
WRITES = {
    "one": 30, "two": 14, "ten": 4, "async": 6, "queued": 12, "queued-async": 6, "delete": 5, "replace": 5,
    "invalid": 3, "rollback": 9, "restore": 4, "wide": 0.5, "queued-wide": 0.5, "window": 3, "guest": 5,
}  # fmt: skip
# How long a change that is to be confirmed waits for that, in seconds.
WINDOW = 2
# How often an id is used again for something else.
OTHER = 0.01
WRITERS, READERS = 10, 4
WRITE_EVERY, READ_EVERY = 0.2, 0.15
# Between attempts, so that nodes that are all away are not asked without end.
PAUSE = 0.3


class Client(threading.Thread):
    """One client, with a choice of its own that follows from the seed."""

    def __init__(self, name, world, history, seed, over):
        super().__init__(name=name, daemon=True)
        self.world, self.history, self.over = world, history, over
        self.random = random.Random(f"{seed} {name}")
        self.nodes = {node: Node(node, port) for node, port in world.doors.items()}
        self.count, self.mine, self.past, self.failure = 0, [], [], None

    def run(self):
        try:
            while not self.over.wait(self.random.expovariate(1 / self.every)):
                self.act()
        except Exception as error:  # a thread would swallow it
            self.failure = error

    def target(self):
        """Some are asked for far more often than others, so that clients meet."""
        names = self.world.names
        return names[int(len(names) * self.random.random() ** 2.5)]

    def pair(self):
        at = self.world.names.index(self.target()) & ~1
        return self.world.names[at : at + 2]

    def attempt(self, operation, call):
        """Asks a node; what it answered, and when."""
        node = self.random.choice(list(self.nodes))
        told = {"node": node, "invoke": time.monotonic()}
        try:
            told["outcome"] = call(self.nodes[node])
            told["code"] = "OK"
        except grpc.RpcError as error:
            told |= {"code": error.code().name, "message": (error.details() or "")[:300], "outcome": told_by(error)}
        told["return"] = time.monotonic()
        operation["attempts"].append(told)
        return told


class Writer(Client):
    every = WRITE_EVERY

    def act(self):
        kind = self.random.choices(list(WRITES), WRITES.values())[0]
        make = {"rollback": self.rollback, "restore": self.restore, "guest": self.guest}.get(kind)
        operation = make() if make else self.change(kind)
        if operation is None:
            return
        asks = {"rollback": "rollback", "restore": "restore"}.get(kind, "set")
        call = lambda node: getattr(node, asks)(operation, PATIENCE)
        while True:
            told = self.attempt(operation, call)
            unclear = told["code"] in UNCLEAR and not (told["outcome"] and told["outcome"]["status"] in FINAL)
            if not unclear or len(operation["attempts"]) == 3 or self.random.random() < 0.2 or self.over.wait(PAUSE):
                break
        if operation["async"] and told["code"] == "OK" and self.random.random() < 0.3:
            self.call_off(operation, told["outcome"]["index"])
        if kind == "window" and told["code"] == "OK" and not self.over.wait(self.random.uniform(0, 2 * WINDOW)):
            self.keep(operation, told["outcome"]["index"])
        if operation["writes"] and told["code"] == "OK" and self.random.random() < OTHER:
            self.ask_otherwise(operation)
        self.history.operation(operation)
        if told["code"] == "OK":
            self.past.append(told["outcome"]["index"])
        if kind not in ("window", "guest") and set().union(*operation["writes"].values()) - {"motd"} and told["code"] == "OK":
            self.mine.append(told["outcome"]["index"])

    def call_off(self, operation, index):
        """What was only decided may not be wanted any more; whether that came in time is one more answer to it."""
        cancel = self.begin("cancel")
        self.attempt(cancel, lambda node: node.cancel(index, PATIENCE))
        operation["cancel"] = cancel["attempts"][0]

    def keep(self, operation, index):
        """It is to stay; that may come too late."""
        confirm = self.begin("confirm")
        self.attempt(confirm, lambda node: node.confirm(index, PATIENCE))
        operation["confirm"] = confirm["attempts"][0]

    def ask_otherwise(self, operation):
        """An id is one request. What else is asked for by it is refused."""
        writes = {target: {"motd": f"v{operation['id']}-other"} for target in operation["writes"]}
        other = {**operation, "kind": "other", "writes": writes, "replaces": False, "attempts": []}
        self.attempt(other, lambda node: node.set(other, PATIENCE))
        operation["other"] = other["attempts"][0]

    def begin(self, kind, **more):
        self.count += 1
        operation = {"kind": kind, "client": self.name, "id": f"{self.name}-{self.count}", "mode": "atomic", "async": False}
        return {**operation, "writes": {}, "attempts": [], **more}

    def change(self, kind):
        operation = self.begin(kind)
        value = f"v{operation['id']}"
        targets = [self.target()]
        if kind in ("two", "invalid"):
            targets = self.pair()
        elif kind == "ten":
            targets = self.random.sample(self.world.names, 10)
        elif kind.endswith("wide"):
            # More than one write to the store holds.
            targets = self.random.sample(self.world.names, len(self.world.names) - 5)
        elif kind.startswith("queued") and self.random.random() < 0.3:
            targets = self.pair()
        if kind in ("one", "two", "ten", "wide", "async", "invalid"):
            writes = {"motd": value}
        elif kind == "replace":
            kept = self.random.sample(registers.PORTS, self.random.randrange(3))
            writes = {name: value if name in kept else None for name in registers.PORTS}
            operation["replaces"] = True
        else:
            name = self.random.choice(registers.NAMES[1:])
            writes = {name: None if kind == "delete" else value}
        operation["async"] = kind in ("async", "queued-async", "wide", "queued-wide")
        operation["mode"] = "queued" if kind.startswith("queued") else "atomic"
        operation["writes"] = {target: dict(writes) for target in targets}
        if kind == "window":
            operation["window"] = WINDOW
        if kind == "invalid":
            operation["invalid"] = targets[-1]
        return operation

    def rollback(self):
        """Of something it did not long ago."""
        if not self.mine:
            return None
        index = self.mine.pop(self.random.randrange(max(0, len(self.mine) - 3), len(self.mine)))
        return self.begin("rollback", of=index, rule=self.random.choice(["path", "target"]))

    def restore(self):
        """To how a target or two stood after something that it did not long ago."""
        if not self.past:
            return None
        pair = self.random.choice(self.world.restorable)
        only = self.random.choice([pair, pair[:1], pair[1:], [self.random.choice(self.world.guests)]])
        return self.begin("restore", to=self.random.choice(self.past[-5:]), only=only)

    def guest(self):
        """A change of a target that comes and goes."""
        operation = self.begin("guest")
        name = self.random.choice(registers.NAMES)
        value = None if name != "motd" and self.random.random() < 0.2 else f"v{operation['id']}"
        operation["mode"] = self.random.choice(["atomic", "queued"])
        operation["writes"] = {self.random.choice(self.world.guests): {name: value}}
        return operation


class Reader(Client):
    every = READ_EVERY

    def act(self):
        targets = self.pair() if self.random.random() < 0.5 else [self.target()]
        if self.random.random() < 0.05:
            targets = [self.random.choice(self.world.guests)]
        operation = {"kind": "get", "client": self.name, "targets": targets, "attempts": []}

        def call(node):
            operation["reads"] = node.get(targets, PATIENCE)

        told = self.attempt(operation, call)
        if told["code"] == "NOT_FOUND" and len(targets) == 1 and "has no data" in told["message"]:
            # That is how gNMI says that there is nothing.
            operation["reads"], told["code"] = {targets[0]: {}}, "OK"
        self.history.operation(operation)


class Watcher(Client):
    """Looks at how targets stand and at what is open, at each node in turn."""

    every = 0.5

    def act(self):
        self.count += 1
        name = list(self.nodes)[self.count % len(self.nodes)]
        starts = self.world.nodes[name].starts
        try:
            opened, now = self.nodes[name].open(PATIENCE), time.monotonic()
            targets = self.nodes[name].targets(PATIENCE)
        except grpc.RpcError as error:
            if error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise
            return
        if starts == self.world.nodes[name].starts:
            self.history.glimpse({"node": name, "time": now, "open": opened})
            self.history.sighting({"node": name, "start": starts, "time": time.monotonic(), "targets": targets})


def start(world, history, seed, over):
    make = lambda kind, letter, count: [kind(f"{letter}{n}", world, history, seed, over) for n in range(1, count + 1)]
    clients = [*make(Writer, "w", WRITERS), *make(Reader, "r", READERS), *make(Watcher, "x", 1)]
    for client in clients:
        client.start()
    return clients

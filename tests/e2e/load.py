"""Clients that write, read and subscribe while nodes come and go: each goes to the next node when one fails it, and holds the
next one to what it was told before."""

import itertools
import threading
import time

import grpc
from gnmi import configuration_only, leaves, request
from lab import PATIENCE, code, options, path, until, update
from pygnmi.spec.v080 import gnmi_pb2

MOTD = "/system/motd"
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


def number(content):
    """Of the write that a banner is of."""
    return int(content.rsplit(" ", 1)[1])


class Load:
    """Threads that go on until the block ends, and whose errors end it."""

    def __init__(self, cluster, patience=PATIENCE):
        self.cluster, self.patience = cluster, patience
        self.errors, self.stop = [], threading.Event()
        self.threads = []

    def run(self, work, *arguments):
        def guarded():
            try:
                work(*arguments)
            except Exception as error:  # a thread would swallow it
                self.errors.append(error)

        self.threads.append(threading.Thread(target=guarded))

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def until(self, what, condition):
        until(what, lambda: self.errors or condition())
        assert not self.errors, self.errors

    def answered_by_some_node(self, nodes, call, retry):
        """Asks one node after the other, until one answers."""
        deadline = time.monotonic() + self.patience
        for node in nodes:
            try:
                with self.cluster.stub_of(node) as stub:
                    return call(stub)
            except grpc.RpcError as error:
                told = (node, code(error), error.details())
                assert code(error) in retry and time.monotonic() < deadline, told
                self.stop.wait(0.02)


class Clients(Load):
    """Clients that write to their own target, and keep what they were told. Whatever happens to nodes, they are to hear of UNAVAILABLE
    at the worst, and to be answered under the same id. Given up at its deadline may be what finds no store for that long."""

    def __init__(self, cluster, patience=PATIENCE, timeout=24, gives_up=False):
        super().__init__(cluster, patience)
        self.timeout, self.gives_up = timeout, gives_up
        self.answered = {}
        for name in cluster.names:
            self.run(self.write, name)

    def write(self, target):
        nodes = itertools.cycle(self.cluster.listens)
        for count in itertools.count(1):
            if self.stop.is_set():
                return
            attempts = (f"{target} {count} {attempt}" for attempt in itertools.count())
            while not self.set(nodes, target, f"{target} {count}", next(attempts)):
                pass
            self.answered[target] = count

    def set(self, nodes, target, motd, id_):
        """Whether it was done; if not, it was given up, and is to be asked for anew."""
        asked = gnmi_pb2.SetRequest(update=[update(MOTD, motd, target)], extension=[options(id=id_)])
        try:
            self.answered_by_some_node(nodes, lambda stub: stub.Set(asked, timeout=self.timeout), {UNAVAILABLE})
        except AssertionError as error:
            if self.gives_up and grpc.StatusCode.DEADLINE_EXCEEDED in error.args[0]:
                return False
            raise
        return True

    def advance(self, by=3):
        """Waits until every client got that much further."""
        before = dict(self.answered)
        done = lambda: all(self.answered.get(t, 0) >= before.get(t, 0) + by for t in self.cluster.names)
        self.until("every client gets on", done)


class Readers(Load):
    """Clients that read one target, by Get and by a subscription: never less than was answered before they asked, nor than they
    saw before."""

    def __init__(self, clients, target, patience=PATIENCE):
        super().__init__(clients.cluster, patience)
        self.clients, self.target = clients, target
        self.read, self.seen, self.told = {"get": 0, "subscribe": 0}, 0, None
        self.run(self.get)
        self.run(self.subscribe)

    def get(self):
        nodes, seen = itertools.cycle(self.cluster.listens), 0
        asked = gnmi_pb2.GetRequest(path=[path(MOTD, self.target)], encoding=gnmi_pb2.JSON_IETF)
        while not self.stop.is_set():
            least = max(seen, self.clients.answered.get(self.target, 0))
            answer = self.answered_by_some_node(nodes, lambda stub: stub.Get(asked, timeout=10), {UNAVAILABLE})
            [content] = leaves(answer.notification).values()
            seen = number(content)
            assert seen >= least, f"Get: {seen} after {least}"
            self.read["get"] += 1

    def subscribe(self):
        nodes = itertools.cycle(self.cluster.listens)
        while not self.stop.is_set():
            self.answered_by_some_node(nodes, self.follow, {UNAVAILABLE})

    def follow(self, stub):
        """Reads until the stream ends, which is an error unless it was ended from here."""
        first = request(MOTD, target=self.target, extensions=[configuration_only()])
        self.told = stub.Subscribe(iter([first]))
        try:
            for message in self.told:
                for content in leaves([message.update]).values():
                    assert number(content) >= self.seen, f"Subscribe: {number(content)} after {self.seen}"
                    self.seen = number(content)
                    self.read["subscribe"] += 1
        except grpc.RpcError:
            if not self.stop.is_set():
                raise

    def __exit__(self, *what):
        self.stop.set()
        self.told.cancel()
        super().__exit__(*what)

    def advance(self, by=1):
        before = dict(self.read)
        self.until("both read", lambda: all(self.read[how] >= before[how] + by for how in before))


def nothing_is_lost(cluster, clients):
    for target, count in clients.answered.items():
        until("it is there", lambda: cluster.get(target, MOTD) == f"{target} {count}")
        until("on the device", lambda: cluster.on_device(target, MOTD) == f"{target} {count}")

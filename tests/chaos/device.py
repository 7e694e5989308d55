"""A simulated device as its own makers see it: lockstep.sim.v1.Control and gNMI on its port, past the network."""

import json

import grpc
from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

from lab import field, fields
from registers import read_tree, register

CONTROL = "/lockstep.sim.v1.Control/"
PATIENCE = 15


def fault(*does, on=(), paths=(), times=0):
    """One fault as it is on the wire: `does` is the number of what it does in Fault, and what that holds."""
    number, content = does
    out = b"".join(field(1, kind) for kind in on) + b"".join(field(2, path) for path in paths)
    return out + (field(4, times) if times else b"") + field(number, content)


def refuse(code, message, after=False, **where):
    return fault(10, field(1, code) + field(2, message) + field(3, after), **where)


def delay(milliseconds, **where):
    return fault(11, field(1, milliseconds), **where)


def hang(milliseconds, **where):
    return fault(12, field(1, milliseconds), **where)


def drop(after, **where):
    return fault(13, field(1, after), **where)


def power_cut(after, keep, **where):
    return fault(14, field(1, after) + field(2, keep), **where)


def rewrite(how, **where):
    return fault(15, field(1, how), **where)


def lack(feature):
    return fault(16, feature)


def ignore(feature):
    return fault(17, feature, on=["any"])


class Device:
    """One device. `own` are the faults it has all its life."""

    def __init__(self, port, own=()):
        self.port, self.own = port, list(own)
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.max_reconnect_backoff_ms", 500)])

    def ask(self, method, content=b"", wait_for_ready=True):
        same = lambda content: content
        call = self.channel.unary_unary(CONTROL + method, same, same)
        return call(content, timeout=PATIENCE, wait_for_ready=wait_for_ready)

    def set_faults(self, *more):
        self.ask("SetFaults", field(1, b"".join(field(2, one) for one in [*self.own, *more])))

    def restart(self, keep):
        self.ask("Restart", field(1, keep))

    def drift(self, path, value):
        self.ask("Drift", field(1, path) + field(2, json.dumps(value)))

    def journal(self):
        """Every entry that is kept, with what it changed of our registers."""
        return [entry(one) for one in fields(self.ask("GetJournal", field(2, True))).get(1, [])]

    def holds(self):
        """What it holds now, by register. Asked on a connection of its own: one that is older than a restart is of no use. A
        device that has no Get is given one for this."""
        self.ask("SetFaults", b"")
        request = gnmi_pb2.GetRequest(path=[gnmi_pb2.Path()], type=gnmi_pb2.GetRequest.CONFIG, encoding=gnmi_pb2.JSON_IETF)
        with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
            answer = gnmi_pb2_grpc.gNMIStub(channel).Get(request, timeout=PATIENCE, wait_for_ready=True)
        return read_tree(update for notification in answer.notification for update in notification.update)


def entry(content):
    one = fields(content)
    text = lambda number: one.get(number, [b""])[0].decode()
    master = fields(one[5][0]) if 5 in one else {}
    changes = {}
    for change in map(fields, one.get(14, [])):
        if name := register(change[1][0].decode()):
            changes[name] = change[2][0].decode() if 2 in change else None
    told = fields(one[11][0]) if 11 in one else {}
    return {
        "number": one[1][0],
        "time": one[2][0] / 1e9,
        "boot": one.get(3, [0])[0],
        "kind": text(4),
        "term": master.get(3, [0])[0] if master else None,
        "epoch": master.get(2, [0])[0] if master else None,
        "code": text(7),
        "told": told.get(1, [b""])[0].decode(),
        "late": bool(one.get(10, [0])[0]),
        "commit": text(13),
        # The names of the faults that had a part in it.
        "faults": [name.decode() for name in one.get(12, [])],
        "paths": [path.decode() for path in one.get(6, [])],
        "changes": changes,
    }

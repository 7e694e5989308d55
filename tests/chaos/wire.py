"""What is said to a node, and what is made of its answers: gNMI, and what Lockstep has beside it."""

import json

import grpc
from google.protobuf import struct_pb2
from pygnmi.spec.v080 import gnmi_ext_pb2, gnmi_pb2, gnmi_pb2_grpc

import registers
from gnmi import configuration_only, request
from lab import field, fields, outcome_of_answer, outcome_of_error

ADMIN = "/lockstep.v1.Admin/"
RECONNECT = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 1000)]
OPEN = ("pending", "committed", "reverting")
same = lambda content: content


class Node:
    """A node as one client sees it."""

    def __init__(self, name, port):
        self.name = name
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=RECONNECT)
        self.gnmi = gnmi_pb2_grpc.gNMIStub(self.channel)

    def set(self, operation, timeout):
        answer = self.gnmi.Set(set_request(operation), timeout=timeout)
        return outcome_of_answer(answer)

    def rollback(self, operation, timeout):
        content = field(1, operation["of"]) + field(2, int(operation["rule"] == "path")) + field(5, operation["id"])
        told = fields(self.ask("Rollback", content, timeout))
        return transaction(told[1][0])

    def restore(self, operation, timeout):
        content = field(1, operation["to"]) + b"".join(field(2, target) for target in operation["only"]) + field(7, operation["id"])
        return transaction(fields(self.ask("Restore", content, timeout))[1][0])

    def cancel(self, index, timeout):
        return transaction(fields(self.ask("Cancel", field(1, index), timeout))[1][0])

    def confirm(self, index, timeout):
        return transaction(fields(self.ask("Confirm", field(1, index), timeout))[1][0])

    def operate(self, target, order, timeout):
        self.ask("OperateTarget", field(1, target) + field(2, order), timeout)

    def open(self, timeout):
        """Atomic transactions without an outcome, each with the seconds between its submission and its deadline."""
        found = []
        asked = field(1, 1000) + b"".join(field(3, status) for status in OPEN)
        for one in map(fields, fields(self.ask("ListTransactions", asked, timeout)).get(1, [])):
            if one[14][0] == b"atomic" and 21 in one:
                found.append([one[1][0], max(0.0, seconds(one[21][0]) - seconds(one[7][0]))])
        return found

    def compact(self, timeout):
        """The log stays, and what the store keeps of the past goes."""
        self.ask("Compact", b"", timeout)

    def add_target(self, target, operation, options, timeout):
        content = field(1, target) + field(2, struct(options)) + field(4, operation["id"])
        return transaction(fields(self.ask("AddTarget", content, timeout))[1][0])

    def set_target(self, target, operation, options, timeout):
        content = field(1, target) + field(2, struct(options)) + field(4, operation["id"])
        return transaction(fields(self.ask("SetTarget", content, timeout))[1][0])

    def remove_target(self, target, operation, timeout):
        return transaction(fields(self.ask("RemoveTarget", field(1, target) + field(3, operation["id"]), timeout))[1][0])

    def changes(self, index, timeout):
        """What a transaction changed, by target and register."""
        found = {}
        for one in map(fields, fields(self.ask("GetTransaction", field(1, index) + field(2, True), timeout)).get(2, [])):
            values = found.setdefault(one[1][0].decode(), {})
            for change in map(fields, one.get(2, [])):
                if name := registers.register(change[1][0].decode()):
                    values[name] = json.loads(change[3][0]) if 3 in change else None
        return found

    def at(self, target, index, timeout):
        """All registers of a target as they stood after an entry of the log."""
        asked = field(1, field(1, target) + field(3, index))
        found = map(fields, fields(self.ask("GetConfiguration", asked, timeout)).get(1, []))
        return registers.of_trees(one[2][0] for one in found)

    def get(self, targets, timeout):
        """All registers of one target, or of several at once."""
        paths = [gnmi_pb2.Path(target=target) for target in targets]
        request = gnmi_pb2.GetRequest(path=paths, type=gnmi_pb2.GetRequest.CONFIG, encoding=gnmi_pb2.JSON_IETF)
        found = {target: {} for target in targets}
        for notification in self.gnmi.Get(request, timeout=timeout).notification:
            for update in notification.update:
                target = notification.prefix.target or update.path.target
                found[target] |= registers.read_tree([update])
        return found

    def follow(self):
        """The configuration of all targets, and each change of it from then on."""
        return self.gnmi.Subscribe(iter([request("/", target="*", extensions=[configuration_only()])]))

    def targets(self, timeout):
        """How targets stand: committed, applied, term, master, state."""
        found = {}
        for one in map(fields, fields(self.ask("ListTargets", b"", timeout)).get(1, [])):
            number = lambda at: one.get(at, [0])[0]
            text = lambda at: one.get(at, [b""])[0].decode()
            found[text(1)] = [number(9), number(10), number(5), text(4), text(6)]
        return found

    def ask(self, method, content, timeout):
        return self.channel.unary_unary(ADMIN + method, same, same)(content, timeout=timeout)


def seconds(content):
    """A google.protobuf.Timestamp."""
    one = fields(content)
    return one.get(1, [0])[0] + one.get(2, [0])[0] / 1e9


def transaction(content):
    one = fields(content)
    text = lambda number: one.get(number, [b""])[0].decode()
    return {"index": one.get(1, [0])[0], "id": text(2), "status": text(4), "window": text(17), "targets": {}}


def struct(options):
    """What is said of a target."""
    content = struct_pb2.Struct()
    content.update(options)
    return content.SerializeToString()


def options(operation):
    """Registered extension 999 with lockstep.v1.SetOptions."""
    body = field(1, operation["mode"] == "queued") + field(2, operation["async"]) + field(6, operation["id"])
    if seconds := operation.get("window"):
        body += field(7, field(1, seconds))
    extension = gnmi_ext_pb2.Extension()
    extension.registered_ext.id = 999
    extension.registered_ext.msg = field(1, "type.googleapis.com/lockstep.v1.SetOptions") + field(2, body)
    return extension


def set_request(operation):
    """The Set that writes what an operation is to write."""
    request = gnmi_pb2.SetRequest()
    request.extension.append(options(operation))
    for target, writes in operation["writes"].items():
        if operation.get("replaces"):
            ports = [{"name": name, "description": value} for name, value in writes.items() if value is not None]
            interfaces = gnmi_pb2.Path(elem=[gnmi_pb2.PathElem(name="interfaces")], target=target)
            request.replace.append(gnmi_pb2.Update(path=interfaces, val=typed({"interface": ports})))
            continue
        for name, value in writes.items():
            if value is None:
                request.delete.append(registers.path(name, target, whole=True))
            else:
                request.update.append(gnmi_pb2.Update(path=registers.path(name, target), val=typed(value)))
    if target := operation.get("invalid"):
        # A jumbo MTU needs an interface that is enabled.
        wrong = {"interface": [{"name": "wrong", "enabled": False, "mtu": 9000}]}
        interfaces = gnmi_pb2.Path(elem=[gnmi_pb2.PathElem(name="interfaces")], target=target)
        request.update.append(gnmi_pb2.Update(path=interfaces, val=typed(wrong)))
    return request


def typed(content):
    return gnmi_pb2.TypedValue(json_ietf_val=json.dumps(content).encode())


def told_by(error):
    """The outcome that an error carries; none: it does not say what became of it."""
    try:
        return outcome_of_error(error)
    except Exception:  # an error without details, or with others
        return None

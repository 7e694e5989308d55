"""Malformed messages to every RPC of a running node: an error each time, and the node goes on.

Which RPCs there are, and what their messages look like, is asked of the node itself. LOCKSTEP_FUZZ says how many
messages each of them gets; `make fuzz` sends tens of thousands."""

import collections
import os
import random

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import DecodeError
from pygnmi.spec.v080 import gnmi_ext_pb2, gnmi_pb2

from gnmi import POLL, commit, configuration_only, depth, each, once, place, registered, request, snapshot, subscription
from lab import Lab, field, fields, options, until, varint
from test_rules import typed

COUNT = int(os.environ.get("LOCKSTEP_FUZZ", "60"))
SEED = int(os.environ.get("LOCKSTEP_SEED", "1"))
# So many at once, each with dice of its own.
HANDS = 4
REFLECTION = "grpc.reflection.v1.ServerReflection"

# What a client may be answered. UNKNOWN and INTERNAL would be faults of the node's own.
CODES = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.OUT_OF_RANGE,
}


def is_expected(error):
    """Whether it is one of those; or what the server's library says where a client's time was over before it had hung up."""
    return error.code() in CODES or (error.code(), error.details()) == (grpc.StatusCode.CANCELLED, "Timeout expired")


class Rpc:
    """One RPC, and what its requests are."""

    def __init__(self, name, kind, requests, streams):
        self.name, self.kind, self.requests = name, kind, requests
        # Some become streams without an end.
        self.timeout = 0.2 if streams else 3

    def call(self, channel, messages):
        """Sends them; the error, if it was one."""
        try:
            # To a server, one message is a stream of one.
            for _ in channel.stream_stream(self.name, same, same)(iter(messages), timeout=self.timeout):
                pass
        except grpc.RpcError as error:
            return error
        return None


def same(content):
    return content


def asked(channel, request):
    """What server reflection answers."""
    (answer,) = channel.stream_stream(f"/{REFLECTION}/ServerReflectionInfo", same, same)(iter([request]))
    return fields(answer)


def rpcs(channel):
    """Every RPC that the node says it has, by name."""
    services = [fields(one)[1][0].decode() for one in fields(asked(channel, field(7, ""))[6][0])[1]]
    files = {}

    def add(answer):
        for content in fields(answer[4][0])[1]:
            file = descriptor_pb2.FileDescriptorProto.FromString(content)
            if files.setdefault(file.name, file) is file:
                for name in file.dependency:
                    add(asked(channel, field(3, name)))

    for service in services:
        add(asked(channel, field(4, service)))
    pool = descriptor_pool.DescriptorPool()
    waiting = dict(files)
    while waiting:
        ready = [file for file in waiting.values() if not set(file.dependency) & set(waiting)]
        for file in ready:
            pool.Add(waiting.pop(file.name))
    found = {}
    for service in services:
        for method in pool.FindServiceByName(service).methods:
            kind = message_factory.GetMessageClass(method.input_type)
            good = [kind.FromString(one.SerializeToString()) for one in seeds().get(method.full_name, [])]
            good += [json_format.ParseDict(one, kind()) for one in ADMIN.get(method.full_name, [])]
            name = f"/{service}/{method.name}"
            found[name] = Rpc(name, kind, good or [kind()], method.server_streaming)
    return found


# Good messages of the admin service, by RPC.
ADMIN = {
    "lockstep.v1.Admin.AddTarget": [{"name": "more", "options": {"address": "127.0.0.1:1", "model": "lab-1.0"}}],
    "lockstep.v1.Admin.SetTarget": [{"name": "more", "options": {"timeout": "1s"}}],
    "lockstep.v1.Admin.RemoveTarget": [{"name": "more"}, {"name": "leaf1"}],
    "lockstep.v1.Admin.OperateTarget": [{"name": "leaf1", "order": "sync"}, {"name": "leaf2", "order": "adopt"}],
    "lockstep.v1.Admin.Rollback": [{"index": 1}, {"index": 2, "targets": ["leaf1"]}],
    "lockstep.v1.Admin.Restore": [{"index": 1, "targets": ["leaf1"]}],
}


def seeds():
    """Good messages of gNMI, by RPC, to be spoiled."""
    leaf1 = lambda text="": place(text, "leaf1")
    update = lambda text, content: gnmi_pb2.Update(path=place(text), val=typed(content))
    extensions = [options(dry_run=True), depth(1), snapshot(5), configuration_only(), registered(111, b"\x08\x01")]
    set_ = lambda **more: gnmi_pb2.SetRequest(prefix=leaf1(), **more)
    master = gnmi_ext_pb2.MasterArbitration(election_id=gnmi_ext_pb2.Uint128(low=1))
    master = gnmi_ext_pb2.Extension(master_arbitration=master)
    vlans = [subscription("/vlans"), subscription("/system/*", "SAMPLE", sample_interval=10**9)]
    return {
        "gnmi.gNMI.Capabilities": [gnmi_pb2.CapabilityRequest(), gnmi_pb2.CapabilityRequest(extension=extensions[1:])],
        "gnmi.gNMI.Get": [
            gnmi_pb2.GetRequest(prefix=leaf1("/system"), path=[place("motd")], type=1, encoding=4),
            gnmi_pb2.GetRequest(path=[place("/vlans/vlan[id=*]/name", "*")], type=1, extension=[depth(2)]),
            gnmi_pb2.GetRequest(path=[leaf1("/.../name")], type=1, use_models=[gnmi_pb2.ModelData(name="lab")]),
            gnmi_pb2.GetRequest(path=[place("/box", "box1")], type=0, encoding=2),
        ],
        "gnmi.gNMI.Set": [
            set_(update=[update("/system", {"motd": "x", "name-server": ["a"]})], extension=extensions[:1]),
            set_(replace=[update("/vlans/vlan[id=7]", {"id": 7})], extension=extensions[:1]),
            set_(delete=[place("/vlans/vlan[id=*]")], extension=[extensions[0], master]),
            set_(update=[update("/system/motd", "x")], extension=[commit("c", "commit", 1), options(dry_run=True)]),
            gnmi_pb2.SetRequest(extension=[commit("c", "confirm")]),
            gnmi_pb2.SetRequest(extension=[commit("c", "set_rollback_duration", 1), master]),
            set_(update=[update("/vlans/vlan[id=9]/name", "nine")], extension=[registered(111, b"\x08\x00")]),
        ],
        "gnmi.gNMI.Subscribe": [
            request(*vlans, mode="ONCE", extensions=[configuration_only()]),
            request(*vlans, mode="ONCE", target="*", extensions=[depth(2), configuration_only()]),
            request("/system", mode="POLL", extensions=[configuration_only()]),
            request("/box", mode="STREAM", target="box1"),
            POLL,
        ],
    }


def spoiled(dice, message):
    """A message with something wrong in it."""
    data = bytearray(message)
    for _ in range(dice.choice([1, 1, 1, 2, 4])):
        at = dice.randrange(len(data) + 1)
        kind = dice.randrange(7)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del data[at:]
        elif kind == 2:
            data[at:at] = dice.randbytes(dice.randint(1, 8))
        elif kind == 3:
            data[at : at + dice.randint(1, 6)] = b""
        elif kind == 4:
            data[at:at] = field(dice.randint(1, 20), dice.randbytes(dice.randint(0, 12)))
        elif kind == 5:
            data[at:at] = varint(dice.getrandbits(dice.choice([8, 31, 63])))
        elif data:
            data[at % len(data)] = dice.choice(b'\x00\xff[]/*.{}"\\=')
    return bytes(data)


STRANGE = ["", "*", "...", "/", "[", "]", "=", "a]b", "ü", "\0", "\\", "x" * 3000, "lab:system", "leaf1", "leaf2", "box1", "nobody", "address", "127.0.0.1:1", "sync", "pause", "resume", "adopt", "claim", "lab-1.0", "$HOME"]
JSON = [b"", b"{", b"[]", b"null", b"{}", b'{"lab:motd":{}}', b"[[[[", b"1e999", b"-0", b'"\\ud800"', b"\xff", b"[" * 5000]
NUMBERS = [0, 1, 2, 3, 4, 7, 99, 999, 2**31 - 1]


def twisted(dice, message):
    """A message that can be decoded, with something strange in it."""
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        twist(dice, message)
    return message.SerializeToString()


def twist(dice, message):
    """Changes one field somewhere in it."""
    if not message.DESCRIPTOR.fields:
        return
    name = dice.choice([one.name for one in message.DESCRIPTOR.fields])
    known = message.DESCRIPTOR.fields_by_name[name]
    value = getattr(message, name)
    is_map = known.message_type is not None and known.message_type.GetOptions().map_entry
    if is_map and known.message_type.fields_by_name["value"].message_type is not None:
        twist(dice, value[dice.choice(STRANGE)])
    elif is_map:
        value[dice.choice(STRANGE) or "k"] = dice.choice(STRANGE)
    elif known.message_type is not None and hasattr(value, "add"):
        if not value or dice.random() < 0.2:
            value.add()
        elif dice.random() < 0.1:
            del value[:]
        if value:
            twist(dice, dice.choice(value))
    elif known.message_type is not None:
        if known.message_type.fields:
            value.SetInParent()
            twist(dice, value)
        else:
            value.SetInParent()
    elif hasattr(value, "append"):
        value.append(strange(dice, known))
    else:
        setattr(message, name, strange(dice, known))


def strange(dice, known):
    """A value for a scalar field."""
    if known.type == known.TYPE_STRING:
        return dice.choice(STRANGE)
    if known.type == known.TYPE_BYTES:
        return dice.choice(JSON + [dice.randbytes(9)])
    if known.type == known.TYPE_BOOL:
        return dice.random() < 0.5
    if known.type in (known.TYPE_FLOAT, known.TYPE_DOUBLE):
        return dice.choice([0.0, -1.5, float("nan"), float("inf"), 1e300 if known.type == known.TYPE_DOUBLE else 1.0])
    return dice.choice(NUMBERS)


def is_readable(rpc, message):
    """Or need not be: server reflection is not ours, and just ends."""
    if "ServerReflection" in rpc.name:
        return True
    # prost takes an entry of a map for what it is, whatever wire type it says.
    entry = lambda at: message[:at] + bytes([message[at] & ~7 | 2]) + message[at + 1 :]
    return any(parses(rpc.kind, one) for one in (message, *map(entry, range(len(message)))))


def parses(kind, message):
    try:
        kind.FromString(message)
        return True
    except DecodeError:
        return False


def fuzzed(dice, rpc, channel):
    """One message, or a good one and then another: the error, and what was sent."""
    copy = rpc.kind.FromString(dice.choice(rpc.requests).SerializeToString())
    data = spoiled(dice, copy.SerializeToString()) if dice.random() < 0.4 else twisted(dice, copy)
    second = rpc.name.endswith("Subscribe") and dice.random() < 0.3
    sent = [dice.choice(rpc.requests).SerializeToString(), data] if second else [data]
    return rpc.call(channel, sent), sent


@pytest.fixture
def lab(tmp_path):
    """A lab of its own: what is asked of it may well be done."""
    lab = Lab(tmp_path, devices=2, boxes=1)
    try:
        yield lab.start()
    finally:
        lab.stop()


# rule: fuzz
def test_malformed_messages_are_errors_and_nothing_else(lab):
    address = f"127.0.0.1:{lab.port}"
    for number in range(5):
        lab.set("leaf1", update=[("/system/motd", str(number))])
    with grpc.insecure_channel(address) as channel:
        found = rpcs(channel)
    assert {"/gnmi.gNMI/Set", "/lockstep.v1.Admin/Rollback", "/grpc.health.v1.Health/Check"} <= set(found)

    def hand(number):
        """One of several at work at once: what it counted, and what was wrong."""
        tally = collections.Counter()
        with grpc.insecure_channel(address) as channel:
            for rpc in found.values():
                dice = random.Random(f"{SEED} {number} {rpc.name}")
                for at in range(number, COUNT, HANDS):
                    error, sent = fuzzed(dice, rpc, channel)
                    name = error.code().name if error else "OK"
                    tally[rpc.name, name] += 1
                    # What comes after the first may come too late to be read.
                    if not is_expected(error) if error else not is_readable(rpc, sent[0]):
                        return tally, (SEED, number, at, rpc.name, sent, error)
        return tally, None

    done = each(HANDS, hand)
    tally = sum((one for one, _ in done), collections.Counter())
    wrong = [one for _, one in done if one]
    lines = sorted(f"{rpc} {name}: {n}" for (rpc, name), n in tally.items())
    print(f"seed {SEED}, {COUNT} messages to each of {len(found)} RPCs, {sum(tally.values())} in all:", *lines, sep="\n")
    assert not wrong, wrong
    assert sum(tally.values()) == COUNT * len(found)
    errors = sum(count for (_, name), count in tally.items() if name != "OK")
    assert errors > COUNT
    # The node goes on, and nothing in it panicked.
    assert lab.node.is_running()
    log = lab.node.log.read_text()
    assert "panicked" not in log, log[-3000:]
    until("it serves as before, once what was asked of it is called off", lambda: settled(lab))
    assert once(lab, "/system/motd", extensions=[configuration_only()]) == {("leaf1", "/system/motd"): "still here"}


def settled(lab):
    for name in lab.names:
        lab.command("target", "resume", name)
    for one in lab.transactions():
        if one["status"] in ("pending", "committed") or one.get("window") == "open":
            lab.command("cancel", str(one["index"]))
    lab.set("leaf1", update=[("/system/motd", "still here")])
    return True

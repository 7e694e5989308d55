"""Malformed messages to every RPC of a running node: an error each time, and the node goes on.

LOCKSTEP_FUZZ says how many for each RPC; `make fuzz` sends tens of thousands."""

import os
import random

import grpc
from google.protobuf.message import DecodeError
from pygnmi.spec.v080 import gnmi_pb2

from gnmi import POLL, configuration_only, depth, once, place, registered, request, snapshot, subscription
from lab import field, options, varint
from test_rules import typed

COUNT = int(os.environ.get("LOCKSTEP_FUZZ", "120"))
SEED = int(os.environ.get("LOCKSTEP_SEED", "1"))

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
}


def seeds():
    """Good messages, by RPC, to be spoiled."""
    leaf1 = lambda text="": place(text, "leaf1")
    update = lambda text, content: gnmi_pb2.Update(path=place(text), val=typed(content))
    extensions = [options(dry_run=True), depth(1), snapshot(5), configuration_only(), registered(111, b"\x08\x01")]
    set_ = lambda **more: gnmi_pb2.SetRequest(prefix=leaf1(), **more)
    vlans = [subscription("/vlans"), subscription("/system/*", "SAMPLE", sample_interval=10**9)]
    return {
        "Capabilities": [(gnmi_pb2.CapabilityRequest, gnmi_pb2.CapabilityRequest(extension=extensions[1:]))],
        "Get": [
            (gnmi_pb2.GetRequest, one)
            for one in (
                gnmi_pb2.GetRequest(prefix=leaf1("/system"), path=[place("motd")], type=1, encoding=4),
                gnmi_pb2.GetRequest(path=[place("/vlans/vlan[id=*]/name", "*")], type=1, extension=[depth(2)]),
                gnmi_pb2.GetRequest(path=[leaf1("/.../name")], type=1, use_models=[gnmi_pb2.ModelData(name="lab")]),
            )
        ],
        "Set": [
            (gnmi_pb2.SetRequest, one)
            for one in (
                set_(update=[update("/system", {"motd": "x", "name-server": ["a"]})], extension=extensions[:1]),
                set_(replace=[update("/vlans/vlan[id=7]", {"id": 7})], extension=extensions[:1]),
                set_(delete=[place("/vlans/vlan[id=*]")], extension=extensions),
            )
        ],
        "Subscribe": [
            (gnmi_pb2.SubscribeRequest, one)
            for one in (
                request(*vlans, mode="ONCE", extensions=[configuration_only()]),
                request(*vlans, mode="ONCE", target="*", extensions=[depth(2), configuration_only()]),
                POLL,
            )
        ],
    }


def spoiled(dice, message):
    """A message with something wrong in it."""
    data = bytearray(message)
    for _ in range(dice.randint(1, 4)):
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


STRANGE = ["", "*", "...", "/", "[", "]", "=", "a]b", "ü", "\0", "\\", "x" * 3000, "lab:system", "leaf1", "leaf2", "box1", "nobody"]
JSON = [b"", b"{", b"[]", b"null", b"{}", b'{"lab:motd":{}}', b"[[[[", b"1e999", b"-0", b'"\\ud800"', b"\xff", b"[" * 5000]
NUMBERS = [0, 1, 2, 3, 4, 7, 99, 999, 2**31 - 1]


def twisted(dice, message):
    """A message that can be decoded, with something strange in it."""
    for _ in range(dice.randint(1, 5)):
        twist(dice, message)
    return message.SerializeToString()


def twist(dice, message):
    """Changes one field somewhere in it."""
    name = dice.choice([one.name for one in message.DESCRIPTOR.fields])
    known = message.DESCRIPTOR.fields_by_name[name]
    value = getattr(message, name)
    is_map = known.message_type is not None and known.message_type.GetOptions().map_entry
    if is_map:
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


def is_readable(kind, data):
    try:
        kind.FromString(data)
        return True
    except DecodeError:
        return False


def same(content):
    return content


def call(channel, rpc, data):
    """Sends it; the error, if it was one."""
    path = f"/gnmi.gNMI/{rpc}"
    try:
        if rpc == "Subscribe":
            # Some become streams without an end.
            for _ in channel.stream_stream(path, same, same)(iter([data]), timeout=0.5):
                pass
        else:
            channel.unary_unary(path, same, same)(data, timeout=20)
    except grpc.RpcError as error:
        return error
    return None


# rule: fuzz
def test_malformed_messages_are_errors_and_nothing_else(clean):
    dice = random.Random(SEED)
    tally = {}
    with grpc.insecure_channel(f"127.0.0.1:{clean.port}") as channel:
        for rpc, messages in seeds().items():
            for number in range(COUNT):
                kind, message = dice.choice(messages)
                copy = kind.FromString(message.SerializeToString())
                spoil = dice.random() < 0.4
                data = spoiled(dice, copy.SerializeToString()) if spoil else twisted(dice, copy)
                error = call(channel, rpc, data)
                hint = (SEED, rpc, number, data, error)
                name = error.code().name if error else "OK"
                tally[rpc, name] = tally.get((rpc, name), 0) + 1
                if not is_readable(kind, data):
                    assert error, hint
                if error:
                    assert error.code() in CODES, hint
    print(f"seed {SEED}, {COUNT} messages to each RPC:", *sorted(f"{rpc} {name}: {n}" for (rpc, name), n in tally.items()), sep="\n")
    errors = sum(count for (_, name), count in tally.items() if name != "OK")
    assert errors > COUNT
    # The node goes on, and nothing in it panicked.
    assert clean.node.is_running()
    clean.set("leaf1", update=[("/system/motd", "still here")])
    assert once(clean, "/system/motd", extensions=[configuration_only()]) == {("leaf1", "/system/motd"): "still here"}
    log = clean.node.log.read_text()
    assert "panicked" not in log, log[-3000:]

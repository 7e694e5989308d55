"""Each row of the comparison: what is measured, beside its floor, in turns.

A measure is a generator: it sets everything up, then yields one point of one round after the other. A point has a name and
figures; the same names come in every round."""

import contextlib
import json
import shutil
import subprocess
import sys
import time

import network
from network import Node, devices, empty, etcd, floor, folder, lab, node

COMMITS = ["--queued", "--async"]
TARGETS = 64
# A log that was filled bears a date of years ago: by the usual number of days it would be forgotten while it is measured.
FOR_EVER = {"transactions": 5_000_000, "days": 36500}


def commits(plan):
    """Async one-leaf commits on the embedded store; devices are told nothing, so that it is commits that are measured."""
    with devices(TARGETS) as first, empty() as nothing:
        for _ in range(plan.rounds):
            for clients in (1, 16, 64, 256):
                with node({f"leaf{n}": first + n for n in range(TARGETS)}) as ours:
                    ours.synchronised().pause()
                    told = ours.load(*COMMITS, "--targets", TARGETS, "--clients", clients, seconds=plan.seconds)
                rpc = nothing.counted("count", "call", "--clients", clients, "--seconds", plan.seconds)
                raw = floor("commits", "--flight", clients, "--count", {1: 500, 16: 4000}.get(clients, 12000))
                yield {
                    "clients": clients,
                    "per_second": told["changes"]["per_second"],
                    "p50": told["changes"]["milliseconds"]["p50"],
                    "p99": told["changes"]["milliseconds"]["p99"],
                    "errors": sum(told["changes"]["errors"].values()),
                    "cpu_us": told["cpu_each"] * 1e6,
                    "rpc_per_second": rpc["per_second"],
                    "rpc_cpu_us": rpc["cpu_each"] * 1e6,
                    "raw_per_second": raw["engine_per_second"],
                    "store_per_second": raw["per_second"],
                }


def applied(plan):
    """The same with devices that follow: what was decided is also sent, and recorded."""
    with devices(TARGETS) as first:
        for _ in range(plan.rounds):
            for clients in (16, 64):
                with node({f"leaf{n}": first + n for n in range(TARGETS)}) as ours:
                    ours.synchronised()
                    told = ours.load(*COMMITS, "--targets", TARGETS, "--clients", clients, seconds=plan.seconds)
                    ours.synchronised()
                    sync = ours.load("--targets", TARGETS, "--clients", clients, seconds=plan.seconds)
                    yield {
                        "clients": clients,
                        "per_second": told["changes"]["per_second"],
                        "settled_s": told["settled_seconds"],
                        "sync_per_second": sync["changes"]["per_second"],
                        "sync_p50": sync["changes"]["milliseconds"]["p50"],
                        "sync_p99": sync["changes"]["milliseconds"]["p99"],
                    }


def on_etcd(plan):
    """Async one-leaf commits on etcd, of one member and of three."""
    for count in (1, 3):
        with etcd(count) as ports, devices(TARGETS) as first, empty() as nothing:
            if ports is None:
                return
            endpoints = ",".join(f"127.0.0.1:{port}" for port in ports)
            for turn in range(plan.rounds):
                for clients in (1, 64, 256):
                    store = f"etcd://{endpoints}/b{turn}-{clients}"
                    with node({f"leaf{n}": first + n for n in range(TARGETS)}, store=store) as ours:
                        ours.synchronised().pause()
                        told = ours.load(*COMMITS, "--targets", TARGETS, "--clients", clients, seconds=plan.seconds)
                    raw = floor("etcd", "--endpoints", endpoints, "--flight", clients, "--seconds", plan.seconds)
                    rpc = nothing.counted("count", "call", "--clients", 1, "--seconds", 1)
                    yield {
                        "members": count,
                        "clients": clients,
                        "per_second": told["changes"]["per_second"],
                        "p50": told["changes"]["milliseconds"]["p50"],
                        "errors": sum(told["changes"]["errors"].values()),
                        "raw_per_second": raw["per_second"],
                        "raw_p50": raw["milliseconds"]["p50"],
                        "rpc_p50": rpc["milliseconds"]["p50"],
                    }


def sync(plan):
    """A Set to one device, answered when the device has it; one after the other."""
    with devices(2) as first, empty() as nothing, node({"leaf1": first}) as ours:
        ours.synchronised()
        for _ in range(plan.rounds):
            told = ours.load("--clients", 1, seconds=plan.seconds)
            yield {
                "p50": told["changes"]["milliseconds"]["p50"],
                "p99": told["changes"]["milliseconds"]["p99"],
                "cpu_us": told["cpu_each"] * 1e6,
                "direct_p50": floor("direct", "--first", first + 1, "--count", 1)["in_a_row"]["milliseconds"]["p50"],
                "write": floor("commits", "--flight", 1, "--count", 500)["engine"]["milliseconds"]["p50"],
                "rpc_p50": nothing.counted("count", "call", "--clients", 1, "--seconds", 1)["milliseconds"]["p50"],
            }


def wide(plan):
    """One atomic Set to many targets, beside clients that set them one by one."""
    most = 100 if plan.quick else 1000
    with devices(most) as first, devices(most) as other, node({f"leaf{n}": first + n for n in range(most)}) as ours:
        ours.synchronised()
        for _ in range(plan.rounds):
            for count in [n for n in (10, 100, 1000) if n <= most]:
                asked = ["--clients", 1, "--targets", count, "--targets-per-transaction", count]
                told = ours.load(*asked, seconds=plan.seconds)
                direct = floor("direct", "--first", other, "--count", count, "--rounds", 3)
                point = {
                    "targets": count,
                    "p50": told["changes"]["milliseconds"]["p50"],
                    "max": told["changes"]["milliseconds"]["max"],
                    "direct_cold": middle(direct["cold_milliseconds"]),
                    "direct_warm": middle(direct["warm_milliseconds"]),
                    **{f"pygnmi_{name}": figure for name, figure in sequential(other, count).items()},
                }
                if gnmic := shutil.which("gnmic"):
                    point["gnmic"] = by_gnmic(gnmic, other, count)
                yield point


def middle(figures):
    return sorted(figures)[len(figures) // 2]


def sequential(first, count):
    script = network.ROOT / "bench" / "sequential.py"
    done = subprocess.run([sys.executable, script, str(first), str(count)], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    return {"cold": told["cold_milliseconds"], "warm": told["warm_milliseconds"]}


def by_gnmic(gnmic, first, count, rounds=3):
    """gnmic dials anew each time it is called."""
    addresses = ",".join(f"127.0.0.1:{port}" for port in range(first, first + count))
    update = "/interfaces/interface[name=bench0]/description:::json_ietf:::gnmic"
    took = []
    for _ in range(rounds):
        begun = time.monotonic()
        subprocess.run([gnmic, "-a", addresses, "--insecure", "set", "--update", update], capture_output=True, check=True)
        took.append((time.monotonic() - begun) * 1000)
    return middle(took)


def interfaces(plan):
    """One leaf changed on a target with few interfaces and on one with many."""
    sizes = (10, 1000) if plan.quick else (10, 1000, 10000)
    openconfig = bool(network.OPENCONFIG)
    target = {"address": "127.0.0.1:9", "insecure": True, "model": "openconfig" if openconfig else "lab-1.0"}
    with node({f"with{size}": target for size in sizes}, limits={"pending": 10_000_000, "message": "64MiB"}) as ours:
        for size in sizes:
            described = [interface(n, openconfig) for n in range(size)]
            change = {f"with{size}": {"update": {"/interfaces": {"interface": described}}}}
            ours.run("set", "-f", "-", "--queued", "--async", given=json.dumps(change))
        leaf = "config/description" if openconfig else "description"
        path = f"/interfaces/interface[name=eth5]/{leaf}"
        for _ in range(plan.rounds):
            for size in sizes:
                asked = ["--target", f"with{size}", "--path", path, "--clients", 1]
                told = ours.load(*COMMITS, *asked, seconds=plan.seconds)
                yield {"interfaces": size, **each(told)}


def each(told):
    return {
        "p50": told["changes"]["milliseconds"]["p50"],
        "p99": told["changes"]["milliseconds"]["p99"],
        "cpu_us": told["cpu_each"] * 1e6,
    }


def interface(number, openconfig):
    name = f"eth{number}"
    if not openconfig:
        return {"name": name, "mtu": 1400, "enabled": True, "description": "d"}
    return {
        "name": name,
        "config": {
            "name": name, "type": "iana-if-type:ethernetCsmacd", "mtu": 1500, "enabled": True,
            "description": "to the core", "loopback-mode": "NONE",
        },
        "hold-time": {"config": {"up": 1, "down": 2}},
        "subinterfaces": {"subinterface": [{"index": 0, "config": {"index": 0, "enabled": True}}]},
    }  # fmt: skip


def log(plan):
    """One leaf changed with a short log and with a long one."""
    lengths = (1000, 10_000) if plan.quick else (1000, 100_000, 1_000_000)
    with contextlib.ExitStack() as stack:
        nodes = {length: with_past(stack, length, FOR_EVER) for length in lengths}
        for _ in range(plan.rounds):
            for length, ours in nodes.items():
                told = ours.load(*COMMITS, "--targets", 16, "--clients", 1, seconds=plan.seconds)
                yield {"entries": length, **each(told), "memory_mb": network.memory(ours.process) / 1e6}


def with_past(stack, length, retention):
    at = stack.enter_context(folder())
    floor("fill", "--folder", at / "data", "--transactions", length, "--targets", 16, "--leaves", 40)
    ours = Node(at, {f"leaf{n}": None for n in range(16)}, retention=retention)
    stack.callback(ours.stop)
    return ours


def retention(plan):
    """One leaf changed with a log that is as long as it may get, so that what comes drives out what was, and below that."""
    length = 10_000 if plan.quick else 100_000
    # Beyond it by as much as it is let go of at once: from the first change on something is forgotten.
    limit = {"transactions": length - 1000, "days": FOR_EVER["days"]}
    with contextlib.ExitStack() as stack:
        nodes = {kept: with_past(stack, length, given) for kept, given in (("below", FOR_EVER), ("at", limit))}
        for ours in nodes.values():
            # What is beyond the limit from the start goes with the first change.
            ours.load(*COMMITS, "--targets", 16, seconds=plan.seconds)
        for _ in range(plan.rounds):
            for kept, ours in nodes.items():
                asked, horizon = [*COMMITS, "--targets", 16, "--clients"], ours.metric("lockstep_log_horizon_index")
                one = ours.load(*asked, 1, seconds=plan.seconds)
                many = ours.load(*asked, 64, seconds=plan.seconds)
                yield {
                    "limit": kept,
                    "entries": length,
                    **each(one),
                    "per_second": many["changes"]["per_second"],
                    "many_cpu_us": many["cpu_each"] * 1e6,
                    "many_p99": many["changes"]["milliseconds"]["p99"],
                    "forgotten": ours.metric("lockstep_log_horizon_index") - horizon,
                }


def get(plan):
    """A Get of one leaf, of a thousand, and of a hundred thousand."""
    sizes = (1, 1000, 100_000)
    with contextlib.ExitStack() as stack:
        targets = {f"with{size}": None for size in sizes}
        ours = stack.enter_context(node(targets, limits={"pending": 10_000_000, "message": "64MiB"}))
        nothing = stack.enter_context(empty())
        printed, same = {}, {}
        for size in sizes:
            printed[size] = floor("libyang", "--leaves", size)
            same[size] = stack.enter_context(empty("--bytes", printed[size]["bytes"]))
            ports = [lab_interface(n) for n in range(size // 4)]
            content = {"/interfaces": {"interface": ports}} if size > 1 else {"/system/motd": "hello"}
            change = json.dumps({f"with{size}": {"update": content}})
            ours.run("set", "-f", "-", "--queued", "--async", given=change)
        for _ in range(plan.rounds):
            for size in sizes:
                path = "/interfaces" if size > 1 else "/system/motd"
                asked = ["--clients", 1, "--seconds", plan.seconds]
                told = floor("call", "--address", ours.address, *asked, "--target", f"with{size}", "--get", path)
                yield {
                    "leaves": size,
                    "p50": told["milliseconds"]["p50"],
                    "rpc_p50": nothing.counted("count", "call", *asked)["milliseconds"]["p50"],
                    "bytes_p50": same[size].counted("count", "call", *asked, "--get", "/")["milliseconds"]["p50"],
                    "libyang": floor("libyang", "--leaves", size)["milliseconds"],
                    "bytes": printed[size]["bytes"],
                }


def lab_interface(number):
    return {"name": f"ethernet-1/{number}", "description": f"to rack {number}", "enabled": True, "mtu": 9000}


# Changes a second: for what a message costs a thousand subscribers, and often enough to say what a commit takes beside some.
FEW, MANY = 20, 200


def subscribe(plan):
    """Subscribers to what changes at a steady rate."""
    counts = (0, 1, 100) if plan.quick else (0, 1, 100, 1000)
    asked = [(FEW, count) for count in counts] + [(MANY, 0), (MANY, 100)]
    with node({"leaf1": None}) as ours, empty("--rate", FEW) as stream:
        for _ in range(plan.rounds):
            for rate, count in asked:
                yield subscribed(ours, rate, count, plan.seconds * 2) | plain(stream, rate, count, plan.seconds * 2)


def subscribed(ours, rate, count, seconds):
    """With subscribers that are there already: to begin and to end with them is not among what a message costs."""
    asked = ["--rate", rate, "--clients", 8, "--connections", 8, "--subscribers", count]
    told = ours.load(*COMMITS, *asked, seconds=seconds, warm_up=0.5)
    if told["subscribers"]["synced"] != count:
        raise SystemExit(f"{told['subscribers']['synced']} of {count} subscribers were up to date when it began")
    return {
        "subscribers": count,
        "rate": rate,
        "p50": told["changes"]["milliseconds"]["p50"],
        "p99": told["changes"]["milliseconds"]["p99"],
        "cpu_s": told["cpu_measured"],
        "messages": told["subscribers"]["messages"],
        "lost": told["subscribers"]["lost"],
    }


def plain(stream, rate, count, seconds):
    """A stream of messages that are the same for everybody, at the rate that it has; measured alike."""
    if not count or rate != FEW:
        return {}
    told = stream.watched("messages", "subscribe", "--subscribers", count, "--seconds", seconds)
    return {"plain_cpu_us": told["cpu_each"] * 1e6, "plain_messages": told["messages"]}


def targets(plan):
    """What a connected target takes in memory. One size after the other: not all of these devices fit on a machine at once."""
    for count in (1, 100, 1000) if plan.quick else (1, 100, 1000, 10_000):
        with contextlib.ExitStack() as stack:
            ports = {}
            for at in range(0, count, 5000):
                part = min(5000, count - at)
                first = stack.enter_context(devices(part))
                ports |= {f"leaf{at + n}": first + n for n in range(part)}
            for _ in range(plan.rounds):
                begun = time.monotonic()
                with node(ports) as ours:
                    ours.synchronised()
                    yield {"targets": count, "start_s": time.monotonic() - begun, "memory": network.memory(ours.process)}


def start(plan):
    """Starting with a long past: what is loaded, against reading the same bytes; and a whole node."""
    transactions, targets_, leaves = (10_000, 100, 1000) if plan.quick else (100_000, 1000, 1000)
    with folder() as at:
        data = at / "data"
        floor("fill", "--folder", data, "--transactions", transactions, "--targets", targets_, "--leaves", leaves)
        for _ in range(plan.rounds):
            told = floor("open", "--folder", data)
            begun = time.monotonic()
            ours = Node(at, {f"leaf{n}": None for n in range(targets_)}, retention=FOR_EVER)
            served = time.monotonic() - begun
            ours.stop()
            yield {
                "transactions": transactions,
                "leaves": targets_ * leaves,
                "opened_s": told["opened_seconds"],
                "loaded_s": told["loaded_seconds"],
                "read_s": told["read_seconds"],
                "bytes": told["bytes"],
                "memory": told["memory_bytes"],
                "served_s": served,
            }


def verdict(plan):
    """One validation of a one-leaf change: what a commit cannot do without."""
    for _ in range(plan.rounds):
        # On the lab model, which the commits that it stands beside are on.
        for row in floor("verdict", LOCKSTEP_OPENCONFIG=None):
            yield {"interfaces": row["size"], "milliseconds": row["milliseconds"]}


def rooms(plan):
    """The rooms by themselves, as what they work on grows."""
    for row in floor("rooms"):
        yield row


ALL = [verdict, commits, applied, on_etcd, sync, wide, interfaces, log, retention, get, subscribe, targets, start, rooms]
# What tells the points of a measure apart.
NAMES = {
    "verdict": ["interfaces"], "commits": ["clients"], "applied": ["clients"], "on_etcd": ["members", "clients"], "sync": [],
    "wide": ["targets"], "interfaces": ["interfaces"], "log": ["entries"], "retention": ["limit"], "get": ["leaves"], "subscribe": ["subscribers", "rate"],
    "targets": ["targets"], "start": ["transactions", "leaves"], "rooms": ["what", "size"],
}  # fmt: skip

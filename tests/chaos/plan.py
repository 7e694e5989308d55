"""What is done to everybody, and when: a plan that follows from a seed and a length alone, so that it can be had again.

Faults come in lanes that run side by side; in a lane, one follows the other. Each lane goes through all it has, in an order
of its own, before it begins anew; and where the time is short there is less of it without a fault, so that a run of two minutes
meets everything. Towards the end there is nothing wrong but with devices: what that keeps others from is seen best then.
"""

import random

from registers import NAMES
from world import MEMBERS, NODES

# Of each lane: how long a fault lasts and how long there is none, in seconds; and what there is.
LANES = {
    "members": ((2, 7), (4, 16), ["member-kill", "member-pause", "slow-disk", "full-disk", "disk-fills", "no-space", "majority-kill"]),
    "nodes": ((2, 6), (5, 16), ["node-kill", "node-pause", "node-pause", "clock-jump", "node-stop", "node-kill", "all-nodes-kill"]),
    "links": ((2, 8), (1, 7), [
        "node-from-store", "node-stalled-from-store", "node-from-member", "node-deaf-to-store", "member-from-members",
        "member-deaf-to-members", "members-parted", "node-from-devices", "node-stalled-from-devices", "node-deaf-to-devices",
        "slow-links", "clients-deaf",
    ]),
    "devices": ((1, 7), (0, 1), [
        "restart-keep", "restart-lose", "refuse", "refuse-after", "delay", "hang", "rewrite", "drift", "refuse-resync",
        "drop-before", "drop-after", "power-cut", "busy",
    ]),
}  # fmt: skip
# Which part of the time devices alone have something, and how many seconds at the most.
ALONE, LONGEST = 6, 60
# So many devices have something at once.
ABREAST = 6
# A node that stands still for longer than its lease finds that another took over.
STALE = (7.0, 10.0)
JUMPS = (3600, -3600, 30, -30, 2)
# What rounding may add to all faults of a lane.
ROUNDING = 0.1
CODES = ("INVALID_ARGUMENT", "FAILED_PRECONDITION", "ABORTED", "INTERNAL")


def make(seed, duration, names):
    """Every fault, in the order in which they begin."""
    faults = []
    for lane, (lasts, gaps, kinds) in LANES.items():
        rng = random.Random(f"{seed} {lane}")
        end = duration if lane == "devices" else duration - min(duration / ALONE, LONGEST)
        # Devices are many: what is done to one does not keep others from anything.
        for part in range(ABREAST if lane == "devices" else 1):
            begin, deck, mine = rng.uniform(1, 4), [], names[part::ABREAST]
            drawn, at = [], begin
            while at < end or len(drawn) < len(kinds):
                deck = deck or rng.sample(kinds, len(kinds))
                fault = {"fault": deck.pop(), "last": round(rng.uniform(*lasts), 2), "lane": f"{lane}{part}"}
                detail(fault, lane, rng, mine)
                drawn.append((fault, rng.uniform(*gaps)))
                at += fault["last"] + drawn[-1][1]
            faults += placed(drawn, begin, end, squeeze(drawn[: len(kinds)], end - begin))
    faults.sort(key=lambda fault: fault["at"])
    return [{"number": number, **fault} for number, fault in enumerate(faults, 1)]


def squeeze(first, time):
    """By how much the time without a fault is to be shortened, so that each has come once by then."""
    lasts, gaps = sum(fault["last"] for fault, _ in first), sum(gap for _, gap in first[:-1])
    return min(1.0, max(0.0, time - lasts - ROUNDING) / gaps)


def placed(drawn, at, duration, shorter):
    """When each begins, of those that end in time."""
    for fault, gap in drawn:
        if at + fault["last"] > duration:
            return
        yield {"at": round(at, 2), **fault}
        at += fault["last"] + gap * shorter


def detail(fault, lane, rng, names):
    """Whom it meets, and how."""
    kind = fault["fault"]
    fault["node"], fault["member"] = rng.choice(NODES), rng.choice(MEMBERS)
    fault["device"] = names[int(len(names) * rng.random() ** 2)]
    fault["register"], fault["code"], fault["jump"] = rng.choice(NAMES), rng.choice(CODES), rng.choice(JUMPS)
    fault["amount"] = rng.random()
    if kind == "node-pause":
        fault["last"] = round(rng.uniform(*STALE), 2)
    if kind in ("full-disk", "disk-fills"):
        fault["member"] = MEMBERS[-1]
    concerns = {"members": ["member"], "nodes": ["node"], "links": ["node", "member"], "devices": ["device"]}
    keep = {*concerns[lane], "fault", "last", "lane"}
    keep |= {"amount"} if lane in ("links", "devices") or kind == "slow-disk" else set()
    keep |= {"register", "code"} if lane == "devices" else set()
    keep |= {"jump"} if kind == "clock-jump" else set()
    for name in set(fault) - keep:
        del fault[name]

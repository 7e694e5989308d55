"""What is done to everybody, and when: a plan that follows from a seed and a length alone, so that it can be had again.

Faults come in lanes that run side by side; in a lane, one follows the other. Each lane goes through all it has, in an order
of its own, before it begins anew, so that a short run meets everything too.
"""

import random

from registers import NAMES
from world import MEMBERS, NODES

# Of each lane: how long a fault lasts and how long there is none, in seconds; and what there is.
LANES = {
    "members": ((2, 7), (4, 16), ["member-kill", "member-pause", "slow-disk", "full-disk", "no-space", "majority-kill"]),
    "nodes": ((2, 6), (5, 16), ["node-kill", "node-pause", "node-pause", "clock-jump", "node-stop", "node-kill", "all-nodes-kill"]),
    "links": ((2, 8), (1, 7), [
        "node-from-store", "node-stalled-from-store", "node-from-member", "node-deaf-to-store", "member-from-members",
        "member-deaf-to-members", "members-parted", "node-from-devices", "node-stalled-from-devices", "node-deaf-to-devices",
        "slow-links",
    ]),
    "devices": ((1, 7), (0, 1), [
        "restart-keep", "restart-lose", "refuse", "refuse-after", "delay", "hang", "rewrite", "drift", "refuse-resync",
        "drop-before", "drop-after", "power-cut", "busy",
    ]),
}  # fmt: skip
# So many devices have something at once.
ABREAST = 6
# A node that stands still for longer than its lease finds that another took over.
STALE = (7.0, 10.0)
JUMPS = (3600, -3600, 30, -30, 2)
CODES = ("INVALID_ARGUMENT", "FAILED_PRECONDITION", "ABORTED", "INTERNAL")


def make(seed, duration, names):
    """Every fault, in the order in which they begin."""
    faults = []
    for lane, (lasts, gaps, kinds) in LANES.items():
        rng = random.Random(f"{seed} {lane}")
        # Devices are many: what is done to one does not keep others from anything.
        for part in range(ABREAST if lane == "devices" else 1):
            at, deck = rng.uniform(1, 4), []
            mine = names[part::ABREAST]
            while True:
                deck = deck or rng.sample(kinds, len(kinds))
                fault = {"at": round(at, 2), "fault": deck.pop(), "last": round(rng.uniform(*lasts), 2), "lane": f"{lane}{part}"}
                detail(fault, lane, rng, mine)
                if at + fault["last"] > duration:
                    break
                faults.append(fault)
                at += fault["last"] + rng.uniform(*gaps)
    faults.sort(key=lambda fault: fault["at"])
    return [{"number": number, **fault} for number, fault in enumerate(faults, 1)]


def detail(fault, lane, rng, names):
    """Whom it meets, and how."""
    kind = fault["fault"]
    fault["node"], fault["member"] = rng.choice(NODES), rng.choice(MEMBERS)
    fault["device"] = names[int(len(names) * rng.random() ** 2)]
    fault["register"], fault["code"], fault["jump"] = rng.choice(NAMES), rng.choice(CODES), rng.choice(JUMPS)
    fault["amount"] = rng.random()
    if kind == "node-pause":
        fault["last"] = round(rng.uniform(*STALE), 2)
    if kind == "full-disk":
        fault["member"] = MEMBERS[-1]
    concerns = {"members": ["member"], "nodes": ["node"], "links": ["node", "member"], "devices": ["device"]}
    keep = {*concerns[lane], "at", "fault", "last", "lane"}
    keep |= {"amount"} if lane in ("links", "devices") else set()
    keep |= {"register", "code"} if lane == "devices" else set()
    keep |= {"jump"} if kind == "clock-jump" else set()
    for name in set(fault) - keep:
        del fault[name]

"""Processes that ended by themselves: where no fault explains it, that is one of ours.

A node that finds no store it can use when it starts says so and ends, and a member of etcd ends where its disk is full. Nodes
that run go on whatever happens to the store, and devices and the network always do.
"""

import re

NODE, MEMBER = r"n\d+", r"m\d+"
# What keeps a node from using the store: what is done to members, and to its way to them.
STORE = {
    "member-kill", "member-pause", "slow-disk", "full-disk", "disk-fills", "no-space", "majority-kill", "node-from-store",
    "node-stalled-from-store", "node-deaf-to-store", "node-from-member", "member-from-members", "member-deaf-to-members",
    "members-parted", "slow-links",
}  # fmt: skip
DISK = {"full-disk", "disk-fills"}
# How long it takes until members have a leader again.
RECOVERY = 8
# What a command ends with that could not do it, and says why.
FAILED = 1


def check(evidence, log):
    yield "Processes: ends that faults explain", list(unexplained(evidence)), sum(evidence.starts.values())


def unexplained(evidence):
    for end in evidence.ends:
        if not is_explained(end, evidence.faults):
            lived = end["until"] - end["from"]
            yield f"{end['who']} ended by itself with status {end['status']} after {lived:.0f} s; its last words: {end['said']}"


def is_explained(end, faults):
    meanwhile = [one for one in faults if one["from"] <= end["until"] and end["from"] <= one["until"] + RECOVERY]
    if re.fullmatch(MEMBER, end["who"]):
        return any(one["fault"] in DISK and one["member"] == end["who"] for one in meanwhile)
    said_why = end["status"] == FAILED and end["said"].startswith("lockstep: ")
    return bool(re.fullmatch(NODE, end["who"])) and said_why and any(one["fault"] in STORE for one in meanwhile)

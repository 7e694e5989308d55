"""Progress: an atomic transaction does not stay open long after its deadline, unless etcd or all nodes are kept from working.

How long it may take is what the log says, from when it was submitted to its deadline: nodes' clocks are set, and go alike for
both. How long it took is seen from the outside, between the first and the last time that a node showed it open.
"""

# What may come on top: a device is waited for and tried again, a stale master found out, a target brought in line.
MARGIN = 30
# After a time in which nothing worked, members elect a leader and nodes start.
RECOVERY = 8
MAJORITY, ALL = 2, 3
WHOLE = {"no-space", "majority-kill", "all-nodes-kill"}
MEMBER = {
    "member-kill", "member-pause", "slow-disk", "full-disk", "disk-fills", "member-from-members", "member-deaf-to-members",
    "members-parted",
}  # fmt: skip
NODE = {"node-kill", "node-pause", "node-stop", "node-from-store", "node-stalled-from-store", "node-deaf-to-store"}


def check(evidence, log):
    found = list(late(evidence))
    seen = {index for glimpse in evidence.glimpses for index, _ in glimpse["open"]}
    yield "Progress: open transactions, by their deadlines", found, len(seen)


def late(evidence):
    spans = {}
    for glimpse in sorted(evidence.glimpses, key=lambda one: one["time"]):
        for index, may_take in glimpse["open"]:
            first, _, _ = spans.get(index, (glimpse["time"], 0, 0))
            spans[index] = first, glimpse["time"], may_take
    outages = held(evidence.faults)
    for index, (first, last, may_take) in sorted(spans.items()):
        took = last - first - overlap(outages, first, last)
        if took > may_take + MARGIN:
            yield f"transaction {index} may take {may_take:.0f} s, and was open for {took:.0f} s in which it could go on"


def held(faults):
    """When a majority of etcd or all nodes were kept from working; and until they had time to go on."""
    faults = [fault for fault in faults if fault["fault"] in WHOLE | MEMBER | NODE]
    times = sorted({fault[end] for fault in faults for end in ("from", "until")})
    outages = []
    for begin, end in zip(times, times[1:]):
        if is_out([fault for fault in faults if fault["from"] <= begin and end <= fault["until"]]):
            outages.append((begin, end + RECOVERY))
    return outages


def is_out(faults):
    """Whether these together keep everything from going on."""
    members = {fault["member"] for fault in faults if fault["fault"] in MEMBER}
    nodes = {fault["node"] for fault in faults if fault["fault"] in NODE}
    return any(fault["fault"] in WHOLE for fault in faults) or len(members) >= MAJORITY or len(nodes) >= ALL


def overlap(outages, first, last):
    """How much of a time lies in any of them; they are in the order in which they begin."""
    total, at = 0.0, first
    for begin, end in outages:
        begin, end = max(begin, at), min(end, last)
        if begin < end:
            total, at = total + end - begin, end
    return total

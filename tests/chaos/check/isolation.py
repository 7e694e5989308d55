"""Isolation, and Order as readers see it: each read fits one place in the target's line of the log, later reads no earlier
place, and a read of two targets at once has each atomic transaction on both or on neither."""

from .log import FOREVER


def check(evidence, log):
    reads = sorted(gather(evidence), key=lambda read: read[0])
    found, pairs, last = [], 0, {target: [] for target in evidence.targets}
    for begin, end, seen in reads:
        places = {}
        for target, values in seen.items():
            line = log.lines[target]
            floor = max((place for over, place in last[target] if over < begin), default=0)
            low, high = bounds(line, begin, end)
            places[target] = [p for p in range(max(low, floor), high + 1) if line.allows(p, values)]
            if not places[target]:
                found.append(explain(line, target, values, low, floor, high))
                continue
            last[target].append((end, places[target][0]))
        if len(seen) == 2 and all(places.values()):
            pairs += 1
            if not together(log, places):
                found.append(f"part of an atomic transaction was read: {seen}")
    yield "Isolation: reads against the log", found, len(reads)
    yield "Isolation: reads of two targets at once", [], pairs


def gather(evidence):
    for operation in evidence.operations:
        if operation["kind"] == "get" and operation["attempts"][0]["code"] == "OK":
            told = operation["attempts"][0]
            yield told["invoke"], told["return"], operation["reads"]


def bounds(line, begin, end):
    """The places a read may have: after all that was told before it began, before all that was asked for after it ended."""
    low = max((place for place, slot in enumerate(line.slots, 1) if slot.told < begin), default=0)
    high = min((place - 1 for place, slot in enumerate(line.slots, 1) if slot.invoke > end), default=len(line.slots))
    return low, high


def together(log, places):
    """Whether there is a place for each at which both have the same atomic transactions of those they share."""
    one, other = places
    slots = {target: log.lines[target].slots for target in places}
    shared = {s.index for s in slots[one] if s.atomic} & {s.index for s in slots[other] if s.atomic}
    count = lambda target, place: sum(slot.index in shared for slot in slots[target][:place])
    counts = [{count(target, place) for place in places[target]} for target in (one, other)]
    return bool(counts[0] & counts[1])


def explain(line, target, values, low, floor, high):
    at = lambda place: line.slots[place - 1].index if 0 < place <= len(line.slots) else "-"
    anywhere = [at(place) for place in range(len(line.slots) + 1) if line.allows(place, values)]
    told = "never told" if low and line.slots[low - 1].told == FOREVER else "told"
    return (
        f"{target}: read {values}; after transaction {at(low)} ({told}) and read {at(floor)}, not past {at(high)}; "
        f"it fits {anywhere or 'nowhere'}"
    )

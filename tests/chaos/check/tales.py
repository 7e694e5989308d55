"""Isolation and Order as subscribers are told: after each message a target stands as at one place in its line of the log, and later
messages have no earlier place. What stood when the stream began is no older than what anybody was told before."""

from .isolation import bounds, explain


def check(evidence, log):
    found, behind, count = [], [], 0
    for tale in evidence.tales:
        found += misplaced(tale, log)
        count += len(tale["told"])
    for name, held in evidence.followed.items():
        behind += short(name, held, evidence, log)
    yield "Isolation: what subscribers were told, against the log", found, count
    yield "Isolation: what subscribers know in the end", behind, len(evidence.followed)


def misplaced(tale, log):
    floors = {}
    for time, target, values in tale["told"]:
        line, floor = log.lines[target], floors.get(target, 0)
        low, high = bounds(line, tale["begin"], time)
        place = next((p for p in range(max(low, floor), high + 1) if line.allows(p, values)), None)
        if place is None:
            yield f"{tale['node']} to a subscriber: {explain(line, target, values, low, floor, high)}"
        else:
            floors[target] = place


def short(name, held, evidence, log):
    """Whoever is told of everything ends with what stands."""
    for target in set(evidence.targets) - set(evidence.guests):
        wanted, known = log.lines[target].stands(), held.get(target)
        if known != wanted:
            yield f"{name}: {target} is {known}, and the log adds up to {wanted}"

"""What happened in a run, in numbers: how clients were answered, what became of transactions, which faults there were. And
what never happened: a long run that leaves something out proves less than it says."""

from collections import Counter

import clients
import orders
import plan

# From so many seconds on every fault has to have happened; and from so many on, everything else.
ALL_FAULTS, LONG = 120, 300
# Said by nobody: the connection broke, or the client waited in vain.
SILENT = {"DEADLINE_EXCEEDED", "CANCELLED", "UNKNOWN"}
BROKEN = ("connect", "Socket closed", "reset", "Broken pipe", "GOAWAY", "Stream removed", "recvmsg", "transport")


def word(told):
    return told["outcome"]["status"] if told.get("outcome") else told["code"]


def is_answered(told):
    """Whether a node said what became of it, or why nothing did."""
    if told.get("outcome") or told["code"] == "OK":
        return True
    broken = told["code"] == "UNAVAILABLE" and any(part in told.get("message", "") for part in BROKEN)
    return told["code"] not in SILENT and not broken


def asked(evidence):
    """All that was asked for, as pairs of a kind and its last answer."""
    for operation in evidence.operations:
        yield operation["kind"], operation["attempts"][-1]
        yield from ((more, operation[more]) for more in ("cancel", "confirm") if more in operation)


def happened(evidence):
    """What came of it, counted."""
    counts = Counter()
    for one in evidence.transactions:
        counts[f"{one['kind']} {one['status']}"] += 1
        if one.get("window"):
            counts[f"window {one['window']}"] += 1
    masters = {}
    for sighting in sorted(evidence.sightings, key=lambda one: one["time"]):
        for target, (_, _, term, master, state) in sighting["targets"].items():
            last, before = masters.get(target, (0, ""))
            if master and term > last:
                counts["mastership handed to another node"] += bool(before) and master != before
                masters[target] = (term, master)
            counts["sighting of a target " + state] += 1
    return counts


WANTED = {
    "change applied", "change partial", "change rejected", "change reverted", "change cancelled", "rollback applied",
    "restore applied", "adopt applied", "add applied", "rebind applied", "remove applied", "window confirmed", "window reverted",
    "mastership handed to another node",
}  # fmt: skip


def never_met(faults, skipped):
    """Faults that never happened, and could have."""
    kinds = {kind for _, _, kinds in plan.LANES.values() for kind in kinds}
    kinds -= {kind for kind in kinds if any(what.startswith(kind.replace("-", " ")) for what in skipped)}
    return sorted(kinds - set(faults))


def never_done(evidence):
    """What was never asked for and answered, or never came of it."""
    done = {kind for kind, told in asked(evidence) if is_answered(told)}
    wanted = {*clients.WRITES, *orders.ORDERS, "resume", "add", "get", "cancel", "confirm"}
    return sorted([*(wanted - done), *(WANTED - set(happened(evidence)))])


def missing(evidence, faults, skipped, duration):
    """What never happened, of all that must have in a run of this length."""
    met = never_met(faults, skipped) if duration >= ALL_FAULTS else []
    return met + (never_done(evidence) if duration >= LONG else [])


def tell(evidence, looked, faults, failed, skipped):
    """All of it, as lines."""
    total, answered, words = Counter(), Counter(), {}
    for kind, told in asked(evidence):
        total[kind] += 1
        answered[kind] += is_answered(told)
        words.setdefault(kind, Counter())[word(told)] += 1
    lines = ["", "operations, how many of a hundred were answered, and how"]
    for kind in sorted(total):
        by = ", ".join(f"{word} {count}" for word, count in sorted(words[kind].items()))
        lines.append(f"  {kind:<14} {total[kind]:>6}  {100 * answered[kind] // total[kind]:>3}  {by}")
    lines += ["came to pass"]
    lines += [f"  {what:<38} {count}" for what, count in sorted(happened(evidence).items())]
    lines += ["faults"]
    lines += [f"  {fault:<28} {count}" for fault, count in sorted(faults.items())]
    lines += [f"  met nobody: {fault:<16} {count}" for fault, count in sorted(failed.items())]
    lines += [f"  skipped: {what}" for what in skipped]
    lines += [f"never happened: {', '.join(never)}" for never in [never_met(faults, skipped) + never_done(evidence)] if never]
    lines += ["checked"]
    lines += [f"  {name:<62} {count}" for name, count in looked.items()]
    return "\n".join([*lines, f"  {len(evidence.transactions)} transactions"])

"""What happened in a run, in numbers: how clients were answered, what became of transactions, which faults there were. And
what never happened: a long run that leaves something out proves less than it says."""

from collections import Counter

import clients
import orders
import plan
from check.answered import is_answered

# From so many seconds on every fault has to have happened; from so many on, everything else; and from so many, what is rare.
ALL_FAULTS, LONG, VERY_LONG = 120, 300, 900
# What the first of these is needed for as well.
NEEDS_TIME = {"Progress: changes beside devices that fail"}
# What devices do all their life is no fault that met them.
NATURES = {"lack", "ignore"}
# How a device answers a master that is older than another it listened to.
TURNED_AWAY = "PERMISSION_DENIED"


def word(told):
    return told["outcome"]["status"] if told.get("outcome") else told["code"]


def asked(evidence):
    """All that was asked for, as pairs of a kind and its last answer."""
    for operation in evidence.operations:
        yield operation["kind"], operation["attempts"][-1]
        yield from ((more, operation[more]) for more in ("cancel", "confirm", "other") if more in operation)


def happened(evidence):
    """What came of it, counted."""
    counts = Counter()
    for one in evidence.transactions:
        counts[f"{one['kind']} {one['status']}"] += 1
        if one.get("window"):
            counts[f"window {one['window']}"] += 1
    rules = {operation["id"]: operation["rule"] for operation in evidence.operations if "rule" in operation}
    for one in evidence.transactions:
        if one["id"] in rules:
            counts[f"rollback by {rules[one['id']]} {one['status']}"] += 1
    for journal in evidence.journals.values():
        counts.update(met(journal))
    masters = {}
    for sighting in sorted(evidence.sightings, key=lambda one: one["time"]):
        for target, (_, _, term, master, state) in sighting["targets"].items():
            last, before = masters.get(target, (0, ""))
            if master and term > last:
                counts["mastership handed to another node"] += bool(before) and master != before
                masters[target] = (term, master)
            counts["sighting of a target " + state] += 1
    return counts


def met(journal):
    """What faults came to on a device, as it wrote that down itself."""
    newest, asks = 0, False
    for entry in journal:
        for fault in set(entry["faults"]) - NATURES:
            yield f"device did {fault}"
        if entry["late"] and entry["code"] == "OK":
            yield "done late"
        if entry["code"] == "OK" and entry["told"] not in ("", "OK"):
            yield "done and denied"
        if entry["term"] is None:
            continue
        election = (entry["epoch"] << 64) + entry["term"]
        # A master that was just listened to asks so itself, to find out whether another would be turned away.
        probes = asks and election == newest - 1
        if election < newest and entry["code"] == TURNED_AWAY and "refuse" not in entry["faults"] and not probes:
            yield "an older master turned away"
        asks = entry["kind"] == "claim" and entry["code"] == "OK"
        newest = max(newest, election)


WANTED = {
    "change applied", "change partial", "change rejected", "change reverted", "change cancelled",
    "rollback by target applied", "rollback by path applied", "restore applied", "adopt applied", "add applied", "rebind applied", "remove applied", "window confirmed", "window reverted",
    "mastership handed to another node", "done and denied",
    *(f"device did {fault}" for fault in ("refuse", "delay", "hang", "drop", "restart", "rewrite")),
}  # fmt: skip


# What is late mostly meets a device that listens to a newer master by then.
RARE = {"an older master turned away", "done late"}


def never_met(faults, skipped):
    """Faults that never happened, and could have."""
    kinds = {kind for _, _, kinds in plan.LANES.values() for kind in kinds}
    kinds -= {kind for kind in kinds if any(what.startswith(kind.replace("-", " ")) for what in skipped)}
    return sorted(kinds - set(faults))


def never_done(evidence):
    """What was never asked for and answered, or never came of it."""
    done = {kind for kind, told in asked(evidence) if is_answered(told)}
    wanted = {*clients.WRITES, *orders.ORDERS, "resume", "add", "get", "cancel", "confirm", "other"}
    return sorted([*(wanted - done), *(WANTED - set(happened(evidence)))])


def never_seen(evidence):
    """The same, of what is rare."""
    return sorted(RARE - set(happened(evidence)))


def missing(evidence, faults, skipped, duration):
    """What never happened, of all that must have in a run of this length."""
    met = never_met(faults, skipped) if duration >= ALL_FAULTS else []
    done = never_done(evidence) if duration >= LONG else []
    return met + done + (never_seen(evidence) if duration >= VERY_LONG else [])


def idle(looked, duration):
    """Checks that had nothing to look at, and should have had in a run of this length."""
    return [what for what, count in looked.items() if not count and (duration >= ALL_FAULTS or what not in NEEDS_TIME)]


def hollow(said, nodes):
    """What a good trace lacks that it has to tell of to prove anything, by what the checker counted in it."""
    counts = {name: int(count.replace(",", "")) for count, name in (part.split(" ", 1) for part in said.split(", "))}
    if counts["nodes"] != nodes:
        yield f"the trace is of {counts['nodes']} nodes, not of {nodes}"
    if not counts["device requests"]:
        yield "the trace has no request to a device"
    held, revisions = counts["held against the guarantees"], counts["revisions"]
    # Nothing is forgotten in a run, so each of them can be.
    if not revisions or held < revisions:
        yield f"of the trace, {held} of {revisions} revisions were held against the guarantees"


def answers(evidence):
    """Of each kind of request: how often it was asked, how many were answered, and how, counted."""
    found = {}
    for kind, told in asked(evidence):
        total, answered, words = found.get(kind, (0, 0, Counter()))
        words[word(told)] += 1
        found[kind] = total + 1, answered + is_answered(told), words
    return sorted(found.items())


def how(words):
    return ", ".join(f"{word} {count}" for word, count in sorted(words.items()))


def tell(evidence, looked, faults, failed, skipped):
    """All of it, as lines."""
    lines = ["", "operations, how many of a hundred were answered, and how"]
    for kind, (total, answered, words) in answers(evidence):
        lines.append(f"  {kind:<14} {total:>6}  {100 * answered // total:>3}  {how(words)}")
    lines += ["came to pass"]
    lines += [f"  {what:<38} {count}" for what, count in sorted(happened(evidence).items())]
    lines += ["faults"]
    lines += [f"  {fault:<28} {count}" for fault, count in sorted(faults.items())]
    lines += [f"  met nobody: {fault:<16} {count}" for fault, count in sorted(failed.items())]
    lines += [f"  skipped: {what}" for what in skipped]
    never = never_met(faults, skipped) + never_done(evidence) + never_seen(evidence)
    lines += [f"never happened: {', '.join(never)}"] if never else []
    lines += ["checked"]
    lines += [f"  {name:<62} {count}" for name, count in looked.items()]
    return "\n".join([*lines, f"  {len(evidence.transactions)} transactions"])


def table(columns, rows):
    line = lambda cells: "| " + " | ".join(str(cell) for cell in cells) + " |"
    return "\n".join([line(columns), line(["---"] * len(columns)), *map(line, rows), ""])


def markdown(evidence, looked, faults, failed, skipped):
    """The same as tables, for a page."""
    share = lambda total, answered: f"{100 * answered // total} %"
    asked_for = [(kind, total, share(total, answered), how(words)) for kind, (total, answered, words) in answers(evidence)]
    done_to = [(fault, faults[fault], failed[fault]) for fault in sorted({*faults, *failed})]
    skipped_too = [(what, "skipped", "") for what in skipped]
    return "\n".join(
        [
            table(["fault", "times", "met nobody"], done_to + skipped_too),
            table(["request", "times", "answered", "how"], asked_for),
            table(["came to pass", "times"], sorted(happened(evidence).items())),
            table(["checked", "looked at"], looked.items()),
        ]
    )

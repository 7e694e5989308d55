"""Fold, Undo, Convergence, Fencing and Progress: how everything stands once all faults were healed and all had time."""

from .log import NAMES


def check(evidence, log):
    fold, undo = [], []
    for node, targets in evidence.nodes.items():
        for target in evidence.targets:
            compare(log, target, targets.get(target, {}), f"{target} at {node}", fold, undo)
    yield "Fold: what nodes hold in the end", fold, len(evidence.nodes) * len(evidence.targets)
    yield "Undo: what was rolled back", undo, sum(bool(slot.of) for line in log.lines.values() for slot in line.slots)
    yield "Convergence: what devices hold in the end", list(apart(evidence, log)), len(evidence.devices)
    stuck = [f"{target}: {why}" for target, why in evidence.stuck.items()]
    yield "Convergence: targets that are synchronised", stuck, len(evidence.targets)
    yield "Convergence: what is committed is applied", list(behind(evidence)), len(evidence.listed)
    yield "Fencing: devices that turn nobody away", list(mistaken(evidence)), len(evidence.unfenced)
    yield "Progress: transactions with an outcome", list(open_ones(evidence)), len(evidence.transactions)


def compare(log, target, held, where, fold, undo):
    line = log.lines[target]
    wanted = line.stands()
    for name in NAMES:
        if held.get(name) != wanted.get(name):
            rolled = {slot.of for slot in line.slots if slot.of}
            touched = any(slot.index in rolled and name in slot.writes for slot in line.slots)
            found = undo if touched else fold
            found.append(f"{where}: {name} is {held.get(name)!r}, and the log adds up to {wanted.get(name)!r}")


def apart(evidence, log):
    """A device holds what the log adds up to, in a form of its own where it has one."""
    for target, held in evidence.devices.items():
        wanted = log.lines[target].stands()
        for name in NAMES:
            if (held.get(name) or "").lower() != (wanted.get(name) or ""):
                yield f"the device {target}: {name} is {held.get(name)!r}, and the log adds up to {wanted.get(name)!r}"


def behind(evidence):
    for target, (committed, applied, _) in evidence.listed.items():
        if committed != applied:
            yield f"{target}: {committed} is committed, and {applied} applied"


def mistaken(evidence):
    """A device that takes no notice of arbitration is known as such, and no other is taken for one."""
    for target, (_, _, fencing) in evidence.listed.items():
        if (fencing == "store-only") != (target in evidence.unfenced):
            yield f"{target}: fencing: {fencing}"


def open_ones(evidence):
    for transaction in evidence.transactions:
        if not transaction["finished"]:
            parts = {target: part["waiting_for"] for target, part in transaction["targets"].items() if part["waiting_for"]}
            waits = transaction["waiting_for"] or parts
            yield f"transaction {transaction['index']} is still {transaction['status']}; it waits for {waits}"

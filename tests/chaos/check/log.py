"""The log of a run: which operation became which transaction, and what each target holds after each of its own."""

import bisect
from dataclasses import dataclass

FOREVER = float("inf")
NAMES = ("motd", "hostname", "eth1", "eth2", "eth3")
# Answers, without an outcome, to what was never taken in.
REFUSED = {"INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"}
# What a client was told once its change was there for everybody to read.
VISIBLE = {"atomic": {"applied"}, "queued": {"committed", "applied", "partial"}}


@dataclass
class Slot:
    """A transaction on one target that readers may have seen something of."""

    index: int
    id: str
    atomic: bool
    # Queued, and withdrawn later: for a while it was there, or never.
    fleeting: bool
    writes: dict
    # A Rollback: of which transaction.
    of: int | None = None
    invoke: float = 0.0
    # When a client was told that it is there.
    told: float = FOREVER
    # The target comes to be: nothing of before counts.
    begins: bool = False


class Line:
    """A target's transactions, in the order of the log."""

    def __init__(self):
        self.slots = []
        # The places of those that write a register, and the place of the Rollback of each that has one.
        self.writers, self.rollbacks = {name: [] for name in NAMES}, {}
        # The places at which the target came to be.
        self.begun = [0]

    def append(self, slot):
        self.slots.append(slot)
        for name in slot.writes:
            self.writers[name].append(len(self.slots))
        if slot.of:
            self.rollbacks[slot.of] = len(self.slots)
        if slot.begins:
            self.begun.append(len(self.slots))

    def holds(self, position, name):
        """What a reader may find in a register once so many slots are there: what stands, then what was there for a while."""
        begun = self.begun[bisect.bisect_right(self.begun, position) - 1]
        places, found = self.writers[name], []
        for place in reversed(places[bisect.bisect_right(places, begun) : bisect.bisect_right(places, position)]):
            slot = self.slots[place - 1]
            if self.rollbacks.get(slot.index, FOREVER) > position:
                if not slot.fleeting:
                    return [slot.writes[name], *found]
                found.append(slot.writes[name])
        return [None, *found]

    def to(self, index):
        """What a Restore to an entry of the log is the writer of: whatever stands otherwise now."""
        then, now = self.stands(bisect.bisect_right([slot.index for slot in self.slots], index)), self.stands()
        return {name: then.get(name) for name in NAMES if then.get(name) != now.get(name)}

    def stands(self, position=None):
        """What every register holds."""
        position = len(self.slots) if position is None else position
        values = {name: self.holds(position, name)[0] for name in NAMES}
        return {name: value for name, value in values.items() if value is not None}

    def allows(self, position, seen):
        """Whether a reader may have found this, all of it at once."""
        return all(seen.get(name) in self.holds(position, name) for name in NAMES)


class Log:
    """Transactions by id and index, operations by id, and a line for each target."""

    def __init__(self, evidence):
        self.operations = {one["id"]: one for one in evidence.operations if "id" in one}
        self.transactions = {one["index"]: one for one in evidence.transactions}
        self.by_id = {one["id"]: one for one in evidence.transactions}
        self.rolled = {one["of"] for one in evidence.transactions if one["of"]}
        self.lines = {target: Line() for target in evidence.targets}
        # JSON knows no numbers as keys.
        self.adopted = {int(index): changes for index, changes in evidence.adopted.items()}
        done = [one for one in evidence.transactions if one.get("to") and one["status"] != "rejected"]
        self.restores = [(one["to"], one["index"], set(one["targets"])) for one in done]
        for index in sorted(self.transactions):
            self.add(self.transactions[index])
        # Who wrote a value: its operation, and the transaction that became of it, if any.
        self.writers = {}
        for operation in self.operations.values():
            for writes in operation["writes"].values():
                self.writers |= {value: operation for value in writes.values() if value}

    def asked(self, transaction):
        """The operation that a transaction came from; one that nobody confirmed is taken back by a node of itself."""
        change = transaction["of"] and self.operations.get(self.transactions[transaction["of"]]["id"])
        if transaction["kind"] == "adopt":
            writes = self.adopted.get(transaction["index"], {})
            return {"mode": "atomic", "writes": writes, "attempts": [{"invoke": -FOREVER, "return": FOREVER}]}
        if transaction["id"] not in self.operations and change and change.get("window"):
            attempt = {"invoke": change["attempts"][0]["invoke"], "return": FOREVER}
            return {"mode": "atomic", "writes": {}, "of": transaction["of"], "attempts": [attempt]}
        return self.operations.get(transaction["id"])

    def add(self, transaction):
        operation = self.asked(transaction)
        for target, part in transaction["targets"].items():
            if operation is None or target not in self.lines:
                continue
            # Also one that was cancelled may have been decided before.
            decided = transaction["status"] != "rejected"
            fleeting = decided and operation["mode"] == "queued" and part["status"] in ("refused", "withdrawn")
            if not stands(transaction, target) and not fleeting:
                continue
            line = self.lines[target]
            line.append(
                Slot(
                    index=transaction["index"],
                    id=transaction["id"],
                    atomic=operation["mode"] == "atomic",
                    fleeting=fleeting,
                    writes=self.writes(line, operation, target),
                    of=operation.get("of"),
                    begins=transaction["kind"] == "add",
                    invoke=operation["attempts"][0]["invoke"],
                    told=told_visible(operation),
                )
            )

    def writes(self, line, operation, target):
        if operation.get("to") is not None:
            return line.to(operation["to"])
        return operation["writes"].get(target, {})

    def index_of(self, value):
        """The transaction that wrote a value; none: there is no such."""
        operation = self.writers.get(value)
        transaction = operation and self.by_id.get(operation["id"])
        return transaction["index"] if transaction else None

    def stands_at(self, index, target):
        """Whether a transaction is there on a target for good: neither undone nor ever to be rolled back, nor passed over by a
        Restore. (A device may have done what it then refused.)"""
        passed = any(to < index < by and target in targets for to, by, targets in self.restores)
        return stands(self.transactions[index], target) and index not in self.rolled and not passed


def stands(transaction, target):
    """Whether a transaction counts on a target, as the log says in the end."""
    return transaction["status"] in ("applied", "partial") and transaction["targets"][target]["status"] == "applied"


def told_visible(operation):
    """When a client was first told that its change is there; forever: never."""
    words = VISIBLE[operation["mode"]]
    times = [told["return"] for told in operation["attempts"] if told.get("outcome") and told["outcome"]["status"] in words]
    return min(times, default=FOREVER)


def statuses(operation):
    """What clients were told became of it."""
    return {told["outcome"]["status"] for told in operation["attempts"] if told.get("outcome")}


def is_refused(operation):
    """Whether it was never taken in, as every node said that was asked."""
    return all(told["code"] in REFUSED and not told.get("outcome") for told in operation["attempts"])

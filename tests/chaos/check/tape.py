"""A device's journal, played: Order, Decision, AllOrNothing, Fold, Fencing and Convergence as the device saw them.

A device may hold a value in its own form (in capitals), so values are compared as their writers wrote them, in small letters.
"""

from .log import FOREVER

GONE = {"reverted", "rejected", "cancelled"}


def check(evidence, log):
    parts = {"Order": [], "Decision": [], "AllOrNothing": [], "Fold": [], "Convergence": [], "Fencing": []}
    count = 0
    refused = told_refused(evidence, log)
    for target, journal in evidence.journals.items():
        tape = Tape(log, target, refused, parts)
        for entry in journal:
            tape.play(entry)
        count += len(journal)
    for name, found in parts.items():
        yield f"{name}: journals of devices", found, count


def told_refused(evidence, log):
    """When a client was told that a target did not take its transaction, by transaction and target; as a time of day."""
    found = {}
    for operation in log.operations.values():
        transaction = log.by_id.get(operation["id"])
        for told in operation["attempts"]:
            outcome = told.get("outcome") or {}
            for target, part in (outcome.get("targets") or {}).items():
                if transaction and outcome["status"] in GONE | {"partial"} and part["status"] in ("refused", "withdrawn"):
                    found.setdefault((transaction["index"], target), told["return"] + evidence.wall)
    return found


class Tape:
    """One device as its journal goes on."""

    def __init__(self, log, target, refused, parts):
        self.log, self.target, self.refused, self.parts = log, target, refused, parts
        self.held, self.latest, self.term, self.met = {}, 0, (0, 0), set()

    def play(self, entry):
        before = dict(self.held)
        for name, value in entry["changes"].items():
            self.held[name] = value.lower() if value else None
        if entry["kind"] == "set" and entry["code"] == "OK":
            self.fenced(entry)
            for name in entry["changes"]:
                self.changed(entry, name, before.get(name))

    def say(self, guarantee, entry, text):
        self.parts[guarantee].append(f"{self.target}, entry {entry['number']}: {text}")

    def fenced(self, entry):
        """A Set of an older term never follows one of a newer."""
        if entry["term"] is None:
            return
        term = (entry["epoch"], entry["term"])
        if term < self.term:
            self.say("Fencing", entry, f"a Set of term {term} was done after one of {self.term}")
        self.term = max(term, self.term)

    def changed(self, entry, name, before):
        value = self.held[name]
        index = self.log.index_of(value)
        if value and value in self.log.writers and index is None:
            return self.say("Decision", entry, f"{value} is of no transaction")
        if index is None:
            return None
        transaction = self.log.transactions[index]
        if transaction["status"] == "rejected":
            self.say("Decision", entry, f"{value} is of transaction {index}, which was rejected")
        elif entry["time"] > self.refused.get((index, self.target), FOREVER):
            self.say("Fold", entry, f"{value} of transaction {index} was sent after it was said to be refused here")
        if index not in self.met:
            self.first(entry, index)
        self.back(entry, name, before, index)
        return None

    def first(self, entry, index):
        """A transaction is met for the first time: none after it was, and nothing is left of one that was taken back."""
        self.met.add(index)
        if index < self.latest:
            self.say("Order", entry, f"transaction {index} came after {self.latest}")
        self.latest = max(self.latest, index)
        for name, value in self.held.items():
            other = self.log.index_of(value)
            if other is not None and other < index and self.log.transactions[other]["status"] in GONE:
                text = f"transaction {index} came while {name} had {value} of {other}, which was taken back"
                self.say("AllOrNothing", entry, text)

    def back(self, entry, name, before, index):
        """What stands for good is not pushed aside by what it had replaced."""
        other = self.log.index_of(before)
        if other is not None and other > index and self.log.stands_at(other, self.target):
            self.say("Convergence", entry, f"{name} went from transaction {other} back to {index}")

"""A device's journal, played: Order, Decision, AllOrNothing, Fold, Fencing and Convergence as the device saw them.

A device may hold a value in its own form (in capitals), so values are compared as their writers wrote them, in small letters.
"""

from collections import Counter

from .log import FOREVER

GONE = {"reverted", "rejected", "cancelled"}


def check(evidence, log):
    parts = {name: [] for name in ("Order", "Decision", "AllOrNothing", "Fold", "Convergence", "Fencing")}
    refused, looked = told_refused(evidence, log), Counter()
    for target, journal in evidence.journals.items():
        tape = Tape(log, target, refused, parts, looked)
        for entry in journal:
            tape.play(entry)
    looked["Fold"] = len(refused)
    for name, found in parts.items():
        yield f"{name}: journals of devices", found, looked[name]


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
    """One device as its journal goes on. `looked` counts what was held against each guarantee."""

    def __init__(self, log, target, refused, parts, looked):
        self.log, self.target, self.refused, self.parts, self.looked = log, target, refused, parts, looked
        self.held, self.latest, self.term, self.met = {}, 0, (0, 0), set()
        # Registers whose values are in a form of the device's own; and such values that were pushed aside.
        self.own, self.pushed = set(), set()

    def play(self, entry):
        before, own = dict(self.held), set(self.own)
        for name, value in entry["changes"].items():
            self.held[name] = value.lower() if value else None
            (self.own.add if value != self.held[name] else self.own.discard)(name)
        if entry["kind"] == "set" and entry["code"] == "OK":
            self.fenced(entry)
            for name in entry["changes"]:
                self.changed(entry, name, before.get(name), name in own)

    def say(self, guarantee, entry, text):
        self.parts[guarantee].append(f"{self.target}, entry {entry['number']}: {text}")

    def fenced(self, entry):
        """A Set of an older term never follows one of a newer."""
        if entry["term"] is None:
            return
        term = (entry["epoch"], entry["term"])
        self.looked["Fencing"] += 1
        if term < self.term:
            self.say("Fencing", entry, f"a Set of term {term} was done after one of {self.term}")
        self.term = max(term, self.term)

    def changed(self, entry, name, before, own):
        value = self.held[name]
        index = self.log.index_of(value)
        self.looked["Decision"] += value in self.log.writers
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
        if own and (name, before) not in self.pushed:
            # Where the answer to its Set was lost, nobody can tell it from what somebody else wrote; once.
            self.pushed.add((name, before))
        else:
            self.back(entry, name, before, index)
        return None

    def first(self, entry, index):
        """A transaction is met for the first time: none after it was, and nothing is left of one that was taken back."""
        self.met.add(index)
        self.looked["Order"] += 1
        if index < self.latest:
            self.say("Order", entry, f"transaction {index} came after {self.latest}")
        self.latest = max(self.latest, index)
        for name, value in self.held.items():
            other = self.log.index_of(value)
            self.looked["AllOrNothing"] += other is not None and other < index
            if other is not None and other < index and self.log.transactions[other]["status"] in GONE:
                text = f"transaction {index} came while {name} had {value} of {other}, which was taken back"
                self.say("AllOrNothing", entry, text)

    def back(self, entry, name, before, index):
        """What stands for good is not pushed aside by what it had replaced."""
        other = self.log.index_of(before)
        self.looked["Convergence"] += other is not None and other != index
        if other is not None and other > index and self.log.stands_at(other, self.target):
            self.say("Convergence", entry, f"{name} went from transaction {other} back to {index}")

"""Histories written by hand, for the tests of the checker: a run in which all goes well, to be spoilt in one place."""

from check import Evidence

A, B = "d1", "d2"


# What was waited for, where a story says nothing else of why something was taken back.
ANSWER = "the device's answer"


def blame(parts):
    """Why something was taken back: the first that refused it, or else the first of all."""
    for target, status in parts.items():
        if status == "refused":
            return {"code": "ABORTED", "message": f"target {target} refused it: INTERNAL: no"}
    return {"code": "DEADLINE_EXCEEDED", "message": f"not done in time: target {next(iter(parts))} waited for {ANSWER}"}


class Story:
    """Time goes on by one with every line of it."""

    def __init__(self):
        self.time, self.operations, self.transactions, self.sightings, self.glimpses = 0, [], [], [], []
        self.journals, self.adopted, self.guests, self.tales = {A: [], B: []}, {}, [], []
        self.history, self.listed = [], {A: [3, 3, "device"], B: [2, 2, "store-only"]}
        self.faults, self.ends = [], []

    def tick(self):
        self.time += 1
        return self.time

    def write(self, value, *targets, name="motd", told="applied", mode="atomic", becomes=None, parts=None, take=None, **more):
        """A change that was told `told` (none: nothing) and became `becomes` (`nothing`: it is not in the log)."""
        becomes = becomes or told
        index = len(self.transactions) + 1 if becomes != "nothing" else 0
        targets = targets or (A,)
        operation = {
            "kind": "one", "id": f"id-{value}", "mode": mode, "async": False,
            "writes": {target: {name: value} for target in targets}, "attempts": [], **more,
        }  # fmt: skip
        if more.get("deletes"):
            operation["writes"] = {target: {name: None} for target in targets}
        part = {"applied": "applied", "rejected": "withdrawn", "reverted": "undone", "committed": "pending"}
        parts = parts or {target: part.get(becomes, "withdrawn") for target in targets}
        self.ask(operation, index, told, parts, take)
        if index:
            self.enter(operation, index, becomes, parts)
        return index

    def ask(self, operation, index, told, parts, take=None):
        targets = {target: {"status": status} for target, status in parts.items()}
        outcome = {"index": index, "status": told, "targets": targets} if told else None
        attempt = {"node": "n1", "invoke": self.tick(), "code": "OK" if told == "applied" else "UNAVAILABLE", "outcome": outcome}
        attempt["message"] = f"{told}: {blame(parts)['message']}" if told == "reverted" else ""
        self.time += take or 0
        attempt["return"] = self.tick()
        operation["attempts"].append(attempt)
        self.operations.append(operation)

    def enter(self, operation, index, status, parts, kind="change", window=""):
        self.glimpses.append({"node": "n1", "time": self.time, "open": [[index, 6.4]]})
        targets = {target: {"status": one, "waiting_for": None, "error": None} for target, one in parts.items()}
        if status == "reverted":
            targets[next(iter(parts))]["error"] = {"code": "DEADLINE_EXCEEDED", "message": f"waited for {ANSWER} too long"}
        self.transactions.append(
            {
                "index": index, "id": operation["id"], "kind": kind, "mode": operation["mode"], "status": status,
                "finished": "then" if status != "committed" else None, "waiting_for": "d1", "targets": targets,
                "error": blame(parts) if status == "reverted" else None, "of": operation.get("of"),
                "window": window, "rolled_back_by": None,
            }
        )  # fmt: skip

    def rollback(self, of, *targets, told="applied"):
        index = len(self.transactions) + 1
        operation = {"kind": "rollback", "id": f"back-{of}", "mode": "atomic", "async": False, "of": of}
        operation |= {"writes": {}, "attempts": []}
        parts = {target: "applied" if told == "applied" else "undone" for target in targets or (A,)}
        self.ask(operation, index, told, parts)
        self.enter(operation, index, told, parts, "rollback")
        if told == "applied":
            self.transactions[of - 1]["rolled_back_by"] = index

    def restore(self, to, *targets, told="applied"):
        index = len(self.transactions) + 1
        operation = {"kind": "restore", "id": f"restore-{index}", "mode": "atomic", "async": False, "to": to}
        operation |= {"only": list(targets or (A,)), "writes": {}, "attempts": []}
        parts = {target: "applied" if told == "applied" else "undone" for target in targets or (A,)}
        self.ask(operation, index, told, parts)
        self.enter(operation, index, told, parts, "restore")
        self.transactions[-1]["to"] = to

    def adopt(self, target=A, **values):
        """A node makes what a device has what is wanted of it."""
        index = len(self.transactions) + 1
        self.enter({"id": f"adopt-{index}", "mode": "queued"}, index, "applied", {target: "applied"}, "adopt")
        self.adopted[index] = {target: values}

    def comes(self, target=A):
        """A target comes to be, for the first time or again."""
        index = len(self.transactions) + 1
        operation = {"kind": "add", "id": f"add-{index}", "mode": "atomic", "async": False, "writes": {}, "attempts": []}
        self.ask(operation, index, "applied", {target: "applied"})
        self.enter(operation, index, "applied", {target: "applied"}, "add")
        self.guests = [target]

    def window(self, value, window, confirmed=None, by=False):
        """A change to be confirmed, that is `window` in the end; and whether a node took it back."""
        index = self.write(value, name="eth1", window=2)
        self.transactions[-1]["window"] = window
        if confirmed:
            self.operations[-1]["confirm"] = {"code": confirmed}
        if by:
            self.rollback(index)
            self.operations.pop()

    def read(self, begin=None, end=None, **seen):
        """A Get of each target that is named, with what it found in `motd`, or by register."""
        begin = begin or self.tick()
        attempt = {"node": "n1", "invoke": begin, "return": end or self.tick(), "code": "OK"}
        reads = {t: values if isinstance(values, dict) else {"motd": values} for t, values in seen.items()}
        self.operations.append({"kind": "get", "reads": reads, "attempts": [attempt]})

    def follow(self, begin=None, **first):
        """A stream that begins with how these targets stand."""
        self.tales.append({"node": "n1", "begin": begin or self.tick(), "told": []})
        for target in first:
            self.tell(**{target: first[target]})

    def tell(self, **targets):
        """How targets stand after a message of it."""
        for target, values in targets.items():
            self.tales[-1]["told"].append([self.tick(), target, values if isinstance(values, dict) else {"motd": values}])

    def stood(self, index, **targets):
        """How targets stood after a transaction, as a node tells it."""
        as_values = lambda held: held if isinstance(held, dict) else {"motd": held}
        self.history += [["n1", target, index, as_values(held)] for target, held in targets.items()]

    def show(self, node="n1", start=1, state="synchronised", **targets):
        """How targets stand: committed, applied, term."""
        stand = {target: [*one, "n1", state] for target, one in targets.items()}
        self.sightings.append({"node": node, "start": start, "time": self.time, "targets": stand})

    def device(self, target=A, kind="set", term=1, code="OK", **changes):
        journal = self.journals[target]
        entry = {"number": len(journal) + 1, "time": self.tick(), "kind": kind, "epoch": 1, "term": term, "code": code}
        journal.append({**entry, "late": False, "told": code, "faults": [], "changes": changes})

    def end(self, held=None, devices=None, stuck=None, followed=None):
        """All of it, with nodes and devices that hold this in the end, and what whoever followed knows then."""
        held = held or {}
        nodes = {"n1": {A: {}, B: {}, **held}}
        devices = {A: {}, B: {}, **held, **(devices or {})}
        evidence = Evidence([A, B], self.operations, self.transactions, nodes, devices, self.journals, self.sightings, stuck or {})
        evidence.adopted, evidence.guests, evidence.glimpses = self.adopted, self.guests, self.glimpses
        evidence.history, evidence.listed, evidence.unfenced = self.history, self.listed, [B]
        evidence.faults, evidence.starts, evidence.ends = self.faults, {"n1": 1}, self.ends
        evidence.tales, evidence.followed = self.tales, {"f1": {A: {}, B: {}, **followed}} if followed else {}
        return evidence

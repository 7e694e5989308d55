"""Progress: a device that is slow, dead or lies delays nobody who does not touch it.

Looked at is what was asked of one target while something was wrong with other devices, and with nothing else: the target was
well, as the plan has it and as nodes showed it, and nothing was in front of it there that concerns another target as well. So
nothing is left that it may wait for, and it has to be answered at once. What may be doubted in this is not looked at.
"""

import bisect
from collections import defaultdict

from .answered import is_answered
from .answers import FINAL

# Members, nodes and links have been left alone for so long: sessions and masterships that were lost are others' by then.
SETTLE = 8
# And the target's own device: what hangs is given up after two seconds, and reached anew.
ITS_OWN = 4
# What was refused for now is sent again after a while that doubles, up to this. The next that is accepted ends that.
AGAIN = 40
# Within this a process that ended was noticed.
NOTICED = 2
# A node has shown how the target stands not longer ago than this.
SHOWN = 5
# A device is waited for for two seconds. Whoever waits for that of another twice is late; one that a busy machine keeps is not.
BOUND = 4


def check(evidence, log):
    found, count = [], 0
    looks = Looks(evidence, log)
    for operation, target in alone(evidence):
        told = operation["attempts"][0]
        took = told["return"] - told["invoke"]
        if not looks.has_nothing_to_wait_for(operation, target):
            continue
        count += 1
        if took > BOUND or not is_answered(told) or is_late(told):
            text = f"{operation['id']} was on {target} alone, which was well, and was told {told['code']} after {took:.1f} s"
            found.append(f"{text}: {told.get('message', '')}")
    yield "Progress: changes beside devices that fail", found, count


def alone(evidence):
    """What was asked of one target, to be answered with its outcome."""
    for operation in evidence.operations:
        writes = operation.get("writes") or {}
        waits = operation.get("mode") == "atomic" and not operation.get("async") and not operation.get("window")
        if len(writes) == 1 and waits and operation["kind"] != "probe" and not {*writes} & {*evidence.guests}:
            yield operation, next(iter(writes))


def is_late(told):
    """Whether it had to be given up."""
    return bool(told.get("outcome")) and told["code"] == "DEADLINE_EXCEEDED"


class Looks:
    """What is known of when anything was wrong, and with whom."""

    def __init__(self, evidence, log):
        self.log = log
        # What concerns everybody, and what concerns devices: by name, when.
        self.everybody, self.devices = [], defaultdict(list)
        for fault in evidence.faults:
            at = fault["from"], fault["until"]
            if "devices" not in fault:
                self.everybody.append(at)
            for name in fault.get("devices", []):
                self.devices[name].append(at)
        self.everybody += [(end["until"] - NOTICED, end["until"]) for end in evidence.ends]
        # When devices accepted something.
        accepts = lambda entry: entry["kind"] == "set" and entry["code"] == entry["told"] == "OK" and not entry["late"]
        self.accepted = {
            target: sorted(entry["time"] - evidence.wall for entry in filter(accepts, journal))
            for target, journal in evidence.journals.items()
        }
        # What operators did with a target.
        self.orders = defaultdict(list)
        for operation in evidence.operations:
            if "on" in operation:
                self.orders[operation["on"]].append((operation["attempts"][0]["invoke"], operation["attempts"][-1]["return"]))
        self.shown = sorted(evidence.sightings, key=lambda one: one["time"])
        self.times = [one["time"] for one in self.shown]
        # Of each target, its transactions; and from when on it was known up to which of them none is in the way of others. When
        # clients were first told of an outcome.
        self.on, self.past, self.ended = defaultdict(list), defaultdict(list), {}
        for transaction in evidence.transactions:
            for target in transaction["targets"]:
                self.on[target].append(transaction)
        for operation in log.operations.values():
            transaction = log.by_id.get(operation["id"])
            for told in operation["attempts"] if transaction else []:
                status, index = (told.get("outcome") or {}).get("status"), transaction["index"]
                if status in FINAL:
                    self.ended[index] = min(told["return"], self.ended.get(index, told["return"]))
                if status == "applied":
                    for target in transaction["targets"]:
                        self.past[target].append((told["return"], index))
        for one in self.shown:
            for target, (committed, applied, *_) in one["targets"].items():
                # What is committed next comes after what held the target.
                self.past[target].append((one["time"], min(committed - 1, applied)))

    def has_nothing_to_wait_for(self, operation, target):
        told = operation["attempts"][0]
        begin = told["invoke"]
        end = min(told["return"], begin + BOUND)
        calm = not met(self.everybody, begin - SETTLE, end)
        well = not met(self.devices[target] + self.orders[target], begin - ITS_OWN, end)
        others = any(met(spans, begin, end) for name, spans in self.devices.items() if name != target)
        shown = self.is_shown_well(target, told)
        return calm and well and others and shown and self.has_recovered(target, begin) and self.is_next(operation, target, begin)

    def has_recovered(self, target, begin):
        """Its device accepted something after the last that was wrong with it, or that was long ago."""
        last = max((until for _, until in self.devices[target] if until < begin), default=-AGAIN)
        accepted = self.accepted.get(target, [])
        after = bisect.bisect_right(accepted, last)
        return begin - last > AGAIN or (after < len(accepted) and accepted[after] < begin)

    def is_shown_well(self, target, told):
        """The node that was asked showed it synchronised, and whoever looked then and until after the answer saw it in the same
        term."""
        first = bisect.bisect_left(self.times, told["invoke"] - SHOWN)
        before = bisect.bisect_left(self.times, told["invoke"])
        after = bisect.bisect_left(self.times, told["return"])
        shown = self.shown[first : after + 1]
        if after == len(self.shown) or told["node"] not in {one["node"] for one in self.shown[first:before]}:
            return False
        stood = {(one["targets"][target][2], one["targets"][target][4]) for one in shown if target in one["targets"]}
        return len(stood) == 1 and {state for _, state in stood} == {"synchronised"}

    def is_next(self, operation, target, begin):
        """Whatever may be before it on its target concerns that target alone. Nothing is that came before an entry that a client
        knew to be applied there, or before one that was committed later; nor what a client knew the outcome of."""
        index = self.log.by_id.get(operation["id"], {}).get("index", float("inf"))
        known = max((entry for time, entry in self.past[target] if time < begin), default=0)
        before = [one for one in self.on[target] if known < one["index"] < index and begin <= self.ended.get(one["index"], begin)]
        return all(set(one["targets"]) == {target} for one in before)


def met(spans, begin, end):
    """Whether any of them has something of this time."""
    return any(one <= end and begin <= other for one, other in spans)

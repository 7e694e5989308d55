"""Linearizability of each target's `motd`, from nothing but what clients were told.

Values are used once, so the reads of a value belong to its one write; each such group has a zone of time, and the history is
linearizable exactly if no two zones of one kind overlap and none of the other lies within (Gibbons and Korach, Testing
Shared Memories, 1997). A write of which nobody knows whether it happened counts if it was read, and otherwise not.
"""

from dataclasses import dataclass

from .log import FOREVER, is_refused, statuses, told_visible

NOT_THERE = {"rejected", "reverted", "cancelled"}


@dataclass
class Group:
    """A write and its reads: until when the first of them was over, and when the last of them began."""

    value: str
    first_end: float
    last_begin: float
    written: float

    @property
    def forward(self):
        return self.first_end < self.last_begin

    @property
    def zone(self):
        return sorted((self.first_end, self.last_begin))


def check(evidence, log):
    found, count = [], 0
    restored = {target for one in evidence.operations for target in one.get("only", [])}
    # What is adopted from a device, as where it rewrites what it is told, no client wrote.
    adopted = {target for changes in evidence.adopted.values() for target, new in changes.items() if "motd" in new}
    # What is taken back to how it stood is read more than once.
    for target in set(evidence.targets) - restored - adopted - set(evidence.guests):
        violations, reads = one_target(evidence, target)
        found += violations
        count += reads
    yield "Isolation: linearizable reads of motd, from answers alone", found, count


def one_target(evidence, target):
    writes, reads = gather(evidence, target)
    found, groups = [], {None: Group("nothing", -FOREVER, -FOREVER, -FOREVER)}
    for value, (invoke, told, failed) in writes.items():
        seen = any(value == read for read, _, _ in reads)
        if failed and seen:
            found.append(f"{target}: {value} was read, and did not happen")
        if (told < FOREVER or seen) and not failed:
            groups[value] = Group(value, told, invoke, invoke)
    for value, begin, end in reads:
        if value not in groups:
            if value not in writes:
                found.append(f"{target}: {value} was read, and nobody wrote it")
            continue
        group = groups[value]
        if end < group.written:
            found.append(f"{target}: {value} was read before it was written")
        group.first_end, group.last_begin = min(group.first_end, end), max(group.last_begin, begin)
    return found + [f"{target}: {text}" for text in crossed(list(groups.values()))], len(reads)


def gather(evidence, target):
    """Writes by value: begun, told, and whether it certainly did not happen. Reads: value, begin, end."""
    writes, reads = {}, []
    for operation in evidence.operations:
        if operation["kind"] == "get":
            [told] = operation["attempts"]
            if told["code"] == "OK" and target in operation["reads"]:
                reads.append((operation["reads"][target].get("motd"), told["invoke"], told["return"]))
        elif value := operation["writes"].get(target, {}).get("motd"):
            failed = bool(statuses(operation) & NOT_THERE) or is_refused(operation)
            writes[value] = (operation["attempts"][0]["invoke"], told_visible(operation), failed)
    return writes, reads


def crossed(groups):
    """Zones that cannot be put in a row."""
    forward = sorted((group for group in groups if group.forward), key=lambda group: group.zone)
    for one, other in zip(forward, forward[1:]):
        if other.zone[0] < one.zone[1]:
            yield f"{one.value} and {other.value} were each read after the other"
    for inner in (group for group in groups if not group.forward):
        for outer in forward:
            if outer.zone[0] < inner.zone[0] and inner.zone[1] < outer.zone[1]:
                yield f"{outer.value} was read after {inner.value} had taken its place"

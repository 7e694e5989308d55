"""Isolation and Undo as history shows them: how a target stood after an entry of the log is what the log adds up to until there,
without what was taken back later by no entry of its own."""

import bisect


def check(evidence, log):
    yield "Isolation: how targets stood earlier", list(otherwise(evidence, log)), len(evidence.history)


def otherwise(evidence, log):
    for node, target, index, values in evidence.history:
        line = log.lines[target]
        wanted = line.stands(bisect.bisect_right([slot.index for slot in line.slots], index))
        if values != wanted:
            yield f"{target} at {node}, after transaction {index}: {values}, and the log adds up to {wanted}"

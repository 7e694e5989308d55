"""Whether what was seen from the outside keeps the guarantees. Pure: evidence in, violations out.

Each guarantee of Lockstep is checked under its name. What is known of a run is what clients and subscribers were told and when, the log as
`tx list` shows it in the end, what nodes and devices hold then, what nodes showed of their targets meanwhile, and each
device's own journal. An operation whose client was told nothing may or may not have happened.
"""

from dataclasses import dataclass, field

from . import answers, beside, delay, ends, isolation, linear, order, past, processes, tales, tape
from .log import Log


@dataclass
class Evidence:
    """All that is known of a run."""

    targets: list
    operations: list
    transactions: list
    # By node and target, and by device: what each register holds in the end.
    nodes: dict
    devices: dict
    journals: dict = field(default_factory=dict)
    sightings: list = field(default_factory=list)
    # Targets that did not come to be synchronised in time, and why.
    stuck: dict = field(default_factory=dict)
    # Added to the time of an operation, it is a time of day.
    wall: float = 0.0
    # What nodes adopted from devices: by transaction and target, what became of each register.
    adopted: dict = field(default_factory=dict)
    # Those of the targets that came and went.
    guests: list = field(default_factory=list)
    # Which atomic transactions were open when, each with the seconds that it may take.
    glimpses: list = field(default_factory=list)
    # What was done to whom, and when: `from` and `until`. What keeps from some devices, and from nobody else, names those.
    faults: list = field(default_factory=list)
    # How often each process was started; and those that ended and nobody had them end: when, with which status and words.
    starts: dict = field(default_factory=dict)
    ends: list = field(default_factory=list)
    # What subscribers were told: by stream, when and how a target stood then; and by subscriber, what it knew in the end.
    tales: list = field(default_factory=list)
    followed: dict = field(default_factory=dict)
    # How targets stood after earlier entries of the log: as which node says, of which target, after which entry, and what it held.
    history: list = field(default_factory=list)
    # What a node lists of each target in the end: committed, applied, and whether its device turns older masters away.
    listed: dict = field(default_factory=dict)
    # Those whose devices do not.
    unfenced: list = field(default_factory=list)


def check(evidence):
    """Violations, as pairs of a guarantee and a sentence; and how much was looked at, by what was looked for."""
    log = Log(evidence)
    violations, looked = [], {}
    for module in (answers, linear, isolation, tales, past, order, tape, delay, beside, ends, processes):
        for name, found, count in module.check(evidence, log):
            violations += [(name.split(":")[0], sentence) for sentence in found]
            looked[name] = looked.get(name, 0) + count
    return violations, looked

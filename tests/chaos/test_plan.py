"""The plan: the same for a seed and a length, complete, and known to whoever carries it out."""

import plan
from nemesis import Nemesis

NAMES = [f"d{number}" for number in range(1, 51)]
KINDS = {kind for _, _, kinds in plan.LANES.values() for kind in kinds}


def test_a_seed_is_a_plan():
    assert plan.make(7, 60, NAMES) == plan.make(7, 60, NAMES)
    assert plan.make(7, 60, NAMES) != plan.make(8, 60, NAMES)


def test_a_plan_of_two_minutes_has_every_fault():
    for seed in range(500):
        assert {fault["fault"] for fault in plan.make(seed, 120, NAMES)} == KINDS


def test_faults_of_a_lane_come_one_after_the_other():
    for lane in {fault["lane"] for fault in plan.make(7, 120, NAMES)}:
        faults = [fault for fault in plan.make(7, 120, NAMES) if fault["lane"] == lane]
        assert all(one["at"] + one["last"] <= other["at"] + 0.02 for one, other in zip(faults, faults[1:]))


def test_every_fault_ends_in_time():
    for fault in plan.make(7, 60, NAMES):
        assert fault["at"] + fault["last"] <= 60


def test_towards_the_end_there_is_nothing_wrong_but_with_devices():
    for duration, alone in ((60, 10), (120, 20), (1200, 60)):
        ends = {True: [], False: []}
        for fault in plan.make(7, duration, NAMES):
            ends[fault["lane"].startswith("devices")].append(fault["at"] + fault["last"])
        assert max(ends[False]) <= duration - alone < max(ends[True])


def test_every_fault_can_be_carried_out():
    for kind in KINDS:
        assert hasattr(Nemesis, f"begin_{kind.replace('-', '_')}"), kind


def test_what_lasts_is_ended():
    over = {"restart-keep", "restart-lose", "drift"}
    for kind in KINDS - over:
        assert hasattr(Nemesis, f"end_{kind.replace('-', '_')}"), kind

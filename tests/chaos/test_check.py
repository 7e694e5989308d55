"""The checker: a run that went well passes, and each thing that a guarantee forbids is found, under that guarantee's name."""

import pytest
from story import A, B, Story

from check import check


def found(evidence):
    return {name for name, _ in check(evidence)[0]}


def well():
    """A bit of everything, as it should be."""
    story = Story()
    story.follow(d1={}, d2={})
    # The device of B is slow all the time.
    story.faults.append({"fault": "delay", "devices": [B], "from": 0, "until": 1000})
    story.show(start=0, d1=[0, 0, 1], d2=[0, 0, 1])
    story.write("one")
    story.show(start=0, d1=[1, 1, 1], d2=[0, 0, 1])
    story.tell(d1="one")
    story.device(motd="one")
    story.read(d1="one")
    story.write("both", A, B)
    story.device(motd="both")
    story.tell(d2="both", d1="both")
    story.read(d1="both", d2="both")
    number = story.write("host", name="hostname")
    story.device(hostname="host")
    story.read(d1={"motd": "both", "hostname": "host"})
    story.rollback(number)
    story.read(d1="both")
    story.write("never", told="reverted")
    story.write("wrong", A, B, told="rejected", invalid=B)
    story.write("unknown", told=None, becomes="nothing")
    story.write("late", told=None, becomes="applied")
    story.read(d1="late", d2="both")
    parts = {A: "applied", B: "refused"}
    story.write("queued", A, B, name="eth1", mode="queued", told="committed", becomes="partial", parts=parts)
    story.read(d2={"motd": "both", "eth1": "queued"})
    story.read(d1={"motd": "late", "eth1": "queued"}, d2={"motd": "both"})
    story.window("kept", "confirmed", confirmed="OK")
    story.read(d1={"motd": "late", "eth1": "kept"})
    story.window("lost", "reverted", by=True)
    story.read(d1={"motd": "late", "eth1": "kept"})
    story.show(d1=[3, 2, 1], d2=[2, 2, 1])
    story.show(d1=[3, 3, 1], d2=[2, 2, 2])
    story.show(node="n2", d1=[1, 1, 1])
    story.stood(1, d1="one", d2={})
    story.stood(number, d1={"motd": "both", "hostname": "host"}, d2="both")
    story.stood(number + 1, d1="both")
    return story


HELD = {A: {"motd": "late", "eth1": "kept"}, B: {"motd": "both"}}


def test_a_run_that_went_well():
    violations, looked = check(well().end(HELD, followed=HELD))
    assert violations == []
    assert all(looked.values()), looked


def test_a_device_may_write_values_in_capitals():
    assert found(well().end(HELD, devices={B: {"motd": "BOTH"}})) == set()


# Durability, Decision, AllOrNothing: answers against the log.


def test_what_was_answered_is_lost():
    story = Story()
    story.write("one", becomes="nothing")
    assert "Durability" in found(story.end())


def test_what_was_answered_is_something_else_now():
    story = Story()
    story.write("one", told="applied", becomes="reverted")
    assert "Durability" in found(story.end())


def test_what_was_confirmed_is_taken_back():
    story = Story()
    story.window("one", "reverted", confirmed="OK", by=True)
    assert found(story.end()) == {"Durability"}


def test_what_was_not_confirmed_is_forgotten():
    story = Story()
    story.window("one", "open")
    assert found(story.end({A: {"eth1": "one"}})) == {"Durability"}
    story = Story()
    story.window("one", "reverted")
    assert found(story.end({A: {"eth1": "one"}})) == {"Durability"}


def test_an_id_is_done_twice():
    story = Story()
    story.write("one")
    story.enter(story.operations[0], 2, "applied", {A: "applied"})
    assert "Decision" in found(story.end({A: {"motd": "one"}}))


def test_a_transaction_that_nobody_asked_for():
    story = Story()
    story.enter({"id": "who", "mode": "atomic"}, 1, "applied", {A: "applied"})
    assert found(story.end()) == {"Decision"}


def test_what_is_not_valid_is_taken():
    story = Story()
    story.write("wrong", A, B, told=None, becomes="applied", invalid=B)
    assert found(story.end({A: {"motd": "wrong"}, B: {"motd": "wrong"}})) == {"Decision"}


def test_a_target_is_missing():
    story = Story()
    story.write("one", A, B, parts={A: "applied"})
    assert "Decision" in found(story.end({A: {"motd": "one"}}))


@pytest.mark.parametrize(
    "becomes, parts", [("applied", {A: "applied", B: "undone"}), ("reverted", {A: "applied", B: "refused"})]
)
def test_an_atomic_transaction_is_in_part(becomes, parts):
    story = Story()
    story.write("one", A, B, told=None, becomes=becomes, parts=parts)
    assert "AllOrNothing" in found(story.end())


def taken_back(*targets, **more):
    """What became of a transaction that was taken back, and what its client was told, to be spoilt."""
    story = Story()
    story.write("one", *targets, told="reverted", **more)
    return story, story.transactions[-1], story.operations[-1]["attempts"][-1]


def test_what_was_taken_back_names_who_refused_it_or_was_waited_for():
    story, _, _ = taken_back()
    assert found(story.end()) == set()
    story, transaction, _ = taken_back(A, B, parts={A: "undone", B: "refused"})
    assert found(story.end()) == set()
    transaction["targets"][B]["status"] = "undone"
    assert found(story.end()) == {"AllOrNothing"}


@pytest.mark.parametrize("error", [None, {"code": "ABORTED", "message": f"target {B} refused it: INTERNAL: no"}])
def test_what_was_taken_back_does_not_say_why(error):
    story, transaction, _ = taken_back()
    transaction["error"] = error
    assert found(story.end()) == {"AllOrNothing"}


def test_what_was_taken_back_in_the_end_waited_for_nobody():
    story, transaction, _ = taken_back()
    transaction["targets"][A]["error"] = None
    assert found(story.end()) == {"AllOrNothing"}
    # Where several have it on trial, the store may be what kept it.
    story, transaction, _ = taken_back(A, B)
    transaction["targets"][A]["error"] = None
    assert found(story.end()) == set()


def test_what_refuses_to_have_it_undone_may_be_to_blame():
    story, transaction, told = taken_back()
    transaction["targets"][A]["error"] = {"code": "ABORTED", "message": "done and denied"}
    told["message"] = "transaction 1 reverted: not done everywhere before its deadline: "
    assert found(story.end()) == set()


def test_a_client_is_not_told_who_refused_it():
    story, _, told = taken_back()
    told["message"] = "transaction 1 reverted: not done everywhere before its deadline"
    assert found(story.end()) == {"AllOrNothing"}


def test_what_was_called_off_has_nobody_to_blame():
    story, transaction, told = taken_back()
    transaction["error"] = {"code": "ABORTED", "message": "it was cancelled"}
    assert found(story.end()) == {"AllOrNothing"}, "nobody called it off"
    story.operations[-1]["cancel"] = told
    assert found(story.end()) == set()


def test_what_was_refused_is_in_the_log():
    story = Story()
    story.write("one", told=None, becomes="rejected")
    story.operations[-1]["attempts"][-1]["code"] = "INVALID_ARGUMENT"
    assert found(story.end()) == {"Decision"}


def test_what_one_node_refused_another_may_have_taken():
    story = Story()
    story.write("one", told=None, becomes="rejected")
    story.operations[-1]["attempts"].append({**story.operations[-1]["attempts"][-1], "code": "NOT_FOUND"})
    assert found(story.end()) == set()


def test_an_id_is_two_requests():
    story = Story()
    story.write("one")
    story.operations[-1]["other"] = {"code": "ALREADY_EXISTS"}
    assert found(story.end({A: {"motd": "one"}})) == set()
    story.operations[-1]["other"] = {"code": "OK"}
    assert found(story.end({A: {"motd": "one"}})) == {"Decision"}


# Reads.


def test_a_stale_read():
    story = Story()
    story.write("one")
    story.write("two")
    story.read(d1="one")
    assert found(story.end({A: {"motd": "two"}})) == {"Isolation"}


def test_a_stale_read_of_nothing():
    story = Story()
    story.write("one")
    story.read(d1={})
    assert found(story.end({A: {"motd": "one"}})) == {"Isolation"}


def test_two_reads_that_go_back():
    """Both fit what is known of the writes, but not each other."""
    story = Story()
    story.write("one")
    story.write("two", told=None, becomes="applied")
    story.read(d1="two")
    story.read(d1="one")
    assert found(story.end({A: {"motd": "two"}})) == {"Isolation"}


def test_reads_that_overlap_a_write_may_find_either():
    story = Story()
    story.write("one")
    story.write("two", take=9)
    story.read(begin=6, end=7, d1="two")
    story.read(begin=5, end=8, d1="one")
    assert found(story.end({A: {"motd": "two"}})) == set()


def test_a_value_is_read_before_it_is_written():
    story = Story()
    story.read(d1="one")
    story.write("one")
    assert found(story.end({A: {"motd": "one"}})) == {"Isolation"}


@pytest.mark.parametrize("told", ["reverted", "rejected"])
def test_what_did_not_happen_is_read(told):
    story = Story()
    story.write("one", told=told)
    story.read(d1="one")
    assert found(story.end()) == {"Isolation"}


def test_what_was_reverted_is_read_although_its_client_was_told_nothing():
    story = Story()
    story.write("one", told=None, becomes="reverted")
    story.read(d1="one")
    assert found(story.end()) == {"Isolation"}


def test_a_value_that_nobody_wrote():
    story = Story()
    story.read(d1="who")
    assert found(story.end()) == {"Isolation"}


def test_part_of_an_atomic_transaction_is_read():
    story = Story()
    story.write("both", A, B, take=9)
    story.read(begin=4, end=5, d1="both", d2={})
    assert found(story.end({A: {"motd": "both"}, B: {"motd": "both"}})) == {"Isolation"}


def test_part_of_a_queued_transaction_may_be_read():
    story = Story()
    story.write("both", A, B, mode="queued", name="eth1", take=9)
    story.read(begin=4, end=5, d1={"eth1": "both"}, d2={})
    assert found(story.end({A: {"eth1": "both"}, B: {"eth1": "both"}})) == set()


def test_registers_of_different_times_in_one_read():
    story = Story()
    story.write("a", name="eth1")
    story.write("b", name="eth2")
    story.write("c", name="eth1", take=9)
    story.read(begin=6, end=7, d1={"eth1": "c"})
    assert found(story.end({A: {"eth1": "c", "eth2": "b"}})) == {"Isolation"}


def test_what_was_rolled_back_is_read():
    story = Story()
    number = story.write("one", name="eth1")
    story.rollback(number)
    story.read(d1={"eth1": "one"})
    assert found(story.end()) == {"Isolation"}


# Isolation, as history shows it.


def test_a_target_stood_otherwise():
    story = Story()
    story.write("one")
    story.write("two")
    story.stood(1, d1="one", d2={})
    assert found(story.end(TWO)) == set()
    story.stood(1, d1="two")
    assert found(story.end(TWO)) == {"Isolation"}


def test_history_has_nothing_of_what_was_withdrawn():
    story = Story()
    parts = {A: "applied", B: "refused"}
    story.write("queued", A, B, name="eth1", mode="queued", told="committed", becomes="partial", parts=parts)
    story.stood(1, d1={"eth1": "queued"}, d2={})
    assert found(story.end({A: {"eth1": "queued"}})) == set()
    story.stood(1, d2={"eth1": "queued"})
    assert found(story.end({A: {"eth1": "queued"}})) == {"Isolation"}


# Isolation, as subscribers are told.


def two_values():
    story = Story()
    story.write("one")
    story.write("two")
    return story


TWO = {A: {"motd": "two"}}


def test_a_subscriber_is_told_of_each_in_turn():
    story = Story()
    story.follow(d1={}, d2={})
    for value in ("one", "two"):
        story.write(value)
        story.tell(d1=value)
    assert found(story.end(TWO)) == set()


def test_a_subscriber_may_miss_what_stood_in_between():
    story = Story()
    story.follow(d1={})
    story.write("one")
    story.write("two")
    story.tell(d1="two")
    assert found(story.end(TWO)) == set()


def test_a_stream_begins_with_what_had_been_replaced():
    story = two_values()
    story.follow(d1="one")
    assert found(story.end(TWO)) == {"Isolation"}


def test_a_subscriber_is_told_backwards():
    story = Story()
    story.follow(d1={})
    story.write("one")
    story.write("two")
    story.tell(d1="two")
    story.tell(d1="one")
    assert found(story.end(TWO)) == {"Isolation"}


@pytest.mark.parametrize("told", ["rejected", "reverted"])
def test_a_subscriber_is_told_of_what_was_taken_back(told):
    story = Story()
    story.follow(d1={})
    story.write("one", told=told)
    story.tell(d1="one")
    assert found(story.end()) == {"Isolation"}


def test_a_subscriber_is_told_before_it_was_asked_for():
    story = Story()
    story.follow(d1={})
    story.tell(d1="one")
    story.write("one")
    assert found(story.end({A: {"motd": "one"}})) == {"Isolation"}


def test_a_subscriber_is_told_of_half_of_a_change():
    story = Story()
    story.follow(d1={})
    story.write("one", name="eth1")
    story.write("two", name="eth2")
    story.tell(d1={"eth2": "two"})
    assert found(story.end({A: {"eth1": "one", "eth2": "two"}})) == {"Isolation"}


def test_a_subscriber_is_not_told_of_the_last():
    assert found(two_values().end(TWO, followed={A: {"motd": "one"}})) == {"Isolation"}


# Order and Fencing, as nodes show them.


def test_applied_is_ahead():
    story = Story()
    story.show(d1=[1, 2, 1])
    assert found(story.end()) == {"Order"}


@pytest.mark.parametrize("later", [[3, 1, 1], [2, 2, 1]])
def test_an_index_goes_back(later):
    story = Story()
    story.show(d1=[3, 2, 1])
    story.show(d1=later)
    assert found(story.end()) == {"Order"}


def test_a_term_goes_back():
    story = Story()
    story.show(d1=[3, 2, 2])
    story.show(d1=[3, 2, 1])
    assert found(story.end()) == {"Fencing"}


# Devices.


def test_a_set_of_an_older_term_after_a_newer():
    story = Story()
    story.device(term=2)
    story.device(term=1)
    assert found(story.end()) == {"Fencing"}


def test_a_device_gets_transactions_out_of_order():
    story = Story()
    story.write("one", name="eth1")
    story.write("two", name="eth2")
    story.device(eth2="two")
    story.device(eth1="one")
    assert found(story.end({A: {"eth1": "one", "eth2": "two"}})) == {"Order"}


def test_a_device_gets_what_was_rejected():
    story = Story()
    story.write("one", told="rejected")
    story.device(motd="one")
    story.device(motd=None)
    assert found(story.end()) == {"Decision"}


def test_a_device_gets_what_is_not_in_the_log():
    story = Story()
    story.write("one", told=None, becomes="nothing")
    story.device(motd="one")
    assert found(story.end()) == {"Decision"}


def test_a_device_gets_the_next_before_the_last_was_taken_back():
    story = Story()
    story.write("one", told="reverted", name="eth1")
    story.write("two", name="eth2")
    story.device(eth1="one")
    story.device(eth2="two")
    assert found(story.end({A: {"eth2": "two"}})) == {"AllOrNothing"}


def test_a_device_gets_what_it_refused():
    story = Story()
    story.write("one", told="reverted", parts={A: "refused"})
    story.device(motd="one")
    story.device(motd=None)
    assert found(story.end()) == {"Fold"}


def test_a_device_goes_back_to_what_was_replaced():
    story = Story()
    story.write("one")
    story.write("two")
    story.device(motd="one")
    story.device(motd="two")
    story.device(motd="one")
    assert found(story.end({A: {"motd": "two"}})) == {"Convergence"}


def test_a_value_in_a_form_of_its_own_is_pushed_aside_once():
    """As where the answer to the Set was lost, so that no node knows the form."""
    story = Story()
    story.write("one")
    story.write("two")
    for motd in ("one", "TWO", "one", "two"):
        story.device(motd=motd)
    assert found(story.end({A: {"motd": "two"}})) == set()
    for motd in ("TWO", "one", "two"):
        story.device(motd=motd)
    assert found(story.end({A: {"motd": "two"}})) == {"Convergence"}


def test_a_device_may_have_done_a_rollback_that_it_refused():
    story = Story()
    story.write("one", name="eth1")
    number = story.write("two", name="eth1")
    story.rollback(number, told="reverted")
    for value in ("one", "two", "one", "two"):
        story.device(eth1=value)
    assert found(story.end({A: {"eth1": "two"}})) == set()


def test_a_device_that_lost_everything_may_be_given_it_again():
    story = Story()
    story.write("one")
    story.write("two")
    for motd in ("one", "two"):
        story.device(motd=motd)
    story.device(kind="restart", motd=None)
    for motd in ("one", "two"):
        story.device(motd=motd)
    assert found(story.end({A: {"motd": "two"}})) == set()


# The end.


def test_a_node_does_not_hold_what_the_log_adds_up_to():
    story = Story()
    story.write("one")
    assert found(story.end({A: {"motd": "two"}})) == {"Fold", "Convergence"}


def test_what_was_withdrawn_is_still_there():
    story = Story()
    story.write("one", mode="queued", name="eth1", told="committed", becomes="partial", parts={A: "refused"})
    assert found(story.end({A: {"eth1": "one"}})) == {"Fold", "Convergence"}


def test_a_rollback_that_does_not_bring_back_what_was_there():
    story = Story()
    story.write("one", name="eth1")
    number = story.write("two", name="eth1")
    story.rollback(number)
    assert found(story.end({A: {}})) == {"Undo", "Convergence"}


def test_a_rolled_back_delete_that_stays():
    story = Story()
    story.write("one", name="eth1")
    number = story.write("gone", name="eth1", deletes=True)
    story.rollback(number)
    assert found(story.end({A: {"eth1": "one"}})) == set()
    assert found(story.end({A: {}})) == {"Undo", "Convergence"}


def test_a_delete_stands_where_it_found_nothing():
    """Rolled back, a delete brings back what it took once no other delete stands there."""
    story = Story()
    story.write("one", name="eth1")
    first = story.write("gone", name="eth1", deletes=True)
    second = story.write("more", name="eth1", deletes=True)
    story.rollback(first)
    assert found(story.end({A: {"eth1": "one"}})) == {"Undo", "Convergence"}
    story.rollback(second)
    assert found(story.end({A: {"eth1": "one"}})) == set()


def test_a_restore_brings_back_what_stood():
    story = Story()
    number = story.write("one", name="eth1")
    story.write("two", name="eth1")
    story.write("more", name="eth2")
    story.restore(number)
    story.read(d1={"eth1": "one"})
    assert found(story.end({A: {"eth1": "one"}})) == set()
    assert found(story.end({A: {"eth1": "two", "eth2": "more"}})) == {"Fold", "Convergence"}


def test_a_restore_of_a_restore_and_one_that_was_reverted():
    story = Story()
    one = story.write("one", name="eth1")
    two = story.write("two", name="eth1")
    story.restore(one)
    story.restore(two)
    story.restore(one, told="reverted")
    assert found(story.end({A: {"eth1": "two"}})) == set()
    assert found(story.end({A: {"eth1": "one"}})) == {"Fold", "Convergence"}


def test_a_restore_is_on_other_targets():
    story = Story()
    one = story.write("one", A, B)
    story.restore(one, A)
    story.operations[-1]["only"] = [A, B]
    assert found(story.end({A: {"motd": "one"}, B: {"motd": "one"}})) == {"Decision"}


def test_a_device_may_go_back_to_what_was_replaced_where_that_is_asked_for():
    story = Story()
    number = story.write("one", name="eth1")
    story.write("two", name="eth1")
    story.restore(number)
    for value in ("one", "two", "one"):
        story.device(eth1=value)
    assert found(story.end({A: {"eth1": "one"}})) == set()


def test_what_was_adopted_stands():
    story = Story()
    story.write("one", name="hostname")
    story.adopt(hostname="theirs")
    story.read(d1={"hostname": "theirs"})
    story.write("two", name="eth1")
    assert found(story.end({A: {"hostname": "theirs", "eth1": "two"}})) == set()
    assert found(story.end({A: {"hostname": "one", "eth1": "two"}})) == {"Fold", "Convergence"}


def test_what_was_adopted_nobody_wrote():
    """As where a device rewrites what it is told."""
    story = Story()
    story.write("one")
    story.read(d1="ONE")
    assert "Isolation" in found(story.end({A: {"motd": "one"}}))
    story = Story()
    story.write("one")
    story.adopt(motd="ONE")
    story.read(d1="ONE")
    assert "Isolation" not in found(story.end({A: {"motd": "ONE"}}))


def test_nothing_of_before_counts_for_a_target_that_comes_again():
    story = Story()
    story.comes()
    story.write("one", name="eth1")
    story.comes()
    story.write("two", name="eth2")
    story.read(d1={"eth2": "two"})
    assert found(story.end({A: {"eth2": "two"}})) == set()
    assert found(story.end({A: {"eth1": "one", "eth2": "two"}})) == {"Fold", "Convergence"}
    story.read(d1={"eth1": "one", "eth2": "two"})
    assert found(story.end({A: {"eth2": "two"}})) == {"Isolation"}


def test_a_device_is_left_behind():
    story = Story()
    story.write("one")
    assert found(story.end({A: {"motd": "one"}}, devices={A: {}})) == {"Convergence"}


def test_what_is_committed_is_not_applied():
    story = Story()
    story.listed[A] = [3, 2, "device"]
    assert found(story.end()) == {"Convergence"}


@pytest.mark.parametrize("target, fencing", [(A, "store-only"), (B, "device"), (B, "unknown")])
def test_a_device_is_taken_for_one_that_turns_masters_away_or_not(target, fencing):
    story = Story()
    story.listed[target] = [3, 3, fencing]
    assert found(story.end()) == {"Fencing"}


def test_a_target_that_does_not_come_to_rest():
    assert found(Story().end(stuck={A: "pending"})) == {"Convergence"}


def test_a_transaction_without_an_outcome():
    story = Story()
    story.write("one", told="committed")
    assert found(story.end()) == {"Progress"}

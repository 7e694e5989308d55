//! Commit-confirmed: tried on every device before any of them keeps it.

use lockstep_protocol::record::{PartStatus, Status, Trials};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Answer, Ask, Command, Event};

use crate::support::{
    DEADLINE, N1, NOW, World, change, claim, connection, delta, due, failure, index, read, send,
    set, set_on, target, tree,
};

/// What a device waits longer than the transaction has left.
const SLACK: u64 = 60_000_000_000;

fn can_try(world: &mut World, on: &str, link: u64, trials: Trials) {
    let event = Event::Trials { target: target(on), connection: connection(link), trials };
    assert_eq!(world.tell(N1, event), []);
}

/// One node, in line with devices that take things on trial.
fn ready(trials: Trials) -> World {
    let mut world = World::new(1, ["t1", "t2"]);
    for on in ["t1", "t2"] {
        let take = world.connect(N1, on, 1);
        can_try(&mut world, on, 1, trials);
        world.drive(N1, take);
    }
    world
}

fn trial() -> Ask {
    let delta = delta([("/a", Some("1"))]);
    Ask::Trial { index: index(1), delta, rollback: DEADLINE - NOW + SLACK }
}

/// A change of both, sent to both.
fn sent(world: &mut World) -> Vec<Command> {
    let both = change("a", [("t1", set([("/a", "1")])), ("t2", set([("/a", "1")]))]);
    let sent = world.commit(N1, 1, both);
    assert_eq!(sent, [send("t1", 3, trial()), send("t2", 3, trial())]);
    sent
}

/// The first of two devices accepted it, and that is recorded.
fn half(world: &mut World, sent: &[Command]) {
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    assert_eq!(world.perform(N1, &record), []);
    assert_eq!(world.part(1, "t1"), PartStatus::Accepted);
    let waits = world.store.waiting_for(world.transaction(1), &target("t1"));
    assert_eq!(waits, Some(Wait::Trial));
}

#[test]
fn one_target_needs_no_trial_unless_always() {
    for (trials, tried) in [(Trials::Shared, false), (Trials::Always, true)] {
        let mut world = ready(trials);
        world.commit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
        assert_eq!(world.transaction(1).trial, tried);
    }
}

#[test]
fn all_have_to_be_able_to() {
    let mut world = World::ready(["t1", "t2"]);
    world.commit(N1, 1, change("a", [("t1", set([("/a", "1")])), ("t2", set([("/a", "1")]))]));
    assert!(!world.transaction(1).trial);
}

#[test]
fn with_the_last_acceptance_the_only_way_is_on() {
    let mut world = ready(Trials::Shared);
    let sent = sent(&mut world);
    half(&mut world, &sent);
    let record = world.answer(N1, &sent[1..], Answer::Accepted);
    let confirms = world.perform(N1, &record);
    assert_eq!(world.status(1), Status::Confirming);
    let confirm = || Ask::Confirm(index(1));
    assert_eq!(confirms, [send("t1", 4, confirm()), send("t2", 4, confirm())]);
    let waits = |world: &World| world.store.waiting_for(world.transaction(1), &target("t1"));
    assert_eq!(waits(&world), Some(Wait::Confirming));
    assert!(world.store.applied(&target("t1")).is_empty());

    let record = world.answer(N1, &confirms[..1], Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!(world.header("t1").trial, None);
    // The other one lost it: a resync brings it.
    let record = world.answer(N1, &confirms[1..], Answer::Lost);
    let next = world.perform(N1, &record);
    assert_eq!(world.status(1), Status::Applied);
    let claims = next.iter().filter(|c| **c == claim("t2", (1, 5, 1))).cloned().collect::<Vec<_>>();
    assert_eq!(world.answer(N1, &claims, Answer::Accepted), [send("t2", 6, confirm())]);
}

#[test]
fn a_refusal_takes_it_back_everywhere() {
    let mut world = ready(Trials::Shared);
    let sent = sent(&mut world);
    half(&mut world, &sent);
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    assert_eq!(world.status(1), Status::Reverting);
    let cancel = || Ask::Cancel(index(1));
    assert_eq!(next, [send("t1", 4, cancel()), claim("t2", (1, 4, 1))]);
    let record = world.answer(N1, &next[..1], Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!(world.status(1), Status::Reverted);
    // What was refused may have been sent before, and is out of the way before the device is read.
    let clears = world.answer(N1, &next[1..], Answer::Accepted);
    assert_eq!(clears, [send("t2", 5, cancel())]);
    assert_eq!(world.answer(N1, &clears, Answer::Lost), [read("t2", (1, 6, 1))]);
}

/// Accepted by the first of two devices, which then has a new connection.
fn again(world: &mut World) -> Vec<Command> {
    let sent = sent(world);
    half(world, &sent);
    let take = world.connect(N1, "t1", 2);
    can_try(world, "t1", 2, Trials::Shared);
    let back = world.perform(N1, &take);
    let claims = world.perform(N1, &back);
    assert_eq!(world.part(1, "t1"), PartStatus::Pending);
    assert_eq!(claims, [claim("t1", (2, 4, 2))]);
    claims
}

#[test]
fn what_was_accepted_on_an_old_connection_is_taken_back_and_tried_again() {
    let mut world = ready(Trials::Shared);
    let claims = again(&mut world);
    let clears = world.answer(N1, &claims, Answer::Accepted);
    assert_eq!(clears, [set_on("t1", (2, 5, 2), Ask::Cancel(index(1)))]);
    let reads = world.answer(N1, &clears, Answer::Accepted);
    assert_eq!(reads, [read("t1", (2, 6, 2))]);
    let record = world.answer(N1, &reads, Answer::Values(tree([])));
    assert_eq!(world.perform(N1, &record), [set_on("t1", (2, 7, 2), trial())]);
}

#[test]
fn a_trial_that_is_in_the_way_of_the_claim_goes_first() {
    let mut world = ready(Trials::Shared);
    let claims = again(&mut world);
    let clears = world.answer(N1, &claims, Answer::Refused(failure()));
    assert_eq!(clears, [set_on("t1", (2, 5, 2), Ask::Cancel(index(1)))]);
    assert_eq!(world.answer(N1, &clears, Answer::Accepted), [claim("t1", (2, 6, 2))]);
}

#[test]
fn a_claim_is_refused_for_a_reason_of_its_own() {
    let mut world = ready(Trials::Shared);
    let claims = again(&mut world);
    let clears = world.answer(N1, &claims, Answer::Refused(failure()));
    let record = world.answer(N1, &clears, Answer::Lost);
    world.perform(N1, &record);
    assert_eq!(world.header("t1").resync_refused, Some(failure()));
}

/// Tried on one device, which is busy; its deadline is beyond the next try.
fn busy(world: &mut World) -> u64 {
    let deadline = NOW + SLACK;
    let request = due(change("a", [("t1", set([("/a", "1")]))]), deadline);
    let sent = world.commit(N1, 1, request);
    assert_eq!(world.answer(N1, &sent, Answer::Busy), []);
    deadline
}

#[test]
fn the_timer_is_what_the_transaction_has_left_and_more() {
    let mut world = ready(Trials::Always);
    let deadline = busy(&mut world);
    let tried = world.tick(N1, deadline);
    let delta = delta([("/a", Some("1"))]);
    assert_eq!(tried, [send("t1", 4, Ask::Trial { index: index(1), delta, rollback: SLACK })]);
}

#[test]
fn a_late_node_does_not_begin_a_trial() {
    let mut world = ready(Trials::Always);
    let deadline = busy(&mut world);
    let turn = world.tick(N1, deadline + 1);
    let next = world.perform(N1, &turn);
    assert_eq!(world.status(1), Status::Reverting);
    assert_eq!(next, [send("t1", 4, Ask::Cancel(index(1)))]);
}

#[test]
fn a_device_that_takes_nothing_on_trial_any_more_refuses() {
    let mut world = ready(Trials::Always);
    let deadline = busy(&mut world);
    can_try(&mut world, "t1", 1, Trials::Never);
    let record = world.tick(N1, deadline);
    world.perform(N1, &record);
    assert_eq!(world.part(1, "t1"), PartStatus::Refused);
}

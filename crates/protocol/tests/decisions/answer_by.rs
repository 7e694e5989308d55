//! A client that says when it is to be answered is told by then how far its transaction is; one that has
//! gone away is not told anything.

use lockstep_protocol::record::Status;
use lockstep_protocol::{Answer, Request};

use crate::support::{
    DEADLINE, LATE, N1, World, answer, answered_by, asynchronous, change, due, queued, set, time,
};

/// When clients of these tests want to be answered.
const BY: u64 = LATE + 500;

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

#[test]
fn while_it_is_applied() {
    let mut world = World::ready(["t1"]);
    let request = due(answered_by(one("a", "1"), BY), 10 * DEADLINE);
    let sent = world.commit(N1, 1, request);
    assert_eq!(world.node(N1).next_due(), Some(time(BY)));
    assert_eq!(world.tick(N1, BY - 1), [], "not yet");
    assert_eq!(world.tick(N1, BY), [answer(1, 1, Status::Committed)]);
    let record = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [], "it was answered");
    assert_eq!(world.status(1), Status::Applied, "and goes on all the same");
}

#[test]
fn while_it_is_reverted() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, due(answered_by(one("a", "1"), BY), 10 * DEADLINE));
    let turn = world.cancel(N1, 2, 1);
    assert_eq!(world.perform(N1, &turn), [answer(2, 1, Status::Reverting)]);
    assert_eq!(world.tick(N1, BY), [answer(1, 1, Status::Reverting)]);
    let undo = world.answer(N1, &sent, Answer::Accepted);
    world.drive(N1, undo);
    assert_eq!((world.status(1), &world.told[..]), (Status::Reverted, &[][..]));
}

#[test]
fn a_queued_one_whose_device_does_not_answer() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, queued(answered_by(one("a", "1"), BY)));
    assert_eq!(world.tick(N1, LATE), [], "its deadline says nothing once it is committed");
    assert_eq!(world.tick(N1, BY), [answer(1, 1, Status::Committed)]);
}

#[test]
fn one_that_is_not_decided() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, due(one("a", "1"), 10 * DEADLINE));
    let second = asynchronous(due(answered_by(one("b", "2"), BY), 10 * DEADLINE));
    let append = world.submit(N1, 2, second);
    world.perform(N1, &append);
    assert_eq!(world.tick(N1, BY), [answer(2, 2, Status::Pending)]);
}

#[test]
fn an_outcome_in_time_is_told_at_once_and_nothing_afterwards() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, answered_by(one("a", "1"), BY));
    world.drive(N1, sent);
    assert_eq!(world.told, [answer(1, 1, Status::Applied)]);
    assert!(world.node(N1).desk().has_no_clients());
    assert_eq!(world.node(N1).next_due(), None);
    assert_eq!(world.tick(N1, BY), []);
}

#[test]
fn nothing_is_kept_of_who_has_left() {
    let mut world = World::ready(["t1"]);
    let request = |by| due(answered_by(one("a", "1"), by), 10 * DEADLINE);
    world.commit(N1, 1, request(BY));
    assert_eq!(world.submit(N1, 2, request(BY)), []);
    assert_eq!(world.submit(N1, 3, request(BY + 7)), []);
    world.leave(N1, 1, "a");
    assert_eq!(world.node(N1).next_due(), Some(time(BY)), "another wants to be answered then");
    world.leave(N1, 2, "a");
    assert_eq!(world.node(N1).next_due(), Some(time(BY + 7)));
    world.leave(N1, 3, "a");
    assert!(world.node(N1).desk().has_no_clients());
}

#[test]
fn each_of_those_who_ask_for_the_same_at_its_own_time() {
    let mut world = World::ready(["t1"]);
    let request = |by| due(answered_by(one("a", "1"), by), 10 * DEADLINE);
    let sent = world.commit(N1, 1, request(BY + 7));
    assert_eq!(world.submit(N1, 2, request(BY)), []);
    assert_eq!(world.submit(N1, 3, request(BY)), []);
    assert_eq!(world.submit(N1, 4, due(one("a", "1"), 10 * DEADLINE)), []);
    let both = [answer(2, 1, Status::Committed), answer(3, 1, Status::Committed)];
    assert_eq!(world.tick(N1, BY), both);
    assert_eq!(world.tick(N1, BY + 7), [answer(1, 1, Status::Committed)]);
    world.drive(N1, sent);
    assert_eq!(world.told, [answer(4, 1, Status::Applied)], "whenever that is");
}

#[test]
fn who_has_left_is_not_answered_and_the_others_are() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    assert_eq!(world.submit(N1, 2, one("a", "1")), []);
    assert_eq!(world.leave(N1, 1, "a"), []);
    world.drive(N1, sent);
    assert_eq!(world.told, [answer(2, 1, Status::Applied)]);
}

#[test]
fn who_has_left_is_not_answered_when_its_time_comes_either() {
    let mut world = World::ready(["t1"]);
    let request = |by| due(answered_by(one("a", "1"), by), 10 * DEADLINE);
    world.commit(N1, 1, request(BY));
    assert_eq!(world.submit(N1, 2, request(BY)), []);
    assert_eq!(world.leave(N1, 1, "a"), []);
    assert_eq!(world.tick(N1, BY), [answer(2, 1, Status::Committed)]);
}

#[test]
fn what_it_asked_for_goes_on_when_everyone_has_left() {
    let mut world = World::ready(["t1"]);
    let asked = world.submit(N1, 1, one("a", "1"));
    assert_eq!(world.leave(N1, 1, "a"), [], "before it is in the log");
    let append = world.valid(N1, &asked);
    let sent = world.perform(N1, &append);
    world.drive(N1, sent);
    assert_eq!((world.status(1), &world.told[..]), (Status::Applied, &[][..]));
    assert_eq!(world.submit(N1, 2, one("a", "1")), [answer(2, 1, Status::Applied)]);
}

#[test]
fn leaving_what_one_did_not_ask_for_changes_nothing() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    assert_eq!(world.leave(N1, 2, "a"), []);
    assert_eq!(world.leave(N1, 1, "b"), []);
    world.drive(N1, sent);
    assert_eq!(world.told, [answer(1, 1, Status::Applied)]);
}

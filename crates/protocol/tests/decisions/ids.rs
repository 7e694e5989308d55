//! Ids: the same id and body is answered with the first outcome, with another body it is an error.

use lockstep_protocol::record::Status;
use lockstep_protocol::{Answer, Command, Refusal, Request};

use crate::support::{
    LATE, N1, N2, World, answer, answered_by, asynchronous, change, index, queued, refused_answer,
    rollback, rollback_on, set,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

#[test]
fn the_same_again_is_answered_with_the_first_outcome() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "1"));
    assert_eq!(world.submit(N1, 2, one("a", "1")), [answer(2, 1, Status::Applied)]);
    assert_eq!(world.store.head().index, index(1), "nothing is written");
}

#[test]
fn the_same_while_it_is_open_waits_with_the_first() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    assert_eq!(world.submit(N1, 2, one("a", "1")), []);
    let sooner = world.submit(N1, 3, asynchronous(one("a", "1")));
    assert_eq!(sooner, [answer(3, 1, Status::Committed)], "it asked for the decision only");
    let record = world.answer(N1, &sent, Answer::Accepted);
    let told = world.perform(N1, &record);
    assert_eq!(told, [answer(1, 1, Status::Applied), answer(2, 1, Status::Applied)]);
}

#[test]
fn the_same_before_it_is_in_the_log_waits_with_the_first() {
    let mut world = World::ready(["t1"]);
    let asked = world.submit(N1, 1, one("a", "1"));
    assert_eq!(world.submit(N1, 2, one("a", "1")), [], "asked of yang already");
    let append = world.valid(N1, &asked);
    let sent = world.perform(N1, &append);
    world.drive(N1, sent);
    assert_eq!(world.told, [answer(1, 1, Status::Applied), answer(2, 1, Status::Applied)]);
    assert_eq!(world.store.head().index, index(1));
}

#[test]
fn another_body_is_an_error() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, one("a", "1"));
    let wider = change("a", [("t1", set([("/a", "1")])), ("t2", set([("/a", "1")]))]);
    let elsewhere = change("a", [("t2", set([("/a", "1")]))]);
    for other in [one("a", "2"), queued(one("a", "1")), wider, elsewhere, rollback("a", 1)] {
        let taken = refused_answer(2, Refusal::IdTaken(index(1)));
        assert_eq!(world.submit(N1, 2, other.clone()), [taken], "{other:?}");
    }
}

#[test]
fn another_body_is_an_error_before_the_first_is_in_the_log() {
    let mut world = World::ready(["t1"]);
    world.submit(N1, 1, one("a", "1"));
    let answer = world.submit(N1, 2, one("a", "2"));
    assert_eq!(answer, [refused_answer(2, Refusal::IdPending)]);
}

#[test]
fn a_rollback_on_other_targets_is_another_body() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    world.submit_and_drive(N1, 1, change("a", [("t1", edit.clone()), ("t2", edit)]));
    world.submit_and_drive(N1, 2, rollback_on("b", 1, ["t1"]));
    let same = world.submit(N1, 3, rollback_on("b", 1, ["t1"]));
    assert_eq!(same, [answer(3, 2, Status::Applied)]);
    for other in [rollback_on("b", 1, ["t2"]), rollback("b", 1)] {
        let taken = refused_answer(4, Refusal::IdTaken(index(2)));
        assert_eq!(world.submit(N1, 4, other), [taken]);
    }
}

/// Two nodes with the same id under way; the second one's append wins. What the first does then.
fn race(first: Request, second: Request) -> (World, Vec<Command>) {
    let mut world = World::new(2, ["t1"]);
    let first = answered_by(first, LATE);
    let asked = [
        world.submit(N1, 1, asynchronous(queued(first))),
        world.submit(N2, 2, asynchronous(queued(second))),
    ];
    let append = [world.valid(N1, &asked[0]), world.valid(N2, &asked[1])];
    assert_eq!(world.perform(N2, &append[1]), [answer(2, 1, Status::Committed)]);
    let next = world.perform(N1, &append[0]);
    assert!(world.node(N1).desk().has_no_clients(), "whatever it was told");
    (world, next)
}

#[test]
fn two_nodes_with_one_id_and_body_are_answered_alike() {
    let (world, told) = race(one("a", "1"), one("a", "1"));
    assert_eq!(told, [answer(1, 1, Status::Committed)]);
    assert_eq!(world.store.head().index, index(1));
}

#[test]
fn two_nodes_with_one_id_and_two_bodies_are_not() {
    let (mut world, told) = race(one("a", "1"), one("a", "2"));
    assert_eq!(told, [refused_answer(1, Refusal::IdTaken(index(1)))]);
    assert_eq!(world.store.head().index, index(1), "the second body is in no log");
    // And it is not answered a second time when the transaction moves on.
    world.connect_and_drive(N2, "t1", 1);
    assert_eq!(world.status(1), Status::Applied);
    assert_eq!(world.watch(N1), []);
}

#[test]
fn a_verdict_on_what_lost_its_id_is_of_no_use_and_not_kept() {
    let mut world = World::new(2, ["t1"]);
    let asked = world.submit(N1, 1, asynchronous(queued(one("a", "1"))));
    let theirs = world.submit(N2, 2, asynchronous(queued(one("a", "1"))));
    let append = world.valid(N2, &theirs);
    world.perform(N2, &append);
    world.watch(N1);
    assert_eq!(world.valid(N1, &asked), []);
    let desk = format!("{:?}", world.node(N1).desk());
    assert!(desk.contains("verdicts: {}") && desk.contains("validating: {}"), "{desk}");
}

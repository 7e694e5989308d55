//! Every way a Rollback is refused, before Submit or at its decision, with what is in the way.

use lockstep_protocol::record::{PartStatus, Reason, Status};
use lockstep_protocol::{Answer, Refusal, Request};

use crate::support::{
    LATE, N1, World, change, clear, close, delta, failure, index, mark, queued, refused_answer,
    restore, rollback, rollback_by_path, rollback_on, set, sets, target, tree, violation,
};

fn one(name: &str, path: &str) -> Request {
    change(name, [("t1", set([(path, name)]))])
}

/// The Rollback at this index was rejected for this reason, and nothing moved but the index.
fn rejected(world: &World, at: u64, reason: Reason) {
    let transaction = world.transaction(at);
    assert_eq!((transaction.status, &transaction.reason), (Status::Rejected, &Some(reason)));
    assert_eq!(world.part(at, "t1"), PartStatus::Pending);
    assert_eq!(world.header("t1").committed.index, index(at));
    assert_eq!(world.header("t1").holder, None);
}

#[test]
fn of_what_is_not_in_the_log() {
    let mut world = World::ready(["t1"]);
    let answer = world.submit(N1, 1, rollback("a", 7));
    assert_eq!(answer, [refused_answer(1, Refusal::UnknownTransaction(index(7)))]);
}

#[test]
fn of_what_is_not_a_change() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    world.submit_and_drive(N1, 2, rollback("b", 1));
    let answer = world.submit(N1, 3, rollback("c", 2));
    assert_eq!(answer, [refused_answer(3, Refusal::NotAChange(index(2)))]);
}

#[test]
fn on_a_target_its_change_does_not_have() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    let answer = world.submit(N1, 2, rollback_on("b", 1, ["t2"]));
    let refusal = Refusal::NotConcerned { of: index(1), target: target("t2") };
    assert_eq!(answer, [refused_answer(2, refusal)]);
}

#[test]
fn of_what_was_rejected() {
    let mut world = World::ready(["t1"]);
    let asked = world.submit(N1, 1, one("a", "/a"));
    let append = world.verdict(N1, &asked, vec![violation("t1")]);
    world.perform(N1, &append);
    world.submit_and_drive(N1, 2, rollback("b", 1));
    rejected(&world, 2, Reason::NotCommitted(index(1)));
}

#[test]
fn of_what_was_reverted() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "/a"));
    // Asked for while the change was still open: it queues behind it.
    let append = world.submit(N1, 2, rollback("b", 1));
    world.perform(N1, &append);
    assert_eq!(world.status(2), Status::Pending);
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    rejected(&world, 2, Reason::NotCommitted(index(1)));
}

#[test]
fn of_what_was_rolled_back_already() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    world.submit_and_drive(N1, 2, rollback("b", 1));
    world.submit_and_drive(N1, 3, rollback("c", 1));
    rejected(&world, 3, Reason::NotLive(index(1)));
}

#[test]
fn of_what_was_withdrawn_everywhere() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "/a")));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    world.submit_and_drive(N1, 2, rollback("b", 1));
    rejected(&world, 2, Reason::NotLive(index(1)));
}

#[test]
fn by_target_when_a_later_change_is_live() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    world.submit_and_drive(N1, 2, one("b", "/b"));
    world.submit_and_drive(N1, 3, rollback("c", 1));
    rejected(&world, 3, Reason::Superseded { target: target("t1"), by: index(2) });

    // Once that one is gone, nothing is in the way.
    world.submit_and_drive(N1, 4, rollback("d", 2));
    world.submit_and_drive(N1, 5, rollback("e", 1));
    assert_eq!((world.status(4), world.status(5)), (Status::Applied, Status::Applied));
}

#[test]
fn by_path_when_a_later_change_wrote_one_of_its_paths() {
    let mut world = World::ready(["t1"]);
    let wide = change("a", [("t1", set([("/a", "a"), ("/b", "a")]))]);
    world.submit_and_drive(N1, 1, wide);
    world.submit_and_drive(N1, 2, one("b", "/b"));
    world.submit_and_drive(N1, 3, rollback_by_path("c", 1));
    rejected(&world, 3, Reason::Superseded { target: target("t1"), by: index(2) });
}

#[test]
fn by_path_when_a_later_change_cleared_one_of_its_paths_again() {
    let mut world = World::ready(["t1"]);
    let cleared = |name: &str, path: &str| change(name, [("t1", clear([path]))]);
    world.submit_and_drive(N1, 1, one("a", "/x/a"));
    world.submit_and_drive(N1, 2, cleared("b", "/x/a"));
    // There is nothing any more where this one clears, so it writes nothing.
    world.submit_and_drive(N1, 3, cleared("c", "/x"));
    world.submit_and_drive(N1, 4, rollback_by_path("d", 2));
    rejected(&world, 4, Reason::Superseded { target: target("t1"), by: index(3) });

    // Once that one is gone, nothing is in the way; and one that clears elsewhere never was.
    world.submit_and_drive(N1, 5, rollback_by_path("e", 3));
    world.submit_and_drive(N1, 6, cleared("f", "/y"));
    world.submit_and_drive(N1, 7, rollback_by_path("g", 2));
    assert_eq!((world.status(5), world.status(7)), (Status::Applied, Status::Applied));
    assert!(world.device("t1").same_values(&tree([("/x/a", "a")])));
}

#[test]
fn by_path_when_a_later_restore_found_it_as_it_wanted_it() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    world.submit_and_drive(N1, 2, one("b", "/b"));
    // It takes the second out, and writes nothing where the first stands.
    world.submit_and_drive(N1, 3, restore("c", 1, ["t1"]));
    world.submit_and_drive(N1, 4, rollback_by_path("d", 1));
    rejected(&world, 4, Reason::Superseded { target: target("t1"), by: index(3) });
    assert!(world.device("t1").same_values(&tree([("/a", "a")])));

    // Once that one is gone, nothing is in the way.
    world.submit_and_drive(N1, 5, rollback_by_path("e", 3));
    world.submit_and_drive(N1, 6, rollback_by_path("f", 1));
    assert_eq!((world.status(5), world.status(6)), (Status::Applied, Status::Applied));
    assert!(world.device("t1").same_values(&tree([("/b", "b")])));
}

#[test]
fn when_what_stood_before_is_not_valid_any_more() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    let asked = world.submit(N1, 2, rollback("b", 1));
    let append = world.verdict(N1, &asked, vec![violation("t1")]);
    world.perform(N1, &append);
    rejected(&world, 2, Reason::Invalid(vec![violation("t1")]));
    assert_eq!(world.transaction(1).targets.get(&target("t1")).unwrap().rolled_back_by, None);
}

#[test]
fn cancelled_it_turns() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    let sent = world.commit(N1, 2, rollback("b", 1));
    let turn = world.cancel(N1, 3, 2);
    world.perform(N1, &turn);
    assert_eq!((world.status(2), world.header("t1").committed), (Status::Reverting, mark(2, 1)));
    let undo = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(sets(&undo), [&delta([("/a", Some("a"))])]);
    world.drive(N1, undo);
    assert_eq!(world.status(2), Status::Reverted);
    assert!(world.device("t1").same_values(&tree([("/a", "a")])));
}

#[test]
fn past_its_deadline_its_device_is_not_waited_for() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    world.commit(N1, 2, rollback("b", 1));
    let turn = world.tick(N1, LATE);
    let given_up = world.perform(N1, &turn);
    assert_eq!((world.status(2), world.header("t1").committed), (Status::Reverting, mark(2, 1)));
    assert_eq!(given_up[0], close("t1", 1));
    let released = world.perform(N1, &given_up);
    world.drive(N1, released);
    assert_eq!((world.status(2), world.part(2, "t1")), (Status::Reverted, PartStatus::Undone));

    // The device took it all the same: the resync brings back what it took out.
    *world.device("t1") = tree([]);
    world.connect_and_drive(N1, "t1", 2);
    assert!(world.device("t1").same_values(&tree([("/a", "a")])));
}

//! Rule 7: a Set whose outcome is unknown ends the term; a late delivery of it is then fenced.

use lockstep_protocol::record::{Key, Mastership, PartStatus, Status};
use lockstep_protocol::{Answer, Ask, Command, Compare, Event, Op, Request, Wake};
use lockstep_types::Sequence;

use crate::support::{
    LATE, N1, World, change, claim, close, connection, delta, queued, read, session, set, set_on,
    target, term, tree, write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

#[test]
fn the_connection_is_closed_and_the_target_let_go() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let given_up = world.answer(N1, &sent, Answer::Unknown);

    let t1 = target("t1");
    let mastership =
        Mastership { session: None, term: term(1), connection: connection(1), next: None };
    let released = world.txn(
        [Key::Mastership(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [Op::Mastership { target: t1.clone(), mastership }],
    );
    assert_eq!(given_up, [close("t1", 1), write(Wake::Target(t1), released)]);
    assert_eq!(world.perform(N1, &given_up), []);
    assert_eq!(world.part(1, "t1"), PartStatus::Pending, "nobody knows");
}

#[test]
fn the_next_connection_is_a_new_term_that_claims_and_reads() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let given_up = world.answer(N1, &sent, Answer::Unknown);
    world.perform(N1, &given_up);
    assert_eq!(world.disconnect(N1, "t1", 1), []);
    let take = world.connect(N1, "t1", 2);
    let claimed = world.perform(N1, &take);
    assert_eq!(claimed, [claim("t1", (2, 4, 2))]);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    assert_eq!(reading, [read("t1", (2, 5, 2))]);

    // It did land: that is left as it is, and the head is sent again all the same.
    let synced = world.answer(N1, &reading, Answer::Values(tree([("/a", "1")])));
    let again = world.perform(N1, &synced);
    assert_eq!(again, [set_on("t1", (2, 6, 2), Ask::Set(delta([("/a", Some("1"))])))]);
    world.drive(N1, again);
    assert_eq!(world.status(1), Status::Applied);
}

#[test]
fn past_its_deadline_it_is_undone_in_the_store() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let given_up = world.answer(N1, &sent, Answer::Unknown);
    world.perform(N1, &given_up);
    let turn = world.tick(N1, LATE);
    let undone = world.perform(N1, &turn);
    let [Command::Write { txn, .. }] = &undone[..] else { panic!("{undone:?}") };
    assert!(txn.compares.contains(&Compare::Unchanged(
        Key::Mastership(target("t1")),
        world.store.version(&Key::Mastership(target("t1"))),
    )));
    world.perform(N1, &undone);
    assert_eq!((world.status(1), world.part(1, "t1")), (Status::Reverted, PartStatus::Undone));

    // It did land: the resync takes it away.
    *world.device("t1") = tree([("/a", "1")]);
    world.connect_and_drive(N1, "t1", 2);
    assert!(world.device("t1").is_empty());
}

#[test]
fn an_answer_that_comes_late_is_nobodys() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let given_up = world.answer(N1, &sent, Answer::Unknown);
    world.perform(N1, &given_up);
    let late = Event::Answered {
        target: target("t1"),
        connection: connection(1),
        sequence: Sequence::new(3),
        answer: Answer::Accepted,
    };
    assert_eq!(world.tell(N1, late.clone()), []);
    let take = world.connect(N1, "t1", 2);
    world.perform(N1, &take);
    assert_eq!(world.tell(N1, late), []);
    assert_eq!(world.part(1, "t1"), PartStatus::Pending);
}

#[test]
fn a_lost_connection_is_the_same() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, queued(one("a", "1")));
    let released = world.disconnect(N1, "t1", 1);
    assert_eq!(world.perform(N1, &released), []);
    assert_eq!(world.store.mastership(&target("t1")).expect("a record").session, None);
    let take = world.connect(N1, "t1", 2);
    assert_eq!(world.perform(N1, &take), [claim("t1", (2, 4, 2))]);
}

#[test]
fn back_before_it_could_let_go_it_is_a_new_term_all_the_same() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, queued(one("a", "1")));
    let take = world.connect(N1, "t1", 2);
    assert_eq!(world.perform(N1, &take), [claim("t1", (2, 4, 2))]);
    let mastership = world.store.mastership(&target("t1")).expect("a record").clone();
    let expected = Mastership {
        session: Some(session("s1")),
        term: term(2),
        connection: connection(2),
        next: None,
    };
    assert_eq!(mastership, expected);
}

#[test]
fn an_undo_of_unknown_outcome_is_finished_in_the_store() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "1"));
    let sent = world.commit(N1, 2, one("b", "2"));
    let turn = world.cancel(N1, 3, 2);
    world.perform(N1, &turn);
    let undo = world.answer(N1, &sent, Answer::Accepted);
    let given_up = world.answer(N1, &undo, Answer::Unknown);
    let undone = world.perform(N1, &given_up);
    world.drive(N1, undone);
    assert_eq!((world.status(2), world.part(2, "t1")), (Status::Reverted, PartStatus::Undone));
    *world.device("t1") = tree([("/a", "2")]);
    world.connect_and_drive(N1, "t1", 2);
    assert!(world.device("t1").same_values(&tree([("/a", "1")])));
}

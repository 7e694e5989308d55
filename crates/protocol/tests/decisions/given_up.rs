//! Rule 7: no device is waited for past the deadline of what it was sent. The Set is given up, the term
//! with it, and the undo is written in the store (rule 4).

use lockstep_protocol::record::{Header, Key, Mastership, PartStatus, Status, Transaction};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Answer, Ask, Command, Compare, Event, Op, Request, Txn, Wake};
use lockstep_types::Sequence;

use crate::support::{
    DEADLINE, LATE, N1, N2, World, absent, answer, asynchronous, change, claim, close, connection,
    delta, due, failure, index, mark, patch, present, queued, send, session, set, target, term,
    time, tree, waited, write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

fn both(name: &str) -> Request {
    change(name, [("t1", set([("/a", "1")])), ("t2", set([("/a", "1")]))])
}

/// The master lets go of its target.
fn released(world: &World, on: &str) -> Txn {
    let on = target(on);
    let mastership =
        Mastership { session: None, term: term(1), connection: connection(1), next: None };
    world.txn(
        [Key::Mastership(on.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [Op::Mastership { target: on, mastership }],
    )
}

/// A Set that was outstanding when its deadline passed: the turn is written.
fn turned() -> (World, Vec<Command>) {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, one("a", "1"));
    let turn = world.tick(N1, LATE);
    let given_up = world.perform(N1, &turn);
    (world, given_up)
}

#[test]
fn the_connection_is_closed_and_the_target_let_go() {
    let (world, given_up) = turned();
    assert_eq!(world.status(1), Status::Reverting);
    let expected = write(Wake::Target(target("t1")), released(&world, "t1"));
    assert_eq!(given_up, [close("t1", 1), expected]);
}

#[test]
fn it_is_undone_in_the_store_while_there_is_no_master() {
    let (mut world, given_up) = turned();
    let undone = world.perform(N1, &given_up);

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Reverted,
        finished: Some(time(LATE)),
        targets: [(t1.clone(), waited(PartStatus::Undone, Wait::Device))].into(),
        ..world.transaction(1).clone()
    };
    let header = Header { applied: mark(1, 0), holder: None, ..world.header("t1") };
    let (committed, applied) = (patch([]), patch([]));
    let expected = world.txn(
        [Key::Transaction(index(1)), Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [],
        [
            Op::Transaction(transaction),
            Op::Configuration { target: t1.clone(), header, committed, applied, cleared: false },
        ],
    );
    assert_eq!(undone, [write(Wake::Target(t1), expected)]);
    assert_eq!(world.perform(N1, &undone), [answer(1, 1, Status::Reverted)]);
}

#[test]
fn another_node_may_be_the_first_to_undo_it() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.commit(N1, 1, one("a", "1"));
    let turn = world.tick(N1, LATE);
    let given_up = world.perform(N1, &turn);
    world.tick(N2, LATE);
    assert_eq!(world.watch(N2), [], "its master has not let go");
    world.perform(N1, &given_up);
    let undone = world.watch(N2);
    world.drive(N2, undone);
    assert_eq!(world.status(1), Status::Reverted);
    assert_eq!(world.watch(N1), [answer(1, 1, Status::Reverted)]);
}

#[test]
fn a_late_answer_is_nobodys() {
    for late in [Answer::Accepted, Answer::Refused(failure()), Answer::Unknown] {
        let (mut world, given_up) = turned();
        let event = Event::Answered {
            target: target("t1"),
            connection: connection(1),
            sequence: Sequence::new(3),
            answer: late,
        };
        assert_eq!(world.tell(N1, event.clone()), [], "while the release is on its way");
        let undone = world.perform(N1, &given_up);
        assert_eq!(world.tell(N1, event.clone()), [], "while the undo is on its way");
        world.perform(N1, &undone);
        assert_eq!(world.tell(N1, event), [], "after it");
        assert_eq!((world.status(1), world.part(1, "t1")), (Status::Reverted, PartStatus::Undone));
    }
}

#[test]
fn the_next_term_takes_away_what_landed() {
    let (mut world, given_up) = turned();
    let undone = world.perform(N1, &given_up);
    world.perform(N1, &undone);
    assert_eq!(world.disconnect(N1, "t1", 1), []);
    *world.device("t1") = tree([("/a", "1")]);
    let take = world.connect(N1, "t1", 2);
    let claimed = world.perform(N1, &take);
    assert_eq!(claimed, [claim("t1", (2, 4, 2))]);
    world.drive(N1, claimed);
    assert!(world.device("t1").is_empty());
}

#[test]
fn back_before_it_is_undone_it_is_undone_before_the_resync() {
    let (mut world, given_up) = turned();
    world.disconnect(N1, "t1", 1);
    let taken = world.connect(N1, "t1", 2);
    assert_eq!(taken, [], "the release is on its way");
    let take = world.perform(N1, &given_up);
    let undone = world.perform(N1, &take);
    let [Command::Write { txn, .. }] = &undone[..] else { panic!("{undone:?}") };
    let master = Compare::Exists(Key::Session(session("s1")));
    assert!(txn.compares.contains(&master), "by the master of the new term: {txn:?}");
    let next = world.perform(N1, &undone);
    assert_eq!(next, [answer(1, 1, Status::Reverted), claim("t1", (2, 4, 2))]);
}

#[test]
fn before_its_deadline_its_answer_is_waited_for() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let turn = world.cancel(N1, 2, 1);
    assert_eq!(world.perform(N1, &turn), [answer(2, 1, Status::Reverting)]);
    assert_eq!(world.tick(N1, DEADLINE), [], "not yet");
    let undo = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(undo, [send("t1", 4, Ask::Set(delta([("/a", None)])))]);
}

#[test]
fn an_undo_that_is_outstanding_is_waited_for() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let turn = world.cancel(N1, 2, 1);
    world.perform(N1, &turn);
    let undo = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(undo, [send("t1", 4, Ask::Set(delta([("/a", None)])))]);
    assert_eq!(world.tick(N1, LATE), []);
    let record = world.answer(N1, &undo, Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [answer(1, 1, Status::Reverted)]);
    assert_eq!(world.header("t1").synced, term(1), "its term goes on");
}

#[test]
fn where_it_was_applied_in_time_it_is_undone_on_the_device() {
    let mut world = World::ready(["t1", "t2"]);
    let sent = world.commit(N1, 1, both("a"));
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    let turn = world.tick(N1, LATE);
    let next = world.perform(N1, &turn);
    let expected = write(Wake::Target(target("t2")), released(&world, "t2"));
    let undo = send("t1", 4, Ask::Set(delta([("/a", None)])));
    assert_eq!(next, [undo, close("t2", 1), expected]);
    let parts = &world.transaction(1).targets;
    assert_eq!(parts.get(&target("t1")).unwrap().reason, None, "nothing was waited for there");
    assert_eq!(*parts.get(&target("t2")).unwrap(), waited(PartStatus::Pending, Wait::Device));
    let undone = [world.answer(N1, &next[..1], Answer::Accepted), world.perform(N1, &next[1..])];
    world.drive(N1, undone.concat());
    assert_eq!(world.told, [answer(1, 1, Status::Reverted)]);
}

#[test]
fn what_is_behind_it_is_decided_without_the_device() {
    let (mut world, given_up) = turned();
    let append = world.submit(N1, 2, due(asynchronous(one("b", "2")), 10 * DEADLINE));
    world.perform(N1, &append);
    let undone = world.perform(N1, &given_up);
    world.drive(N1, undone);
    assert_eq!((world.status(1), world.status(2)), (Status::Reverted, Status::Committed));
    let committed = world.store.committed(&target("t1"));
    assert_eq!(committed.unit(&"/a".parse().expect("a path")), present("2", 2));
    assert_eq!(world.store.applied(&target("t1")).unit(&"/a".parse().expect("a path")), absent(0));
}

#[test]
fn a_queued_one_is_waited_for() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "1")));
    assert_eq!(world.tick(N1, LATE), []);
    let record = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [answer(1, 1, Status::Applied)]);
}

#[test]
fn a_queued_one_is_waited_for_though_an_atomic_one_behind_it_turned() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "1")));
    world.commit(N1, 2, one("b", "2"));
    let turn = world.tick(N1, LATE);
    assert_eq!(world.perform(N1, &turn), [], "not beside an outstanding request");
    let record = world.answer(N1, &sent, Answer::Accepted);
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    assert_eq!((world.status(1), world.status(2)), (Status::Applied, Status::Reverted));
}

#[test]
fn turned_before_its_deadline_it_is_given_up_at_it() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, one("a", "1"));
    let turn = world.cancel(N1, 2, 1);
    world.perform(N1, &turn);
    assert_eq!(world.node(N1).next_due(), Some(time(LATE)));
    let given_up = world.tick(N1, LATE);
    let expected = write(Wake::Target(target("t1")), released(&world, "t1"));
    assert_eq!(given_up, [close("t1", 1), expected]);
    assert_eq!(world.node(N1).next_due(), None);
}

#[test]
fn a_master_whose_clock_is_behind_gives_it_up_when_it_gets_there() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.commit(N2, 1, one("a", "1"));
    world.watch(N1);
    let turn = world.tick(N2, LATE);
    world.perform(N2, &turn);
    assert_eq!(world.watch(N1), [], "not late by its own clock");
    assert_eq!(world.node(N1).next_due(), Some(time(LATE)));
    let expected = write(Wake::Target(target("t1")), released(&world, "t1"));
    assert_eq!(world.tick(N1, LATE), [close("t1", 1), expected]);
}

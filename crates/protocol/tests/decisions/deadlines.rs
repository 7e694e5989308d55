//! Deadlines count from Submit: a pending entry is rejected, an open atomic one turns.

use lockstep_protocol::record::{
    Head, Header, Key, PartStatus, Proposal, Reason, Status, Transaction,
};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Compare, Op, Request, Wake};

use crate::support::{
    DEADLINE, LATE, N1, N2, World, absent, answer, asynchronous, change, due, entry, id, index,
    mark, patch, queued, session, set, target, time, waited, write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

#[test]
fn a_pending_entry_is_rejected_by_a_write_to_its_record_alone() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, due(one("a", "1"), 10 * DEADLINE));
    let append = world.submit(N1, 2, one("b", "2"));
    world.perform(N1, &append);
    assert_eq!(world.tick(N1, DEADLINE), [], "not yet");
    let rejected = world.tick(N1, LATE);

    let transaction = Transaction {
        status: Status::Rejected,
        reason: Some(Reason::Deadline),
        decided: Some(time(LATE)),
        finished: Some(time(LATE)),
        targets: [(target("t1"), waited(PartStatus::Pending, Wait::Held(index(1))))].into(),
        ..entry(2, "b", ["t1"])
    };
    let expected = world.txn([Key::Transaction(index(2))], [], [Op::Transaction(transaction)]);
    assert_eq!(rejected, [write(Wake::Transaction(index(2)), expected)]);
    assert_eq!(world.perform(N1, &rejected), [answer(2, 2, Status::Rejected)]);
    assert_eq!(world.header("t1").committed, mark(1, 1), "no configuration moves");
}

/// Time is that of the log: a node whose clock is behind does not decide what the log has gone past.
#[test]
fn what_the_log_has_gone_past_is_late_whatever_the_clock_says() {
    let mut world = World::new(2, ["t1"]);
    world.tick(N2, LATE);
    world.commit(N2, 1, asynchronous(due(one("a", "1"), 10 * DEADLINE)));
    world.watch(N1);
    let append = world.submit(N1, 2, asynchronous(queued(one("b", "2"))));
    world.perform(N1, &append);
    assert_eq!(world.status(2), Status::Rejected);
    assert_eq!(world.transaction(2).reason, Some(Reason::Deadline));
}

#[test]
fn queues_pass_over_it() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, due(one("a", "1"), 10 * DEADLINE));
    for (client, request) in [(2, one("b", "2")), (3, due(one("c", "3"), 10 * DEADLINE))] {
        let append = world.submit(N1, client, request);
        world.perform(N1, &append);
    }
    let rejected = world.tick(N1, LATE);
    world.drive(N1, [sent, rejected].concat());
    assert_eq!((world.status(2), world.status(3)), (Status::Rejected, Status::Applied));
}

#[test]
fn an_open_atomic_one_turns() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, asynchronous(one("a", "1")));
    let turned = world.tick(N1, LATE);

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Reverting,
        reason: Some(Reason::Deadline),
        targets: [(t1.clone(), waited(PartStatus::Pending, Wait::Connection))].into(),
        ..world.transaction(1).clone()
    };
    let header = Header { committed: mark(1, 0), ..world.header("t1") };
    let expected = world.txn(
        [Key::Transaction(index(1)), Key::Configuration(t1.clone())],
        [],
        [
            Op::Transaction(transaction),
            Op::Configuration {
                target: t1,
                header,
                committed: patch([("/a", absent(0))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(turned, [write(Wake::Transaction(index(1)), expected)]);
    world.drive(N1, turned);
    assert_eq!(world.status(1), Status::Reverted);
}

#[test]
fn a_queued_one_that_is_committed_has_all_the_time() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, asynchronous(queued(one("a", "1"))));
    assert_eq!(world.tick(N1, 100 * DEADLINE), []);
    world.connect_and_drive(N1, "t1", 1);
    assert_eq!(world.status(1), Status::Applied);
}

#[test]
fn a_submission_that_never_got_into_the_log_is_rejected_there() {
    let mut world = World::ready(["t1"]);
    let edit = set([("/a", "1")]);
    world.submit(N1, 1, change("a", [("t1", edit.clone())]));
    let append = world.tick(N1, LATE);
    let transaction = Transaction {
        submitted: time(LATE),
        status: Status::Rejected,
        reason: Some(Reason::Deadline),
        decided: Some(time(LATE)),
        finished: Some(time(LATE)),
        ..entry(1, "a", ["t1"])
    };
    let proposal = Proposal { edit, ..Proposal::default() };
    let expected = world.txn(
        [Key::Head, Key::Id(id("a"))],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(1), timestamp: time(LATE) }),
            Op::Id { id: id("a"), index: index(1) },
            Op::Transaction(transaction),
            Op::Proposal { index: index(1), target: target("t1"), proposal },
        ],
    );
    assert_eq!(append, [write(Wake::Append, expected)]);
    assert_eq!(world.perform(N1, &append), [answer(1, 1, Status::Rejected)]);
}

#[test]
fn one_that_waits_behind_another_is_rejected_in_time_too() {
    let mut world = World::ready(["t1"]);
    world.submit(N1, 1, due(one("a", "1"), 10 * DEADLINE));
    assert_eq!(world.submit(N1, 2, one("b", "2")), [], "yang is busy with the first");
    let append = world.tick(N1, LATE);
    let told = world.perform(N1, &append);
    assert_eq!(told, [answer(2, 1, Status::Rejected)]);
}

#[test]
fn a_late_verdict_commits_nothing() {
    let mut world = World::ready(["t1"]);
    let asked = world.submit(N1, 1, queued(one("a", "1")));
    let append = world.tick(N1, LATE);
    world.perform(N1, &append);
    assert_eq!(world.valid(N1, &asked), []);
    assert_eq!(world.status(1), Status::Rejected);
}

#[test]
fn the_node_that_took_it_in_sees_to_it_or_any_once_that_is_gone() {
    let mut world = World::new(2, ["t1"]);
    world.commit(N1, 1, asynchronous(one("a", "1")));
    world.watch(N2);
    assert_eq!(world.tick(N2, LATE), [], "its own node lives");
    world.change([Op::EndSession(session("s1"))]);
    let turned = world.watch(N2);
    world.drive(N2, turned);
    assert_eq!(world.status(1), Status::Reverted);
}

#[test]
fn the_next_deadline_is_when_the_node_has_something_to_do() {
    let mut world = World::new(1, ["t1"]);
    assert_eq!(world.node(N1).next_due(), None);
    world.submit(N1, 1, asynchronous(one("a", "1")));
    assert_eq!(world.node(N1).next_due(), Some(time(LATE)), "before it is in the log");
    let append = world.tick(N1, LATE);
    world.drive(N1, append);
    assert_eq!(world.node(N1).next_due(), None, "it has its outcome");
    world.commit(N1, 2, due(asynchronous(one("b", "2")), 10 * DEADLINE));
    assert_eq!(world.node(N1).next_due(), Some(time(10 * DEADLINE + 1)));
}

#[test]
fn a_deadline_that_never_comes_is_never_due() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, due(asynchronous(one("a", "1")), u64::MAX));
    let next = world.node(N1).next_due();
    assert!(next.is_none_or(|next| next > time(DEADLINE)), "{next:?}");
    assert_eq!(world.tick(N1, u64::MAX), []);
}

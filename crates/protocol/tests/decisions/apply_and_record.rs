//! Apply: the master sends the head of the apply queue, then records what came of it.

use lockstep_protocol::record::{Header, Key, Part, PartStatus, Status, Transaction};
use lockstep_protocol::{Answer, Ask, Command, Compare, Event, Op, Request, Wake};
use lockstep_types::Sequence;

use crate::support::{
    LEASE, N1, NOW, World, answer, asynchronous, change, connection, delta, entry, index, mark,
    parts, patch, present, queued, send, session, set, target, time, tree, write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

#[test]
fn the_record_that_completes_writes_the_outcome() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 7, one("a", "1"));
    let record = world.answer(N1, &sent, Answer::Accepted);

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Applied,
        decided: Some(time(NOW)),
        finished: Some(time(NOW)),
        targets: parts([("t1", PartStatus::Applied)]),
        ..entry(1, "a", ["t1"])
    };
    let header = Header { applied: mark(1, 1), holder: None, ..world.header("t1") };
    let expected = world.txn(
        [Key::Transaction(index(1)), Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Transaction(transaction),
            Op::Configuration {
                target: t1.clone(),
                header,
                committed: patch([]),
                applied: patch([("/a", present("1", 1))]),
                cleared: false,
            },
        ],
    );
    assert_eq!(record, [write(Wake::Target(t1), expected)]);
    assert_eq!(world.perform(N1, &record), [answer(7, 1, Status::Applied)]);
}

#[test]
fn the_outcome_comes_with_the_last_target_and_lets_go_of_all() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let sent = world.commit(N1, 1, change("a", [("t1", edit.clone()), ("t2", edit)]));
    let set = Ask::Set(delta([("/a", Some("1"))]));
    assert_eq!(sent, [send("t1", 3, set.clone()), send("t2", 3, set)]);

    let first = world.answer(N1, &sent[..1], Answer::Accepted);
    assert_eq!(world.perform(N1, &first), []);
    assert_eq!(world.status(1), Status::Committed);
    assert_eq!(world.header("t1").holder, Some(index(1)), "held until the outcome");

    let last = world.answer(N1, &sent[1..], Answer::Accepted);
    assert_eq!(world.perform(N1, &last), [answer(1, 1, Status::Applied)]);
    assert_eq!((world.header("t1").holder, world.header("t2").holder), (None, None));
}

#[test]
fn two_masters_record_one_transaction_one_after_the_other() {
    let mut world = World::new(2, ["t1", "t2"]);
    world.connect_and_drive(0, "t1", 1);
    world.watch(1);
    world.connect_and_drive(1, "t2", 1);
    world.watch(0);
    let edit = set([("/a", "1")]);
    let here = world.commit(0, 1, change("a", [("t1", edit.clone()), ("t2", edit)]));
    let there = world.watch(1);
    let (here, there) =
        (world.answer(0, &here, Answer::Accepted), world.answer(1, &there, Answer::Accepted));
    world.perform(0, &here);
    let again = world.perform(1, &there);
    assert_eq!(world.status(1), Status::Committed, "the second was stale");
    world.perform(1, &again);
    assert_eq!(world.watch(0), [answer(1, 1, Status::Applied)]);
    assert_eq!((world.header("t1").holder, world.header("t2").holder), (None, None));
}

#[test]
fn only_the_head_is_sent_and_in_order() {
    let mut world = World::ready(["t1"]);
    let first = world.commit(N1, 1, queued(one("a", "1")));
    assert_eq!(world.commit(N1, 2, queued(one("b", "2"))), []);
    let record = world.answer(N1, &first, Answer::Accepted);
    let next = world.perform(N1, &record);
    assert_eq!(
        next,
        [answer(1, 1, Status::Applied), send("t1", 4, Ask::Set(delta([("/a", Some("2"))])))],
    );
}

#[test]
fn nothing_is_sent_before_the_device_is_in_line() {
    let mut world = World::new(1, ["t1"]);
    let sent = world.commit(N1, 1, asynchronous(one("a", "1")));
    assert_eq!(sent, [answer(1, 1, Status::Committed)]);
    let take = world.connect(N1, "t1", 1);
    assert_eq!(world.perform(N1, &take), [send("t1", 1, Ask::Claim)]);
}

#[test]
fn a_late_answer_is_not_taken_for_another() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let stray = |connection, sequence| Event::Answered {
        target: target("t1"),
        connection,
        sequence: Sequence::new(sequence),
        answer: Answer::Accepted,
    };
    assert_eq!(world.tell(N1, stray(connection(1), 2)), []);
    assert_eq!(world.tell(N1, stray(connection(2), 3)), []);
    let record = world.answer(N1, &sent, Answer::Accepted);
    assert!(matches!(record[..], [Command::Write { .. }]));
}

#[test]
fn a_busy_device_is_left_alone_and_tried_again() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "1")));
    assert_eq!(world.answer(N1, &sent, Answer::Busy), []);
    let retry = world.node(N1).desk().next_retry().expect("a retry").get();
    assert_eq!(world.tick(N1, retry - 1), []);
    let again = world.tick(N1, retry);
    assert_eq!(again, [send("t1", 4, Ask::Set(delta([("/a", Some("1"))])))]);

    let record = world.answer(N1, &again, Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!(world.node(N1).desk().next_retry(), None, "it is not busy any more");
}

#[test]
fn a_device_that_went_away_is_not_waited_for() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "1")));
    world.answer(N1, &sent, Answer::Busy);
    let retry = world.node(N1).desk().next_retry().expect("a retry").get();
    let released = world.disconnect(N1, "t1", 1);
    world.perform(N1, &released);
    assert_eq!(world.tick(N1, retry), []);
    assert_eq!(world.node(N1).desk().next_retry(), None, "until it is back");
}

#[test]
fn nothing_is_sent_past_the_lease_and_all_is_once_it_is_kept() {
    let mut world = World::ready(["t1"]);
    world.tell(N1, Event::Lease(time(NOW)));
    assert_eq!(world.commit(N1, 1, queued(one("a", "1"))), []);
    let sent = world.tell(N1, Event::Lease(time(LEASE)));
    assert_eq!(sent, [send("t1", 3, Ask::Set(delta([("/a", Some("1"))])))]);
}

#[test]
fn a_resync_does_not_write_past_the_lease() {
    let mut world = World::new(1, ["t1"]);
    *world.device("t1") = tree([("/x", "stray")]);
    let take = world.connect(N1, "t1", 1);
    let claim = world.perform(N1, &take);
    let read = world.answer(N1, &claim, Answer::Accepted);
    world.tell(N1, Event::Lease(time(NOW)));
    let values = Answer::Values(tree([("/x", "stray")]));
    assert_eq!(world.answer(N1, &read, values), [], "not a Set");

    let claim = world.tell(N1, Event::Lease(time(LEASE)));
    world.drive(N1, claim);
    assert!(world.device("t1").is_empty());
}

#[test]
fn a_record_says_nothing_of_other_targets() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let request = queued(change("a", [("t1", edit.clone()), ("t2", edit)]));
    let sent = world.commit(N1, 1, request);
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    let applied = Part { status: PartStatus::Applied, ..Part::default() };
    assert_eq!(*world.transaction(1).targets.get(&target("t1")).unwrap(), applied);
    assert_eq!(*world.transaction(1).targets.get(&target("t2")).unwrap(), Part::default());
    assert_eq!((world.header("t1").applied, world.header("t2").applied), (mark(1, 1), mark(0, 0)));
}

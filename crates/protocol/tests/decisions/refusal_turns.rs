//! A refusal is the turn, in one write (rule 1), and the device is read again first (rule 2).

use lockstep_protocol::record::{Header, Key, Part, PartStatus, Reason, Status, Transaction};
use lockstep_protocol::{Answer, Ask, Command, Compare, Op, Wake};
use lockstep_types::Term;

use crate::support::{
    N1, NOW, World, absent, answer, change, claim, delta, entry, failure, index, mark, patch,
    queued, send, session, set, target, time, tree, write,
};

fn refused(on: &str) -> Part {
    Part { status: PartStatus::Refused, reason: reason(on), ..Part::default() }
}

fn reason(on: &str) -> Option<Reason> {
    Some(Reason::Refused { target: target(on), failure: failure() })
}

#[test]
fn on_one_target_the_refusal_is_the_outcome() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Reverted,
        reason: reason("t1"),
        decided: Some(time(NOW)),
        finished: Some(time(NOW)),
        targets: [(t1.clone(), refused("t1"))].into(),
        ..entry(1, "a", ["t1"])
    };
    let header = Header {
        committed: mark(1, 0),
        applied: mark(1, 0),
        synced: Term::ZERO,
        holder: None,
        ..world.header("t1")
    };
    let expected = world.txn(
        [Key::Transaction(index(1)), Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Transaction(transaction),
            Op::Configuration {
                target: t1.clone(),
                header,
                committed: patch([("/a", absent(0))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(record, [write(Wake::Target(t1), expected)]);

    let next = world.perform(N1, &record);
    assert_eq!(next, [answer(1, 1, Status::Reverted), claim("t1", (1, 4, 1))]);
    assert_eq!(world.store.committed(&target("t1")), world.store.applied(&target("t1")));
}

#[test]
fn the_turn_leaves_the_committed_values_of_all_targets_at_once() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let sent = world.commit(N1, 1, change("a", [("t1", edit.clone()), ("t2", edit)]));
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));

    let (t1, t2) = (target("t1"), target("t2"));
    let transaction = Transaction {
        status: Status::Reverting,
        reason: reason("t2"),
        decided: Some(time(NOW)),
        targets: [(t1.clone(), Part::default()), (t2.clone(), refused("t2"))].into(),
        ..entry(1, "a", ["t1", "t2"])
    };
    let taken_out = |on: &str, header| Op::Configuration {
        target: target(on),
        header,
        committed: patch([("/a", absent(0))]),
        applied: patch([]),
        cleared: false,
    };
    let held = Header { committed: mark(1, 0), ..world.header("t1") };
    let unsynced = Header {
        committed: mark(1, 0),
        applied: mark(1, 0),
        synced: Term::ZERO,
        ..world.header("t2")
    };
    let expected = world.txn(
        [
            Key::Transaction(index(1)),
            Key::Configuration(t1),
            Key::Configuration(t2.clone()),
            Key::Mastership(t2.clone()),
        ],
        [Compare::Exists(Key::Session(session("s1")))],
        [Op::Transaction(transaction), taken_out("t1", held), taken_out("t2", unsynced)],
    );
    assert_eq!(record, [write(Wake::Target(t2), expected)]);
    world.perform(N1, &record);
    assert_eq!(world.header("t1").holder, Some(index(1)), "held until undone");
    assert_eq!(world.header("t2").holder, Some(index(1)), "held until undone");
}

#[test]
fn reverted_once_undone_everywhere() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let sent = world.commit(N1, 1, change("a", [("t1", edit.clone()), ("t2", edit)]));
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    let undo = send("t1", 4, Ask::Set(delta([("/a", None)])));
    assert_eq!(next, [undo, claim("t2", (1, 4, 1))]);

    let record = world.answer(N1, &next[..1], Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [answer(1, 1, Status::Reverted)]);
    assert_eq!(
        (world.part(1, "t1"), world.part(1, "t2")),
        (PartStatus::Undone, PartStatus::Refused)
    );
    for on in ["t1", "t2"] {
        let header = world.header(on);
        assert_eq!(
            (header.holder, header.committed, header.applied),
            (None, mark(1, 0), mark(1, 0))
        );
        assert!(world.store.applied(&target(on)).is_empty());
    }
}

#[test]
fn a_refused_device_is_claimed_and_read_before_anything_else_is_sent() {
    let mut world = World::ready(["t1"]);
    let first = world.commit(N1, 1, queued(change("a", [("t1", set([("/a", "1")]))])));
    world.commit(N1, 2, queued(change("b", [("t1", set([("/b", "2")]))])));
    let record = world.answer(N1, &first, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    let claimed: Vec<_> =
        next.iter().filter(|command| matches!(command, Command::Send { .. })).cloned().collect();
    assert_eq!(claimed, [claim("t1", (1, 4, 1))], "not the next head");

    // It kept half of what it refused: that goes before anything else comes.
    *world.device("t1") = tree([("/a", "1")]);
    world.drive(N1, next);
    assert!(world.device("t1").same_values(&tree([("/b", "2")])));
    assert_eq!(world.status(2), Status::Applied);
}

#[test]
fn a_queued_one_is_withdrawn_on_that_target_alone() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let sent = world.commit(N1, 1, queued(change("a", [("t1", edit.clone()), ("t2", edit)])));
    let record = world.answer(N1, &sent[..1], Answer::Refused(failure()));
    world.perform(N1, &record);
    assert_eq!(world.status(1), Status::Committed);
    assert!(world.store.committed(&target("t1")).is_empty());
    assert_eq!(world.store.committed(&target("t2")).len(), 1);
    assert_eq!(world.header("t1").synced, Term::ZERO);

    let record = world.answer(N1, &sent[1..], Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [answer(1, 1, Status::Partial)]);
    assert_eq!(
        (world.part(1, "t1"), world.part(1, "t2")),
        (PartStatus::Withdrawn, PartStatus::Applied)
    );
    assert_eq!(world.transaction(1).targets.get(&target("t1")).unwrap().reason, reason("t1"));
}

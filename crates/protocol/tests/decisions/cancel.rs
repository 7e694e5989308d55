//! Cancel: a pending entry is passed over, an atomic one turns, a queued one is withdrawn where it is not
//! recorded.

use lockstep_protocol::record::{
    Header, Key, Kind, Part, PartStatus, Proposal, Reason, Status, Transaction,
};
use lockstep_protocol::{Answer, Ask, Client, Command, Op, Refusal, Request, Wake};
use lockstep_types::Term;

use crate::support::{
    N1, N2, NOW, World, absent, answer, asynchronous, change, claim, delta, entry, failure, index,
    mark, patch, present, queued, refused_answer, send, set, target, time, tree, undo, violation,
    write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

fn withdrawn() -> Part {
    Part { status: PartStatus::Withdrawn, reason: Some(Reason::Cancelled), ..Part::default() }
}

#[test]
fn a_pending_entry_is_cancelled_by_a_write_to_its_record_alone() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, one("a", "1"));
    let append = world.submit(N1, 2, one("b", "2"));
    world.perform(N1, &append);
    let cancelled = world.cancel(N1, 3, 2);

    let transaction = Transaction {
        status: Status::Cancelled,
        reason: Some(Reason::Cancelled),
        decided: Some(time(NOW + 1)),
        finished: Some(time(NOW + 1)),
        ..entry(2, "b", ["t1"])
    };
    let expected = world.txn([Key::Transaction(index(2))], [], [Op::Transaction(transaction)]);
    assert_eq!(cancelled, [write(Wake::Transaction(index(2)), expected)]);
    let told = world.perform(N1, &cancelled);
    assert_eq!(told, [answer(2, 2, Status::Cancelled), answer(3, 2, Status::Cancelled)]);
}

#[test]
fn an_atomic_one_turns() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let cancelled = world.cancel(N1, 2, 1);
    let told = world.perform(N1, &cancelled);
    assert_eq!(told, [answer(2, 1, Status::Reverting)]);
    assert_eq!(world.transaction(1).reason, Some(Reason::Cancelled));
    let undo = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(undo, [send("t1", 4, Ask::Set(delta([("/a", None)])))]);
    world.drive(N1, undo);
    assert_eq!(world.told, [answer(1, 1, Status::Reverted)]);
}

#[test]
fn a_queued_head_may_have_reached_the_device() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "1")));
    let cancelled = world.cancel(N1, 2, 1);

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Cancelled,
        reason: Some(Reason::Cancelled),
        finished: Some(time(NOW)),
        targets: [(t1.clone(), withdrawn())].into(),
        ..world.transaction(1).clone()
    };
    let header = Header {
        committed: mark(1, 0),
        applied: mark(1, 0),
        synced: Term::ZERO,
        ..world.header("t1")
    };
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
    assert_eq!(cancelled, [write(Wake::Transaction(index(1)), expected)]);
    world.perform(N1, &cancelled);

    // It did: the device is read again, and brought back.
    *world.device("t1") = tree([("/a", "1")]);
    let next = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(next, [claim("t1", (1, 4, 1))]);
    world.drive(N1, next);
    assert!(world.device("t1").is_empty());
    assert_eq!(world.header("t1").applied, mark(1, 0));
}

#[test]
fn a_queued_one_that_is_not_the_head_never_reached_it() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, queued(one("a", "1")));
    world.commit(N1, 2, queued(one("b", "2")));
    world.commit(N1, 3, queued(one("c", "3")));
    let cancelled = world.cancel(N1, 4, 2);

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Cancelled,
        reason: Some(Reason::Cancelled),
        finished: Some(time(NOW + 1)),
        targets: [(t1.clone(), withdrawn())].into(),
        ..world.transaction(2).clone()
    };
    let relinked = Proposal {
        undo: undo([("/a", present("1", 1))]),
        ..world.store.proposal(index(3), &t1).expect("a proposal").clone()
    };
    let header = Header { recheck: Some(index(2)), ..world.header("t1") };
    assert_eq!((header.synced, header.applied), (Term::new(1), mark(0, 0)), "nothing else moves");
    let expected = world.txn(
        [Key::Transaction(index(2)), Key::Configuration(t1.clone())],
        [],
        [
            Op::Transaction(transaction),
            Op::Proposal { index: index(3), target: t1.clone(), proposal: relinked },
            Op::Configuration {
                target: t1,
                header,
                committed: patch([]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(cancelled, [write(Wake::Transaction(index(2)), expected)]);
}

#[test]
fn what_is_recorded_applied_stays() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let sent = world.commit(N1, 1, queued(change("a", [("t1", edit.clone()), ("t2", edit)])));
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    let cancelled = world.cancel(N1, 2, 1);
    let told = world.perform(N1, &cancelled);
    assert_eq!(told, [answer(1, 1, Status::Partial), answer(2, 1, Status::Partial)]);
    assert_eq!(world.part(1, "t1"), PartStatus::Applied);
    assert_eq!(world.part(1, "t2"), PartStatus::Withdrawn);
}

#[test]
fn it_is_cancelled_only_if_cancelling_is_what_withdrew_it_everywhere() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/b", "2")]);
    let sent = world.commit(N1, 1, queued(one("a", "1")));
    world.commit(N1, 2, queued(change("b", [("t1", edit.clone()), ("t2", edit)])));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    let asked: Vec<_> =
        next.into_iter().filter(|command| matches!(command, Command::Validate { .. })).collect();
    let withdrawn = world.verdict(N1, &asked, vec![violation("t1")]);
    world.perform(N1, &withdrawn);
    let cancelled = world.cancel(N1, 3, 2);
    world.perform(N1, &cancelled);
    assert_eq!(world.status(2), Status::Partial);
    let reason = |on| world.transaction(2).targets.get(&target(on)).unwrap().reason.clone();
    assert_eq!(reason("t1"), Some(Reason::InvalidAfterWithdrawal(vec![violation("t1")])));
    assert_eq!(reason("t2"), Some(Reason::Cancelled));
}

#[test]
fn what_has_its_outcome_cannot_be_cancelled() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "1"));
    let finished =
        Refusal::Finished { index: index(1), kind: Kind::Change, status: Status::Applied };
    assert_eq!(world.cancel(N1, 2, 1), [refused_answer(2, finished)]);
    let unknown = Refusal::UnknownTransaction(index(9));
    assert_eq!(world.cancel(N1, 3, 9), [refused_answer(3, unknown)]);
}

#[test]
fn one_that_is_being_reverted_is_answered_when_it_moves_on() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, asynchronous(one("a", "1")));
    let sent: Vec<_> = sent.into_iter().skip(1).collect();
    let first = world.cancel(N1, 2, 1);
    world.perform(N1, &first);
    let again = world.cancel(N1, 3, 1);
    let undo = world.answer(N1, &sent, Answer::Accepted);
    world.drive(N1, [again, undo].concat());
    let third = |told: &&Command| matches!(told, Command::Answer { client: Client(3), .. });
    assert_eq!(world.told.iter().filter(third).count(), 1, "{:?}", world.told);
}

#[test]
fn any_node_may_be_asked() {
    let mut world = World::new(2, ["t1"]);
    world.commit(N1, 1, asynchronous(queued(one("a", "1"))));
    world.watch(N2);
    let cancelled = world.cancel(N2, 7, 1);
    assert_eq!(world.perform(N2, &cancelled), [answer(7, 1, Status::Cancelled)]);
}

#[test]
fn a_cancel_that_comes_too_late_is_told_the_outcome() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, asynchronous(queued(one("a", "1"))));
    let cancelled = world.cancel(N1, 2, 1);
    let record = world.answer(N1, &sent[1..], Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [answer(2, 1, Status::Applied)]);
    assert_eq!(world.perform(N1, &cancelled), []);
    assert_eq!(world.part(1, "t1"), PartStatus::Applied);
}

//! The withdrawal: a queued proposal leaves one target as if it had never been there.

use lockstep_protocol::record::{
    Header, Key, Part, PartStatus, Proposal, Reason, Status, Transaction,
};
use lockstep_protocol::{Answer, Command, Compare, Op, Request, Wake};
use lockstep_types::Term;

use crate::support::{
    N1, NOW, World, absent, asynchronous, change, delta, entry, failure, index, mark, patch,
    present, queued, session, set, sets, target, time, undo, unit, write,
};

fn queue<const N: usize>(name: &str, units: [(&str, &str); N]) -> Request {
    asynchronous(queued(change(name, [("t1", set(units))])))
}

/// Three queued writers on t1, the first of them sent: `/a` by 1 and 2, `/b` by 1 and 3.
fn three() -> (World, Vec<Command>) {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queue("a", [("/a", "1"), ("/b", "1"), ("/c", "1")]));
    world.commit(N1, 2, queue("b", [("/a", "2")]));
    world.commit(N1, 3, queue("c", [("/b", "3")]));
    (world, sent)
}

#[test]
fn later_writers_keep_theirs_and_their_undos_are_relinked() {
    let (mut world, sent) = three();
    let record = world.answer(N1, &sent, Answer::Refused(failure()));

    let t1 = target("t1");
    let reason = Some(Reason::Refused { target: t1.clone(), failure: failure() });
    let part = Part { status: PartStatus::Withdrawn, reason: reason.clone(), ..Part::default() };
    let transaction = Transaction {
        status: Status::Partial,
        reason,
        finished: Some(time(NOW)),
        targets: [(t1.clone(), part)].into(),
        ..world.transaction(1).clone()
    };
    let relinked = |at: u64, path: &str, value: &str| Op::Proposal {
        index: index(at),
        target: t1.clone(),
        proposal: Proposal {
            edit: set([(path, value)]),
            delta: delta([(path, Some(value))]),
            undo: undo([(path, absent(0))]),
        },
    };
    let header = Header {
        committed: mark(3, 3),
        applied: mark(1, 0),
        synced: Term::ZERO,
        recheck: Some(index(1)),
        ..world.header("t1")
    };
    let expected = world.txn(
        [Key::Transaction(index(1)), Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Transaction(transaction),
            relinked(2, "/a", "2"),
            relinked(3, "/b", "3"),
            Op::Configuration {
                target: t1.clone(),
                header,
                committed: patch([("/c", absent(0))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(record, [write(Wake::Target(t1), expected)]);
}

#[test]
fn a_proposal_that_need_not_be_relinked_is_not_written() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queue("a", [("/a", "1")]));
    for (at, name) in (2..).zip(["b", "c", "d", "e"]) {
        world.commit(N1, at, queue(name, [("/a", name)]));
    }
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let [Command::Write { txn, .. }] = &record[..] else { panic!("{record:?}") };
    let proposals: Vec<_> = txn.ops.iter().map(Op::key).filter(is_proposal).collect();
    assert_eq!(proposals, [Key::Proposal(index(2), target("t1"))], "the next writer of the path");
}

fn is_proposal(key: &Key) -> bool {
    matches!(key, Key::Proposal(..))
}

#[test]
fn a_value_in_the_middle_of_a_chain_goes_without_a_trace() {
    let (mut world, sent) = three();
    let record = world.answer(N1, &sent, Answer::Accepted);
    let sent = world.perform(N1, &record);
    // 2 goes from between 1 and nothing; then 3 is refused as well: what 1 wrote is back.
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let committed = |world: &World| world.store.committed(&target("t1"));
    let next = world.perform(N1, &record);
    assert_eq!(unit(&committed(&world), "/a"), present("1", 1));
    assert_eq!(unit(&committed(&world), "/b"), present("3", 3));
    assert_eq!(
        (world.header("t1").committed, world.header("t1").applied),
        (mark(3, 3), mark(2, 1))
    );
    world.drive(N1, next);
    assert_eq!((world.status(2), world.status(3)), (Status::Partial, Status::Applied));
    assert_eq!(committed(&world), world.store.applied(&target("t1")));
}

#[test]
fn a_refused_value_is_never_sent_again() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, queue("a", [("/a", "1")]));
    let sent = world.commit(N1, 2, queue("b", [("/a", "bad")]));
    let held = world.commit(N1, 3, asynchronous(change("c", [("t1", set([("/a", "3")]))])));
    assert_eq!(held.len(), 1, "the answer; nothing is sent: {held:?}");
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    // The atomic one above is refused too: its undo must not bring the refused value back.
    let head = delta([("/a", Some("3"))]);
    let next =
        world.drive_until(N1, next, |command| sets(std::slice::from_ref(command)) == [&head]);
    let record = world.answer(N1, &next, Answer::Refused(failure()));
    world.perform(N1, &record);
    assert_eq!(world.status(3), Status::Reverted);
    assert_eq!(unit(&world.store.committed(&target("t1")), "/a"), present("1", 1));
}

#[test]
fn on_a_target_behind_an_atomic_one_the_holder_keeps_holding() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queue("a", [("/a", "1")]));
    world.commit(N1, 2, asynchronous(change("b", [("t1", set([("/a", "2")]))])));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    world.perform(N1, &record);
    let header = world.header("t1");
    assert_eq!((header.holder, header.recheck), (Some(index(2)), Some(index(1))));
    let proposal = world.store.proposal(index(2), &target("t1")).expect("a proposal");
    assert_eq!(proposal.undo, undo([("/a", absent(0))]));
    assert_eq!(
        world.transaction(2),
        &Transaction {
            status: Status::Committed,
            decided: Some(time(NOW + 1)),
            ..entry(2, "b", ["t1"])
        }
    );
    assert!(world.store.visible(&target("t1")).is_empty(), "neither is for readers");
}

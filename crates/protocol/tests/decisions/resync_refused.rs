//! Rule 8: while its resync is refused, a device is offered resync and apply head as one Set.

use lockstep_protocol::record::{Header, Key, PartStatus, Status, Transaction};
use lockstep_protocol::{Answer, Ask, Command, Compare, Op, Request, Wake};

use crate::support::{
    LATE, N1, NOW, World, answer, asynchronous, change, delta, failure, index, mark, parts, patch,
    present, queued, read, send, session, set, sets, target, term, time, tree, write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

/// A node that has read a stray `/x` from a device and sends its removal, with these committed.
fn pushing(requests: impl IntoIterator<Item = Request>) -> (World, Vec<Command>) {
    let mut world = World::new(1, ["t1"]);
    for request in requests {
        world.commit(N1, 1, asynchronous(request));
    }
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    let pushed = world.answer(N1, &reading, Answer::Values(tree([("/x", "9")])));
    assert_eq!(sets(&pushed), [&delta([("/x", None)])]);
    (world, pushed)
}

#[test]
fn the_apply_head_goes_with_it_and_both_are_recorded_in_one_write() {
    let (mut world, pushed) = pushing([one("a", "1")]);
    let together = world.answer(N1, &pushed, Answer::Refused(failure()));
    let both = delta([("/a", Some("1")), ("/x", None)]);
    assert_eq!(together, [send("t1", 4, Ask::Set(both))]);
    let verified = world.answer(N1, &together, Answer::Accepted);
    assert_eq!(verified, [read("t1", (1, 5, 1))]);
    let record = world.answer(N1, &verified, Answer::Values(tree([("/a", "1")])));

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Applied,
        finished: Some(time(NOW)),
        targets: parts([("t1", PartStatus::Applied)]),
        ..world.transaction(1).clone()
    };
    let header = Header {
        applied: mark(1, 1),
        synced: term(1),
        holder: None,
        met: true,
        fenced: Some(true),
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
                committed: patch([]),
                applied: patch([("/a", present("1", 1))]),
                cleared: false,
            },
        ],
    );
    assert_eq!(record, [write(Wake::Target(t1), expected)]);
}

#[test]
fn refused_together_it_is_recorded_and_tried_later() {
    let (mut world, pushed) = pushing([queued(one("a", "1"))]);
    let together = world.answer(N1, &pushed, Answer::Refused(failure()));
    let record = world.answer(N1, &together, Answer::Refused(failure()));
    assert_eq!(world.perform(N1, &record), [], "left alone for a while");
    assert_eq!(world.header("t1").resync_refused, Some(failure()));
    assert_eq!(world.part(1, "t1"), PartStatus::Pending, "nobody knows which of them it minds");

    let first = world.node(N1).desk().next_retry().expect("a retry").get();
    let claimed = world.tick(N1, first);
    let record = world.answer(N1, &claimed, Answer::Refused(failure()));
    assert_eq!(record, [], "recorded already");
    let second = world.node(N1).desk().next_retry().expect("a retry").get();
    assert!(second - first > first - NOW, "waits longer each time");
}

#[test]
fn with_nothing_to_go_with_it_the_refusal_is_recorded() {
    let (mut world, pushed) = pushing([]);
    let record = world.answer(N1, &pushed, Answer::Refused(failure()));
    let t1 = target("t1");
    let header = Header { resync_refused: Some(failure()), ..world.header("t1") };
    let expected = world.txn(
        [Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [Op::Configuration {
            target: t1.clone(),
            header,
            committed: patch([]),
            applied: patch([]),
            cleared: false,
        }],
    );
    assert_eq!(record, [write(Wake::Target(t1), expected)]);
}

#[test]
fn a_change_that_comes_while_it_is_refused_may_bring_it_in_line() {
    let (mut world, pushed) = pushing([]);
    let record = world.answer(N1, &pushed, Answer::Refused(failure()));
    world.perform(N1, &record);
    let next = world.commit(N1, 2, asynchronous(queued(one("a", "1"))));
    assert_eq!(next, [answer(2, 1, Status::Committed)], "not before its time");

    *world.device("t1") = tree([("/x", "9")]);
    let at = world.node(N1).desk().next_retry().expect("a retry").get();
    let claimed = world.tick(N1, at);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    let mut pushed = world.answer(N1, &reading, Answer::Values(tree([("/x", "9")])));
    if sets(&pushed) == [&delta([("/x", None)])] {
        pushed = world.answer(N1, &pushed, Answer::Refused(failure()));
    }
    assert_eq!(sets(&pushed), [&delta([("/a", Some("1")), ("/x", None)])]);
    world.drive(N1, pushed);
    assert_eq!((world.status(1), world.header("t1").resync_refused), (Status::Applied, None));
}

#[test]
fn a_head_that_turned_meanwhile_is_undone_not_recorded() {
    let (mut world, pushed) = pushing([one("a", "1")]);
    let together = world.answer(N1, &pushed, Answer::Refused(failure()));
    let turn = world.tick(N1, LATE);
    assert_eq!(world.perform(N1, &turn), [], "its device is busy with it");
    let verified = world.answer(N1, &together, Answer::Accepted);
    let record = world.answer(N1, &verified, Answer::Values(tree([("/a", "1")])));
    let undo = world.perform(N1, &record);
    assert_eq!(sets(&undo), [&delta([("/a", None)])]);
    world.drive(N1, undo);
    assert_eq!(world.status(1), Status::Reverted);
}

#[test]
fn a_device_that_listens_to_somebody_else_is_said_to() {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let record = world.answer(N1, &claimed, Answer::Fenced);
    assert_eq!(world.perform(N1, &record), []);
    let refused = world.header("t1").resync_refused.expect("a reason");
    assert!(refused.message.contains("foreign master"), "{refused:?}");
}

#[test]
fn fenced_while_applying_it_is_claimed_again_after_a_while() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "1")));
    let record = world.answer(N1, &sent, Answer::Fenced);
    assert_eq!(world.perform(N1, &record), []);
    let again = world.node(N1).next_due().expect("a time");
    assert_eq!(world.tick(N1, again.get()), [send("t1", 4, Ask::Claim)]);
    assert_eq!(world.part(1, "t1"), PartStatus::Pending);
}

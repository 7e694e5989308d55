//! Undo: to the device that may have it (rule 3), in the store where the device must be read again
//! anyway (rule 4), never beside a resync, and done even if refused (rule 5).

use lockstep_protocol::record::{Header, Key, PartStatus, Reason, Status, Transaction};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Answer, Ask, Command, Compare, Op, Request, Wake};
use lockstep_types::Term;

use crate::support::{
    LATE, N1, N2, NOW, World, absent, answer, asynchronous, change, claim, clear, delta, due,
    entry, failure, index, mark, parts, patch, present, queued, read, send, session, set, target,
    time, tree, waited, write,
};

fn both(name: &str) -> Request {
    change(name, [("t1", set([("/a", "1")])), ("t2", set([("/a", "1")]))])
}

#[test]
fn the_unrecorded_head_is_undone_on_the_device() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "0")]))]));
    let sent = world.commit(N1, 2, change("b", [("t1", set([("/a", "1"), ("/b", "1")]))]));
    let turn = world.cancel(N1, 3, 2);
    let told = [answer(3, 2, Status::Reverting)];
    assert_eq!(world.perform(N1, &turn), told, "not beside an outstanding request");
    let next = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(next, [send("t1", 5, Ask::Set(delta([("/a", Some("0")), ("/b", None)])))]);

    let record = world.answer(N1, &next, Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!((world.status(2), world.part(2, "t1")), (Status::Reverted, PartStatus::Undone));
    assert_eq!(world.header("t1").applied, mark(2, 1));
}

#[test]
fn where_it_never_was_the_head_it_is_undone_in_the_store() {
    let mut world = World::ready(["t1"]);
    let head = world.commit(N1, 1, queued(change("a", [("t1", set([("/a", "0")]))])));
    assert_eq!(world.answer(N1, &head, Answer::Busy), []);
    assert_eq!(world.commit(N1, 2, change("b", [("t1", set([("/a", "1")]))])), []);
    let turn = world.tick(N1, LATE);
    let undone = world.perform(N1, &turn);

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Reverted,
        reason: Some(Reason::Deadline),
        decided: Some(time(NOW + 1)),
        finished: Some(time(LATE)),
        targets: [(t1.clone(), waited(PartStatus::Undone, Wait::Turn(index(1))))].into(),
        ..entry(2, "b", ["t1"])
    };
    let header = Header { holder: None, ..world.header("t1") };
    assert_eq!((header.committed, header.applied), (mark(2, 1), mark(0, 0)), "never considered");
    let expected = world.txn(
        [Key::Transaction(index(2)), Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Transaction(transaction),
            Op::Configuration {
                target: t1.clone(),
                header,
                committed: patch([]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(undone, [write(Wake::Target(t1), expected)]);
}

#[test]
fn a_device_that_must_be_read_again_gets_the_undo_from_its_resync() {
    let mut world = World::ready(["t1", "t2"]);
    let sent = world.commit(N1, 1, both("a"));
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    *world.device("t1") = tree([("/a", "1")]);
    // t1 comes back on a new connection, not read yet, when t2 refuses.
    let take = world.connect(N1, "t1", 2);
    let refused = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    world.perform(N1, &refused);
    let undone = world.perform(N1, &take);

    let t1 = target("t1");
    let [Command::Write { wake, txn }] = &undone[..] else { panic!("{undone:?}") };
    assert_eq!(*wake, Wake::Target(t1.clone()), "in the store, before the claim");
    let patched = txn.ops.iter().find_map(|op| match op {
        Op::Configuration { target, applied, .. } if *target == t1 => Some(applied.clone()),
        _ => None,
    });
    assert_eq!(patched, Some(patch([("/a", absent(0))])));
    let next = world.perform(N1, &undone);
    assert_eq!(next, [answer(1, 1, Status::Reverted), claim("t1", (2, 4, 2))]);
    world.drive(N1, next);
    assert!(world.device("t1").is_empty());
}

#[test]
fn without_a_master_any_node_undoes_in_the_store() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.commit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    let turn = world.cancel(N1, 2, 1);
    world.perform(N1, &turn);
    assert_eq!(world.watch(N2), [], "its master sees to it");
    world.tick(N2, LATE);
    world.change([Op::EndSession(session("s1"))]);
    let undone = world.watch(N2);

    let t1 = target("t1");
    let transaction = Transaction {
        status: Status::Reverted,
        finished: Some(time(LATE)),
        targets: parts([("t1", PartStatus::Undone)]),
        ..world.transaction(1).clone()
    };
    let header = Header { applied: mark(1, 0), holder: None, ..world.header("t1") };
    let expected = world.txn(
        [Key::Transaction(index(1)), Key::Configuration(t1.clone()), Key::Mastership(t1.clone())],
        [Compare::Absent(Key::Session(session("s1")))],
        [
            Op::Transaction(transaction),
            Op::Configuration {
                target: t1.clone(),
                header,
                committed: patch([]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(undone, [write(Wake::Target(t1), expected)]);
}

#[test]
fn a_turn_during_a_resync_is_undone_before_the_next_one() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, asynchronous(change("a", [("t1", set([("/a", "1")]))])));
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    assert_eq!(reading, [read("t1", (1, 2, 1))]);
    let turn = world.tick(N1, LATE);
    assert_eq!(world.perform(N1, &turn), [], "never beside a resync");

    let undone = world.answer(N1, &reading, Answer::Values(tree([("/a", "1")])));
    assert!(
        matches!(undone[..], [Command::Write { .. }]),
        "no Set while an undo waits: {undone:?}"
    );
    assert_eq!(world.perform(N1, &undone), [claim("t1", (1, 3, 1))]);
    assert_eq!(world.status(1), Status::Reverted);
}

#[test]
fn a_turn_during_the_push_is_undone_on_the_device_afterwards() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, asynchronous(change("a", [("t1", set([("/a", "1")]))])));
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    let pushed = world.answer(N1, &reading, Answer::Values(tree([("/a", "1"), ("/x", "9")])));
    assert_eq!(pushed, [send("t1", 3, Ask::Set(delta([("/x", None)])))]);
    let turn = world.tick(N1, LATE);
    world.perform(N1, &turn);
    let reading = world.answer(N1, &pushed, Answer::Accepted);
    let synced = world.answer(N1, &reading, Answer::Values(tree([("/a", "1")])));
    assert_eq!(world.perform(N1, &synced), [send("t1", 5, Ask::Set(delta([("/a", None)])))]);
}

#[test]
fn a_refused_undo_is_recorded_and_the_device_read_again() {
    let mut world = World::ready(["t1", "t2"]);
    let sent = world.commit(N1, 1, both("a"));
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    let undo = world.perform(N1, &record);
    let record = world.answer(N1, &undo[..1], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    assert_eq!((world.status(1), world.part(1, "t1")), (Status::Reverted, PartStatus::Undone));
    assert_eq!(world.header("t1").synced, Term::ZERO);
    assert_eq!(next, [answer(1, 1, Status::Reverted), claim("t1", (1, 5, 1))]);
}

#[test]
fn a_whole_subtree_comes_back_as_it_was() {
    let mut world = World::ready(["t1"]);
    let before = [("/c/a", "1"), ("/c/d/b", "2"), ("/e", "3")];
    world.submit_and_drive(N1, 1, change("a", [("t1", set(before))]));
    let sent = world.commit(N1, 2, change("b", [("t1", clear(["/c"]))]));
    assert_eq!(sent, [send("t1", 4, Ask::Set(delta([("/c/a", None), ("/c/d/b", None)])))]);
    let turn = world.cancel(N1, 3, 2);
    world.perform(N1, &turn);
    let undo = world.answer(N1, &sent, Answer::Accepted);
    let back = delta([("/c/a", Some("1")), ("/c/d/b", Some("2"))]);
    assert_eq!(undo, [send("t1", 5, Ask::Set(back))]);
    world.drive(N1, undo);
    let committed = world.store.committed(&target("t1"));
    assert_eq!(committed, world.store.applied(&target("t1")));
    assert_eq!(committed.unit(&"/c/a".parse().expect("a path")), present("1", 1));
}

#[test]
fn a_dead_device_holds_nobodys_queue() {
    let mut world = World::new(1, ["t1", "t2"]);
    world.connect_and_drive(N1, "t1", 1);
    let sent = world.commit(N1, 1, asynchronous(due(both("a"), LATE - 1)));
    world.drive(N1, sent);
    assert_eq!(world.status(1), Status::Committed, "t2 is away");
    let turn = world.tick(N1, LATE);
    world.drive(N1, turn);
    assert_eq!(world.status(1), Status::Reverted);
    assert_eq!((world.header("t1").holder, world.header("t2").holder), (None, None));
    assert!(world.device("t1").is_empty());
}

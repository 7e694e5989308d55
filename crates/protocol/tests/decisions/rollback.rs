//! Rollback: a new entry that takes a change out where it is live, and itself turns like any other.

use lockstep_protocol::record::{
    Head, Header, Key, Kind, Mode, PartStatus, Rule, Status, Transaction,
};
use lockstep_protocol::{Answer, Ask, Command, Compare, Op, Request, Wake};

use crate::support::{
    LATE, N1, NOW, World, absent, answer, asynchronous, change, delta, entry, failure, id, index,
    mark, parts, patch, present, queued, rollback, rollback_by_path, rollback_on, send, session,
    set, sets, target, time, tree, unit, write,
};

fn one(name: &str, path: &str) -> Request {
    change(name, [("t1", set([(path, name)]))])
}

fn both(name: &str) -> Request {
    change(name, [("t1", set([("/a", name)])), ("t2", set([("/a", name)]))])
}

#[test]
fn it_is_decided_with_the_record_of_its_change() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    let asked = world.submit(N1, 2, rollback("b", 1));
    let [Command::Validate { checks, .. }] = &asked[..] else { panic!("{asked:?}") };
    assert!(checks[&target("t1")].result.is_empty(), "what stood before");
    let append = world.valid(N1, &asked);

    let t1 = target("t1");
    let mut taken_out = world.transaction(1).clone();
    taken_out.targets.get_mut(&t1).expect("a part").rolled_back_by = Some(index(2));
    let transaction = Transaction {
        kind: Kind::Rollback { of: index(1), rule: Rule::Target },
        status: Status::Committed,
        decided: Some(time(NOW + 1)),
        ..entry(2, "b", ["t1"])
    };
    let header = Header { committed: mark(2, 0), holder: Some(index(2)), ..world.header("t1") };
    let expected = world.txn(
        [
            Key::Head,
            Key::Id(id("b")),
            Key::Transaction(index(1)),
            Key::Configuration(t1.clone()),
            Key::Binding(t1.clone()),
        ],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(2), timestamp: time(NOW + 1) }),
            Op::Id { id: id("b"), index: index(2) },
            Op::Transaction(taken_out),
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
    assert_eq!(append, [write(Wake::Append, expected)]);

    let sent = world.perform(N1, &append);
    assert_eq!(sent, [send("t1", 4, Ask::Set(delta([("/a", None)])))]);
    let record = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [answer(2, 2, Status::Applied)]);
    let header = world.header("t1");
    assert_eq!((header.committed, header.applied), (mark(2, 0), mark(2, 0)));
}

#[test]
fn by_path_a_later_change_elsewhere_is_not_in_the_way() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    world.submit_and_drive(N1, 2, one("b", "/b"));
    world.submit_and_drive(N1, 3, rollback_by_path("c", 1));
    assert_eq!(world.status(3), Status::Applied);
    assert!(world.device("t1").same_values(&tree([("/b", "b")])));
    let header = world.header("t1");
    assert_eq!((header.committed, header.applied), (mark(3, 2), mark(3, 2)));
}

#[test]
fn one_change_after_the_other_can_be_taken_out() {
    let mut world = World::ready(["t1"]);
    for name in ["a", "b", "c"] {
        world.submit_and_drive(N1, 1, one(name, "/a"));
    }
    for (name, of, left) in [("d", 3, Some("b")), ("e", 2, Some("a")), ("f", 1, None)] {
        world.submit_and_drive(N1, 2, rollback(name, of));
        let left: Vec<(&str, &str)> = left.into_iter().map(|value| ("/a", value)).collect();
        let expected = match left[..] {
            [unit] => tree([unit]),
            _ => tree([]),
        };
        assert!(world.device("t1").same_values(&expected), "after {name}");
        assert_eq!(world.store.committed(&target("t1")), world.store.applied(&target("t1")));
    }
}

#[test]
fn it_concerns_the_targets_where_its_change_is_live() {
    let mut world = World::ready(["t1", "t2"]);
    let sent = world.commit(N1, 1, queued(both("a")));
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, [&sent[..1], &next].concat());
    assert_eq!(world.status(1), Status::Partial);

    world.commit(N1, 2, rollback("b", 1));
    assert_eq!(world.transaction(2).targets, parts([("t1", PartStatus::Pending)]));
    let (t1, t2) = (world.header("t1"), world.header("t2"));
    assert_eq!((t1.committed.index, t1.holder), (index(2), Some(index(2))));
    assert_eq!((t2.committed.index, t2.holder), (index(2), None), "considered, not concerned");
}

#[test]
fn a_client_may_name_fewer_targets() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, both("a"));
    world.submit_and_drive(N1, 2, rollback_on("b", 1, ["t2"]));
    assert_eq!(world.status(2), Status::Applied);
    assert_eq!((world.device("t1").len(), world.device("t2").len()), (1, 0));
    let taken_out = |on| world.transaction(1).targets.get(&target(on)).unwrap().rolled_back_by;
    assert_eq!((taken_out("t1"), taken_out("t2")), (None, Some(index(2))));

    // What is left of it can go another time.
    world.submit_and_drive(N1, 3, rollback("c", 1));
    assert_eq!((world.status(3), world.device("t1").len()), (Status::Applied, 0));
    assert_eq!(world.transaction(3).targets, parts([("t1", PartStatus::Applied)]));
}

#[test]
fn one_that_is_refused_puts_its_change_back() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, both("a"));
    let sent = world.commit(N1, 2, rollback("b", 1));
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!(world.header("t1").applied, mark(2, 0));
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    assert_eq!(sets(&next), [&delta([("/a", Some("a"))])], "the undo on t1");
    assert_eq!(world.header("t1").committed, mark(2, 1));
    world.drive(N1, next);

    assert_eq!(world.status(2), Status::Reverted);
    for on in ["t1", "t2"] {
        let header = world.header(on);
        assert_eq!((header.committed, header.applied), (mark(2, 1), mark(2, 1)), "{on}");
        assert_eq!(unit(&world.store.applied(&target(on)), "/a"), present("a", 1));
        assert_eq!(world.transaction(1).targets.get(&target(on)).unwrap().rolled_back_by, None);
    }
    world.submit_and_drive(N1, 3, rollback("c", 1));
    assert_eq!(world.status(3), Status::Applied, "live again");
}

#[test]
fn it_is_always_atomic() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("a", "/a"));
    world.commit(N1, 2, queued(rollback("b", 1)));
    assert_eq!(world.transaction(2).mode, Mode::Atomic);
    assert_eq!(world.header("t1").holder, Some(index(2)));
}

/// A queued change on t1, sent; its Rollback behind it; then the device refuses the change.
fn withdrawn_below() -> (World, Vec<Command>) {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "/a")));
    world.commit(N1, 2, rollback("b", 1));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    (world, next)
}

#[test]
fn where_its_change_is_withdrawn_it_is_recorded_without_the_device() {
    let (mut world, next) = withdrawn_below();
    let ours = |command: &Command| matches!(command, Command::Write { wake: Wake::Transaction(of), .. } if *of == index(2));
    let record: Vec<_> = next.iter().filter(|command| ours(command)).cloned().collect();
    let transaction = Transaction {
        status: Status::Applied,
        finished: Some(time(NOW + 1)),
        targets: parts([("t1", PartStatus::Applied)]),
        ..world.transaction(2).clone()
    };
    let t1 = target("t1");
    let header = Header { holder: None, ..world.header("t1") };
    assert_eq!(header.applied, mark(1, 0), "where the change left it");
    let expected = world.txn(
        [Key::Transaction(index(2)), Key::Configuration(t1.clone())],
        [],
        [
            Op::Transaction(transaction),
            Op::Configuration {
                target: t1,
                header,
                committed: patch([]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(record, [write(Wake::Transaction(index(2)), expected)]);
    world.drive(N1, next);
    assert_eq!(world.status(2), Status::Applied);
    assert!(world.device("t1").is_empty());
}

#[test]
fn one_that_turns_does_not_bring_a_withdrawn_change_back() {
    let mut world = World::ready(["t1", "t2"]);
    let sent = world.commit(N1, 1, queued(both("a")));
    world.commit(N1, 2, asynchronous(rollback("b", 1)));
    let record = world.answer(N1, &sent[..1], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    let turn = world.tick(N1, LATE);
    world.drive(N1, [&sent[1..], &turn].concat());

    assert_eq!((world.status(1), world.status(2)), (Status::Partial, Status::Reverted));
    assert!(world.store.committed(&target("t1")).is_empty());
    assert_eq!(world.header("t1").committed, mark(2, 0));
    assert_eq!(world.header("t2").committed, mark(2, 1));
    assert_eq!(unit(&world.store.committed(&target("t2")), "/a"), present("a", 1));
}

//! Appends are batches (rule 11): compare the log head, put the next entries, one append at a time.

use lockstep_protocol::record::{Head, Header, Key, Proposal, Status, Transaction};
use lockstep_protocol::{Answer, Command, Compare, Op, Settings, Wake, Written};

use crate::support::{
    N1, N2, NOW, World, absent, asynchronous, change, delta, entry, id, index, mark, patch,
    present, queued, rollback, session, set, target, time, undo, write,
};

fn asked(commands: &[Command]) -> usize {
    commands.iter().filter(|command| matches!(command, Command::Validate { .. })).count()
}

/// The indexes that an append puts into the log.
fn appended(commands: &[Command]) -> Vec<u64> {
    let ops = commands.iter().flat_map(|command| match command {
        Command::Write { wake: Wake::Append, txn } => txn.ops.as_slice(),
        _ => &[],
    });
    let ids = ops.filter_map(|op| match op {
        Op::Id { index, .. } => Some(index.get()),
        _ => None,
    });
    ids.collect()
}

/// Another node puts an entry into the log that concerns nobody here.
fn append_elsewhere(world: &mut World) {
    let at = world.store.head().index.next();
    let timestamp = world.store.head().timestamp.max(time(NOW));
    let elsewhere = entry(at.get(), "elsewhere", ["t9"]);
    let other = Transaction { status: Status::Rejected, ..elsewhere };
    world.change([
        Op::Head(Head { index: at, timestamp }),
        Op::Id { id: id("elsewhere"), index: at },
        Op::Transaction(other),
    ]);
}

#[test]
fn what_has_to_queue_anyway_does_not_wait_for_yang() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let first = world.submit(N1, 1, change("a", [("t1", edit.clone())]));
    let append = world.valid(N1, &first);
    for (client, name, on) in [(2, "b", "t2"), (3, "c", "t2"), (4, "d", "t1")] {
        let next = world.submit(N1, client, change(name, [(on, edit.clone())]));
        assert_eq!(next, [], "one append at a time");
    }

    // `a` holds t1, so `d` queues; `b` can be decided at once, and `c` waits for it.
    let next = world.perform(N1, &append);
    assert_eq!((appended(&next), asked(&next)), (vec![2], 1));
    let append: Vec<_> =
        next.iter().filter(|command| matches!(command, Command::Write { .. })).cloned().collect();
    world.perform(N1, &append);
    assert_eq!((world.transaction(2).id.clone(), world.status(2)), (id("d"), Status::Pending));
}

#[test]
fn one_append_holds_several_and_the_second_on_a_target_stays_pending() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let first = world.submit(N1, 1, change("a", [("t1", edit.clone())]));
    let lost = world.valid(N1, &first);
    world.submit(N1, 2, change("b", [("t1", edit.clone())]));
    // The append is lost to somebody else's; both go into the next one.
    append_elsewhere(&mut world);
    let mut next = world.perform(N1, &lost);
    if asked(&next) > 0 {
        next = world.valid(N1, &next);
    }

    let t1 = target("t1");
    let decided = Transaction {
        status: Status::Committed,
        decided: Some(time(NOW + 1)),
        ..entry(2, "a", ["t1"])
    };
    let proposal = Proposal {
        edit: edit.clone(),
        delta: delta([("/a", Some("1"))]),
        undo: undo([("/a", absent(0))]),
    };
    let header = Header { committed: mark(2, 2), holder: Some(index(2)), ..world.header("t1") };
    let waits = Proposal { edit, ..Proposal::default() };
    let expected = world.txn(
        [
            Key::Head,
            Key::Id(id("a")),
            Key::Id(id("b")),
            Key::Configuration(t1.clone()),
            Key::Binding(t1.clone()),
        ],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(3), timestamp: time(NOW + 2) }),
            Op::Id { id: id("a"), index: index(2) },
            Op::Id { id: id("b"), index: index(3) },
            Op::Transaction(decided),
            Op::Transaction(entry(3, "b", ["t1"])),
            Op::Proposal { index: index(2), target: t1.clone(), proposal },
            Op::Proposal { index: index(3), target: t1.clone(), proposal: waits },
            Op::Configuration {
                target: t1,
                header,
                committed: patch([("/a", present("1", 2))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(next, [write(Wake::Append, expected)]);
}

#[test]
fn a_pending_entry_is_decided_when_the_holder_is_through() {
    let mut world = World::ready(["t1"]);
    let edit = |value| set([("/a", value)]);
    let head = world.commit(N1, 1, change("a", [("t1", edit("1"))]));
    for (client, name) in [(2, "b"), (3, "c")] {
        let append = world.submit(N1, client, change(name, [("t1", edit(name))]));
        assert_eq!(world.perform(N1, &append), []);
    }
    assert_eq!((world.status(2), world.status(3)), (Status::Pending, Status::Pending));
    let record = world.answer(N1, &head, Answer::Accepted);
    world.drive(N1, record);
    assert_eq!((world.status(2), world.status(3)), (Status::Applied, Status::Applied));
    assert_eq!(world.header("t1").applied, mark(3, 3));
}

#[test]
fn who_waits_for_yang_holds_up_nobody_elsewhere() {
    let mut world = World::ready(["t1", "t2"]);
    let slow = world.submit(N1, 1, change("slow", [("t1", set([("/a", "1")]))]));
    let quick = world.submit(N1, 2, change("quick", [("t2", set([("/a", "1")]))]));
    assert_eq!((asked(&slow), asked(&quick)), (1, 1));
    let append = world.valid(N1, &quick);
    assert_eq!(appended(&append), [1]);
    world.perform(N1, &append);
    let append = world.valid(N1, &slow);
    world.perform(N1, &append);
    assert_eq!(world.transaction(2).id, id("slow"));
}

#[test]
fn many_on_one_target_are_not_all_validated_on_the_same_values() {
    let mut world = World::ready(["t1"]);
    let mut questions = 0;
    for (client, name) in [(1, "a"), (2, "b"), (3, "c"), (4, "d")] {
        let request = queued(change(name, [("t1", set([("/a", name)]))]));
        questions += asked(&world.submit(N1, client, asynchronous(request)));
    }
    // Only one of them can be decided on what stands now.
    assert_eq!(questions, 1);
}

#[test]
fn a_lost_race_for_the_log_head_is_not_a_reason_to_validate_again() {
    let mut world = World::ready(["t1", "t2"]);
    let asked = world.submit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    let lost = world.valid(N1, &asked);
    append_elsewhere(&mut world);
    let again = world.perform(N1, &lost);
    assert_eq!(appended(&again), [2], "nothing moved on t1: {again:?}");
}

#[test]
fn two_nodes_append_one_after_the_other() {
    let mut world = World::new(2, ["t1", "t2"]);
    let ask = |world: &mut World, at, name, on| {
        let request = asynchronous(queued(change(name, [(on, set([("/a", "1")]))])));
        let asked = world.submit(at, 1, request);
        world.valid(at, &asked)
    };
    let first = ask(&mut world, N1, "a", "t1");
    let second = ask(&mut world, N2, "b", "t2");
    world.perform(N1, &first);
    let [Command::Write { txn, .. }] = &second[..] else { panic!("{second:?}") };
    assert!(matches!(world.write(txn), Written::Stale(_)), "the log head moved");
    let again = world.perform(N2, &second);
    world.drive(N2, again);
    assert_eq!(
        (world.transaction(1).id.clone(), world.transaction(2).id.clone()),
        (id("a"), id("b"))
    );
    assert!(world.transaction(1).submitted < world.transaction(2).submitted);
}

#[test]
fn an_append_never_holds_more_than_a_store_can_write() {
    let settings =
        Settings { records_per_write: 12, records_per_append: 12, ..Settings::default() };
    let mut world = World::with_settings(1, ["t1", "t2", "t3", "t4", "t5", "t6", "t7"], &settings);
    let edit = || set([("/a", "1")]);
    let wide = |name, targets: [&'static str; 3]| {
        asynchronous(queued(change(name, targets.map(|on| (on, edit())))))
    };
    world.submit_and_drive(N1, 1, wide("a", ["t1", "t2", "t3"]));
    world.submit_and_drive(N1, 2, wide("b", ["t4", "t5", "t6"]));
    // Two Rollbacks become ready while an append is under way.
    let rollbacks = [(3, "c", 1), (4, "d", 2)];
    let asked: Vec<_> = rollbacks
        .map(|(client, name, of)| world.submit(N1, client, asynchronous(rollback(name, of))))
        .into();
    let other = world.submit(N1, 5, asynchronous(queued(change("e", [("t7", edit())]))));
    let append = world.valid(N1, &other);
    asked.iter().for_each(|asked| assert_eq!(world.valid(N1, asked), []));

    let mut next = world.perform(N1, &append);
    while let Some(at) = next.iter().position(|command| matches!(command, Command::Write { .. })) {
        let one = [next.remove(at)];
        let [Command::Write { txn, .. }] = &one else { panic!("{one:?}") };
        assert!(txn.ops.len() <= 12, "{} records in one write", txn.ops.len());
        next.extend(world.perform(N1, &one));
    }
    assert_eq!((world.status(4), world.status(5)), (Status::Committed, Status::Committed));
}

#[test]
fn an_append_takes_as_many_changes_as_a_store_can_write() {
    const TARGETS: [&str; 8] = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8"];
    // The head of the log and the horizon; then of each change itself, its id, a proposal and a configuration.
    let most = 2 + 4 * 6;
    let settings =
        Settings { records_per_write: most, records_per_append: most, ..Settings::default() };
    let mut world = World::with_settings(1, TARGETS, &settings);
    let ask = |on| asynchronous(queued(change(on, [(on, set([("/a", "1")]))])));
    let first = world.submit_judged(N1, 1, ask("t1"));
    // Seven more come while the first is written.
    for (client, on) in (2..).zip(TARGETS.into_iter().skip(1)) {
        assert_eq!(world.submit_judged(N1, client, ask(on)), [], "one append at a time");
    }
    let next = world.perform(N1, &first);
    assert_eq!(appended(&next), (2..=7).collect::<Vec<_>>(), "six of them");
}

#[test]
fn what_comes_with_a_verdict_is_decided_without_a_question() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = || set([("/a", "1")]);
    let append = world.submit_judged(N1, 1, change("a", [("t1", edit()), ("t2", edit())]));
    assert_eq!((appended(&append), asked(&append)), (vec![1], 0));
    world.perform(N1, &append);
    assert_eq!(world.status(1), Status::Committed);
}

#[test]
fn a_verdict_that_came_along_and_was_overtaken_is_asked_for_again() {
    let mut world = World::ready(["t1"]);
    let ask = |name| asynchronous(queued(change(name, [("t1", set([("/a", name)]))])));
    let first = world.submit_judged(N1, 1, ask("a"));
    // Both were judged on what stood before either.
    assert_eq!(world.submit_judged(N1, 2, ask("b")), [], "one append at a time");
    let next = world.perform(N1, &first);
    assert_eq!(
        (appended(&next), asked(&next)),
        (vec![], 1),
        "not queued: it was never asked about"
    );
    let append = world.valid(N1, &next.into_iter().filter(is_question).collect::<Vec<_>>());
    assert_eq!(appended(&append), [2]);
    world.perform(N1, &append);
    assert_eq!((world.status(1), world.status(2)), (Status::Committed, Status::Committed));
}

#[test]
fn what_follows_on_a_target_that_is_let_go_of_at_once_is_decided_with_the_next_append() {
    let mut world = World::ready(["t1", "t2"]);
    let ask = |name, on| asynchronous(queued(change(name, [(on, set([("/a", name)]))])));
    let under_way = world.submit_judged(N1, 1, ask("a", "t2"));
    for (client, name) in [(2, "b"), (3, "c")] {
        assert_eq!(world.submit_judged(N1, client, ask(name, "t1")), []);
    }
    let next = world.perform(N1, &under_way);
    assert_eq!(appended(&next), [2], "and `c` is not put into the log undecided");
    let writes: Vec<_> = next.into_iter().filter(|command| !is_question(command)).collect();
    let next = world.perform(N1, &writes);
    assert_eq!(asked(&next), 1);
    let append = world.valid(N1, &next.into_iter().filter(is_question).collect::<Vec<_>>());
    world.perform(N1, &append);
    assert_eq!((world.transaction(3).id.clone(), world.status(3)), (id("c"), Status::Committed));
}

fn is_question(command: &Command) -> bool {
    matches!(command, Command::Validate { .. })
}

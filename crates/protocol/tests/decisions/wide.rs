//! Transactions beyond one write: gathered, prepared, decided by their record, followed by their targets.

use lockstep_protocol::record::{Key, PartStatus, Reason, Stage, Status};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Answer, Command, Op, Refusal, Settings, Txn, Wake};
use lockstep_types::Index;

use crate::support::{
    DEADLINE, N1, N2, World, answer, asynchronous, change, due, failure, id, index, path, queued,
    refused_answer, rollback, session, set, target,
};

/// Two targets, connected and in line, and a store that holds one of them in a write.
fn narrow_store(nodes: usize) -> World {
    let settings = Settings { records_per_write: 1, records_per_append: 1, ..Settings::default() };
    let mut world = World::with_settings(nodes, ["t1", "t2"], &settings);
    world.connect_and_drive(N1, "t1", 1);
    world.connect_and_drive(N1, "t2", 1);
    world.written = 0;
    world
}

fn both(name: &str, value: &str) -> lockstep_protocol::Request {
    change(name, [("t1", set([("/a", value)])), ("t2", set([("/a", value)]))])
}

fn writes(commands: &[Command]) -> Vec<&Txn> {
    let writes = commands.iter().filter_map(|command| match command {
        Command::Write { txn, .. } => Some(txn),
        _ => None,
    });
    writes.collect()
}

fn keys(commands: &[Command]) -> Vec<Key> {
    writes(commands).into_iter().flat_map(|txn| txn.ops.iter().map(Op::key)).collect()
}

/// Carries on until the entry has this status in the store.
fn drive_to(world: &mut World, commands: Vec<Command>, status: Status) -> Vec<Command> {
    let writes_it = |command: &Command| match command {
        Command::Write { txn, .. } => txn.ops.iter().any(
            |op| matches!(op, Op::Transaction(t) if t.index == index(1) && t.status == status),
        ),
        _ => false,
    };
    let left = world.drive_until(N1, commands, writes_it);
    let (write, rest): (Vec<_>, Vec<_>) =
        left.into_iter().partition(|c| matches!(c, Command::Write { .. }));
    let mut next = world.perform(N1, &write);
    next.extend(rest);
    next
}

#[test]
fn it_is_gathered_and_prepared_target_by_target_and_decided_by_its_record() {
    let mut world = narrow_store(1);
    let (t1, t2) = (target("t1"), target("t2"));
    let one = index(1);
    let append = world.submit(N1, 7, both("a", "1"));
    assert_eq!(keys(&append), [Key::Head, Key::Id(id("a")), Key::Transaction(one)]);
    let gather = world.perform(N1, &append);
    assert_eq!(keys(&gather), [Key::Proposal(one, t1.clone())]);
    let gather = world.perform(N1, &gather);
    assert_eq!(keys(&gather), [Key::Proposal(one, t2.clone())]);

    let ask = world.perform(N1, &gather);
    let prepare = world.valid(N1, &ask);
    let on_t1 = [Key::Proposal(one, t1.clone()), Key::Configuration(t1.clone())];
    assert_eq!(keys(&prepare), on_t1);
    let ask = world.perform(N1, &prepare);
    assert_eq!((world.header("t1").holder, world.header("t1").stage), (Some(one), Stage::Prepared));
    assert_eq!(world.header("t1").committed.index, Index::ZERO, "nothing is committed by it");
    let transaction = world.transaction(1).clone();
    assert_eq!(world.store.waiting_for(&transaction, &t1), Some(Wait::Others));
    assert_eq!(world.store.waiting_for(&transaction, &t2), Some(Wait::Verdict));

    let prepare = world.valid(N1, &ask);
    let decide = world.perform(N1, &prepare);
    assert_eq!(keys(&decide), [Key::Transaction(one)], "one write to its record decides it");
    let sent = world.perform(N1, &decide);
    for on in ["t1", "t2"] {
        assert_eq!(world.header(on).committed.index, one);
        assert!(world.store.committed(&target(on)).get(&path("/a")).is_some());
    }
    assert_eq!(world.store.laggards().count(), 2, "the store is yet to follow");

    world.drive(N1, sent);
    assert_eq!(world.told, [answer(7, 1, Status::Applied)]);
    assert_eq!(world.store.laggards().count(), 0, "and has followed");
    assert_eq!(world.header("t2").holder, None);
}

#[test]
fn one_target_is_never_wide() {
    let mut world = narrow_store(1);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    assert_eq!((world.written, world.transaction(1).wide), (2, false));
}

#[test]
fn a_refusal_turns_it_by_its_record_everywhere() {
    let mut world = narrow_store(1);
    let append = world.submit(N1, 7, both("a", "1"));
    let sent = drive_to(&mut world, append, Status::Committed);
    let (first, second) = sent.split_at(1);
    let turn = world.answer(N1, first, Answer::Refused(failure()));
    let touched: Vec<Key> = keys(&turn);
    let (one, t1) = (index(1), target("t1"));
    let expected = [Key::Transaction(one), Key::Part(one, t1.clone()), Key::Configuration(t1)];
    assert_eq!(touched, expected, "t2 is not written");
    let mut next = world.perform(N1, &turn);
    assert_eq!(world.store.committed(&target("t2")).get(&path("/a")), None, "t2 follows at once");
    next.extend(second.iter().cloned());
    world.drive(N1, next);
    assert_eq!(world.status(1), Status::Reverted);
    assert_eq!(world.part(1, "t1"), PartStatus::Refused);
    assert_eq!(world.part(1, "t2"), PartStatus::Undone);
    assert_eq!(*world.device("t2"), lockstep_types::Configuration::new());
}

#[test]
fn another_node_carries_it_on_from_any_write_once_all_of_it_is_written() {
    for stop in 1..12 {
        let mut world = narrow_store(2);
        let mut left = world.submit(N1, 7, asynchronous(both("a", "1")));
        for _ in 0..stop {
            left = world.drive_until(N1, left, |c| matches!(c, Command::Write { .. }));
            if left.is_empty() {
                break;
            }
            let at = left.iter().position(|c| matches!(c, Command::Write { .. })).unwrap();
            let write = [left.remove(at)];
            left.extend(world.perform(N1, &write));
        }
        world.change([Op::EndSession(session("s1"))]);
        let mut next = world.watch(N2);
        next.extend(world.connect(N2, "t1", 1));
        next.extend(world.connect(N2, "t2", 1));
        world.drive(N2, next);
        let whole = world.store.proposal(index(1), &target("t2")).is_some();
        let outcome = if whole { Status::Applied } else { Status::Rejected };
        assert_eq!(world.status(1), outcome, "stopped after {stop} writes");
        let shown = world.device("t1").get(&path("/a")).is_some();
        assert_eq!(shown, whole, "stopped after {stop} writes");
        if !whole {
            assert_eq!(world.transaction(1).reason, Some(Reason::Incomplete));
        }
    }
}

#[test]
fn what_is_withdrawn_below_it_has_it_prepared_again() {
    let mut world = narrow_store(1);
    let first = queued(change("q", [("t1", set([("/a", "0")]))]));
    let sent = world.commit(N1, 1, asynchronous(first));
    let sent: Vec<_> = sent.into_iter().filter(|c| matches!(c, Command::Send { .. })).collect();
    let append = world.submit(N1, 2, asynchronous(both("a", "1")));
    let decides = |command: &Command| match command {
        Command::Write { wake: Wake::Transaction(_), txn } => {
            matches!(txn.ops.as_slice(), [Op::Transaction(t)] if t.status == Status::Committed)
        }
        _ => false,
    };
    let decide = world.drive_until(N1, append, decides);
    let withdraw = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &withdraw);
    assert_eq!(world.transaction(2).disturbed, 1);
    assert_eq!(world.header("t1").holder, None);
    let mut again = world.perform(N1, &decide);
    assert_eq!(world.status(2), Status::Pending, "what it was prepared on is gone");
    again.extend(next);
    world.drive(N1, again);
    assert_eq!(world.status(2), Status::Applied);
    let undo = &world.store.proposal(index(2), &target("t1")).unwrap().undo;
    assert_eq!(undo.units.get(&path("/a")).unwrap().content, None);
}

#[test]
fn a_queued_one_that_is_cancelled_is_withdrawn_target_by_target() {
    let mut world = narrow_store(1);
    let append = world.submit(N1, 1, asynchronous(queued(both("a", "1"))));
    drive_to(&mut world, append, Status::Committed);
    let cancel = world.cancel(N1, 9, 1);
    assert_eq!(keys(&cancel), [Key::Transaction(index(1))]);
    let next = world.perform(N1, &cancel);
    assert!(world.transaction(1).called_off);
    world.drive(N1, next);
    assert_eq!(world.status(1), Status::Cancelled);
    assert_eq!(world.part(1, "t1"), PartStatus::Withdrawn);
    assert_eq!(world.store.committed(&target("t2")).get(&path("/a")), None);
}

#[test]
fn called_off_while_it_is_taken_back_it_still_has_its_outcome() {
    let mut world = narrow_store(1);
    let append = world.submit(N1, 7, both("a", "1"));
    let sent = drive_to(&mut world, append, Status::Committed);
    let (first, second) = sent.split_at(1);
    let turn = world.answer(N1, first, Answer::Refused(failure()));
    let mut next = world.perform(N1, &turn);
    let cancel = world.cancel(N1, 9, 1);
    assert!(writes(&cancel).is_empty(), "{cancel:?}");
    next.extend(second.iter().cloned());
    world.drive(N1, next);
    assert_eq!(world.status(1), Status::Reverted);
}

#[test]
fn past_its_deadline_it_is_passed_over_and_lets_go() {
    let mut world = narrow_store(1);
    let append = world.submit(N1, 1, asynchronous(due(both("a", "1"), DEADLINE)));
    let prepared = |command: &Command| keys(std::slice::from_ref(command)).len() == 2;
    let prepare = world.drive_until(N1, append, prepared);
    let mut left = world.perform(N1, &prepare);
    assert_eq!(world.header("t1").stage, Stage::Prepared);
    left.extend(world.tick(N1, DEADLINE + 1));
    world.drive(N1, left);
    assert_eq!(world.status(1), Status::Rejected);
    assert_eq!(world.header("t1").holder, None);
    assert_eq!(world.store.laggards().count(), 0);
    world.submit_and_drive(N1, 2, due(both("b", "2"), 10 * DEADLINE));
    assert_eq!(world.status(2), Status::Applied);
}

#[test]
fn its_rollback_takes_it_out_of_its_parts() {
    let mut world = narrow_store(1);
    world.submit_and_drive(N1, 1, both("a", "1"));
    world.submit_and_drive(N1, 2, rollback("b", 1));
    assert_eq!(world.status(2), Status::Applied);
    assert!(world.transaction(2).wide);
    let by = |on: &str| world.transaction(1).targets.get(&target(on)).unwrap().rolled_back_by;
    assert_eq!((by("t1"), by("t2")), (Some(index(2)), Some(index(2))));
    assert_eq!(world.store.committed(&target("t1")).get(&path("/a")), None);
    let again = world.submit(N1, 3, rollback("c", 1));
    world.drive(N1, again);
    assert_eq!(world.transaction(3).reason, Some(Reason::NotLive(index(1))));
}

#[test]
fn its_id_is_answered_once_all_of_it_is_written() {
    let mut world = narrow_store(2);
    let append = world.submit(N1, 1, asynchronous(both("a", "1")));
    let gather = world.perform(N1, &append);
    world.watch(N2);
    let asked = world.submit(N2, 2, asynchronous(both("a", "1")));
    assert_eq!(asked, [refused_answer(2, Refusal::BeingWritten(index(1)))]);
    let asked = world.submit(N1, 3, asynchronous(both("a", "2")));
    assert_eq!(asked, [refused_answer(3, Refusal::IdTaken(index(1)))]);
    world.drive(N1, gather);
    world.watch(N2);
    let asked = world.submit(N2, 4, asynchronous(both("a", "1")));
    assert_eq!(asked, [answer(4, 1, Status::Applied)]);
}

#[test]
fn a_view_that_is_loaded_says_the_same_as_one_that_was_told() {
    let mut world = narrow_store(1);
    let append = world.submit(N1, 7, both("a", "1"));
    drive_to(&mut world, append, Status::Committed);
    let fresh = world.loaded();
    for on in ["t1", "t2"] {
        let on = target(on);
        assert_eq!(fresh.committed(&on), world.store.committed(&on));
        assert_eq!(fresh.header(&on), world.store.header(&on));
        assert_eq!(fresh.apply_head(&on), world.store.apply_head(&on));
    }
    assert_eq!(fresh.laggards().count(), 2);
}

//! Retention: the horizon moves with the log, what lies behind it is forgotten, and nobody goes back past
//! it.

use lockstep_protocol::record::{Horizon, Key, Status};
use lockstep_protocol::{Answer, Command, Op, Refusal, Request, Retention, Settings, Wake};

use crate::support::{
    N1, N2, NOW, World, asynchronous, change, confirmed_within, failure, id, index, queued,
    refused_answer, restore, rollback, rollback_by_path, session, set, target, time, tree, write,
};

/// The last two entries are kept.
fn settings() -> Settings {
    let retention = Retention { transactions: 2, step: 1, ..Retention::default() };
    Settings { retention, ..Settings::default() }
}

fn ready() -> World {
    let mut world = World::with_settings(1, ["t1"], &settings());
    world.connect_and_drive(N1, "t1", 1);
    world
}

fn one(name: &str, path: &str) -> Request {
    change(name, [("t1", set([(path, name)]))])
}

fn kept(world: &World) -> Vec<u64> {
    world.store.transactions().map(|t| t.index.get()).collect()
}

#[test]
fn the_horizon_moves_in_the_write_of_an_append() {
    let mut world = ready();
    for (name, horizon) in [("1", 0), ("2", 0), ("3", 1)] {
        world.submit_and_drive(N1, 1, one(name, "/a"));
        assert_eq!(world.store.horizon(), index(horizon));
    }
    assert_eq!(kept(&world), [1, 2, 3], "the first is what the target would go back to");
    let asked = world.submit(N1, 1, one("4", "/b"));
    let append = world.valid(N1, &asked);
    let [Command::Write { txn, .. }] = &append[..] else { panic!("{append:?}") };
    let horizon = Horizon { index: index(2), since: time(NOW + 1) };
    assert!(txn.ops.contains(&Op::Horizon(horizon)), "{txn:?}");
    let next = world.perform(N1, &append);

    let keys =
        [Key::Proposal(index(1), target("t1")), Key::Id(id("1")), Key::Transaction(index(1))];
    let expected = world.txn(
        [keys[0].clone(), keys[1].clone(), keys[2].clone(), Key::Horizon],
        [],
        keys.map(Op::Forget),
    );
    assert!(next.contains(&write(Wake::Retention, expected)), "{next:?}");
    world.drive(N1, next);
    assert_eq!(kept(&world), [2, 3, 4]);
    assert!(world.store.named(&id("1")).is_none());
    assert!(world.device("t1").same_values(&tree([("/a", "3"), ("/b", "4")])));
}

#[test]
fn past_it_nothing_is_rolled_back_nor_restored_to() {
    let mut world = ready();
    for name in ["1", "2", "3", "4"] {
        world.submit_and_drive(N1, 1, one(name, "/a"));
    }
    assert_eq!(world.store.horizon(), index(2));
    let beyond = |at| Refusal::BeyondRetention { index: index(at), horizon: index(2) };
    assert_eq!(world.submit(N1, 2, rollback("r", 2)), [refused_answer(2, beyond(2))]);
    assert_eq!(world.submit(N1, 2, restore("r", 1, ["t1"])), [refused_answer(2, beyond(1))]);
    assert_eq!(world.cancel(N1, 2, 1), [refused_answer(2, beyond(1))]);
    assert_eq!(world.confirm(N1, 2, 1), [refused_answer(2, beyond(1))]);
    assert_eq!(world.store.as_of(&target("t1"), index(1)), None);
    assert_eq!(world.store.visible_at(&target("t1"), time(0)), None);

    world.submit_and_drive(N1, 3, restore("s", 2, ["t1"]));
    assert!(world.device("t1").same_values(&tree([("/a", "2")])), "to the horizon itself");
}

#[test]
fn an_id_is_forgotten_with_its_entry() {
    let mut world = ready();
    for name in ["1", "2", "3", "4"] {
        world.submit_and_drive(N1, 1, one(name, "/a"));
    }
    world.submit_and_drive(N1, 2, one("1", "/b"));
    assert_eq!(world.store.named(&id("1")).map(|t| t.index), Some(index(5)));
}

#[test]
fn what_a_target_goes_back_to_stays() {
    let mut world = ready();
    for (name, path) in [("1", "/a"), ("2", "/b"), ("3", "/b"), ("4", "/b")] {
        world.submit_and_drive(N1, 1, one(name, path));
    }
    assert_eq!(kept(&world), [2, 3, 4], "2 is the latest change up to the horizon");
    world.submit_and_drive(N1, 2, rollback("r", 4));
    world.submit_and_drive(N1, 2, rollback("s", 3));
    assert_eq!(world.header("t1").committed.revision, index(2));
}

#[test]
fn what_a_later_rollback_took_out_stays_until_that_goes_too() {
    let mut world = ready();
    world.submit_and_drive(N1, 1, one("1", "/a"));
    world.submit_and_drive(N1, 1, one("2", "/b"));
    world.submit_and_drive(N1, 2, rollback_by_path("r", 1));
    world.submit_and_drive(N1, 1, one("4", "/b"));
    assert_eq!((world.store.horizon(), kept(&world)), (index(2), vec![1, 2, 3, 4]));
    let stood = world.store.as_of(&target("t1"), index(2)).unwrap_or_default();
    assert!(stood.same_values(&tree([("/a", "1"), ("/b", "2")])));
    world.submit_and_drive(N1, 1, one("5", "/b"));
    assert_eq!(kept(&world), [2, 4, 5]);
}

#[test]
fn it_waits_for_what_may_yet_be_reverted() {
    let mut world = ready();
    world.submit_and_drive(N1, 1, confirmed_within(one("1", "/a"), 1_000));
    world.change([crate::support::bound("t2", "models-1")]);
    world.watch(N1);
    world.connect_and_drive(N1, "t2", 1);
    for name in ["2", "3", "4"] {
        world.submit_and_drive(N1, 1, change(name, [("t2", set([("/a", name)]))]));
    }
    assert_eq!(world.store.horizon(), index(0));
    let confirm = world.confirm(N1, 2, 1);
    world.perform(N1, &confirm);
    world.submit_and_drive(N1, 1, change("5", [("t2", set([("/a", "5")]))]));
    assert_eq!(world.store.horizon(), index(3));
}

#[test]
fn what_waits_for_its_device_is_passed_and_stays() {
    let mut world = World::with_settings(1, ["t1"], &settings());
    for name in ["1", "2", "3", "4"] {
        let asked = world.submit(N1, 1, asynchronous(queued(one(name, "/a"))));
        world.drive(N1, asked);
    }
    assert_eq!((world.store.horizon(), kept(&world)), (index(2), vec![1, 2, 3, 4]));
    let sent = world.connect(N1, "t1", 1);
    world.drive(N1, sent);
    assert!(world.device("t1").same_values(&tree([("/a", "4")])));
    world.submit_and_drive(N1, 1, one("5", "/a"));
    assert_eq!(kept(&world), [3, 4, 5]);
}

#[test]
fn one_that_is_withdrawn_beyond_it_leaves_what_stood() {
    let mut world = ready();
    world.submit_and_drive(N1, 1, one("1", "/a"));
    let sent = world.commit(N1, 1, asynchronous(queued(one("2", "/a"))));
    for name in ["3", "4"] {
        world.commit(N1, 1, asynchronous(queued(one(name, "/b"))));
    }
    assert_eq!(world.store.horizon(), index(2));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    assert_eq!(world.status(4), Status::Applied);
    assert!(world.device("t1").same_values(&tree([("/a", "1"), ("/b", "4")])));
}

#[test]
fn what_one_write_does_not_hold_goes_with_the_next_and_nothing_goes_twice() {
    let retention = Retention { transactions: 2, step: 4, ..Retention::default() };
    let settings = Settings { retention, records_per_append: 8, ..Settings::default() };
    let mut world = World::with_settings(1, ["t1"], &settings);
    world.connect_and_drive(N1, "t1", 1);
    for name in ["1", "2", "3", "4", "5"] {
        world.submit_and_drive(N1, 1, one(name, "/a"));
    }
    let asked = world.submit(N1, 1, one("6", "/a"));
    let append = world.valid(N1, &asked);
    let next = world.perform(N1, &append);
    let forgets = |c: &&Command| matches!(c, Command::Write { wake: Wake::Retention, .. });
    let first = next.iter().find(forgets).cloned().unwrap();
    let Command::Write { txn, .. } = &first else { panic!("{first:?}") };
    assert!(txn.ops.contains(&Op::Forget(Key::Id(id("3")))), "{txn:?}");
    let next = world.perform(N1, &[first]);
    let left = Key::Transaction(index(3));
    let expected = world.txn([left.clone(), Key::Horizon], [], [Op::Forget(left)]);
    assert!(next.contains(&write(Wake::Retention, expected)), "{next:?}");
}

#[test]
fn one_node_forgets_for_all_and_then_another() {
    let mut world = World::with_settings(2, ["t1"], &settings());
    world.connect_and_drive(N1, "t1", 1);
    for name in ["1", "2", "3"] {
        world.submit_and_drive(N1, 1, one(name, "/a"));
    }
    let asked = world.submit(N1, 1, one("4", "/a"));
    let append = world.valid(N1, &asked);
    world.perform(N1, &append);
    let forgets = |commands: &[Command]| {
        let ours = |c: &Command| matches!(c, Command::Write { wake: Wake::Retention, .. });
        commands.iter().any(ours)
    };
    assert!(!forgets(&world.watch(N2)));
    world.change([Op::EndSession(session("s1"))]);
    assert!(forgets(&world.watch(N2)));
}

#[test]
fn what_is_too_old_goes_with_the_next_append() {
    let retention = Retention { age: 100, step: 1, ..Retention::default() };
    let settings = Settings { retention, ..Settings::default() };
    let mut world = World::with_settings(1, ["t1"], &settings);
    world.connect_and_drive(N1, "t1", 1);
    world.submit_and_drive(N1, 1, one("1", "/a"));
    world.tick(N1, NOW + 90);
    world.submit_and_drive(N1, 1, one("2", "/a"));
    assert_eq!(world.store.horizon(), index(0));
    world.tick(N1, NOW + 150);
    world.submit_and_drive(N1, 1, one("3", "/a"));
    assert_eq!(world.store.horizon(), index(1));
}

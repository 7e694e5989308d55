//! Absences whose writer lies behind the horizon go along with the next write; whatever could still name them
//! finds what it would have found.

use lockstep_protocol::record::Status;
use lockstep_protocol::{Answer, Command, Op, Request, Retention, Settings};
use lockstep_types::{Content, Edit, Patch, Unit};

use crate::support::{
    N1, World, absent, asynchronous, change, clear, failure, index, patch, path, present, queued,
    restore, rollback_by_path, set, target, tree,
};

/// The last two entries are kept.
fn ready() -> World {
    let retention = Retention { transactions: 2, step: 1, ..Retention::default() };
    let settings = Settings { retention, ..Settings::default() };
    let mut world = World::with_settings(1, ["t1"], &settings);
    world.connect_and_drive(N1, "t1", 1);
    world
}

fn sets(name: &str, at: &str) -> Request {
    change(name, [("t1", set([(at, name)]))])
}

fn clears(name: &str, at: &str) -> Request {
    change(name, [("t1", clear([at]))])
}

fn run(world: &mut World, requests: impl IntoIterator<Item = Request>) {
    requests.into_iter().for_each(|request| world.submit_and_drive(N1, 1, request));
}

fn committed(world: &World, at: &str) -> Unit {
    world.store.committed(&target("t1")).unit(&path(at))
}

/// What the next write makes of both sides.
fn written(commands: &[Command]) -> (Patch, Patch) {
    let ops = commands.iter().flat_map(|command| match command {
        Command::Write { txn, .. } => &txn.ops[..],
        _ => &[],
    });
    let mut written = ops.filter_map(|op| match op {
        Op::Configuration { committed, applied, .. } => Some((committed.clone(), applied.clone())),
        _ => None,
    });
    written.next().unwrap_or_else(|| panic!("{commands:?}"))
}

/// /a was cleared by 2, and the horizon has just come to it.
fn beyond() -> World {
    let mut world = ready();
    run(&mut world, [sets("1", "/a"), clears("2", "/a"), sets("3", "/b")]);
    assert_eq!(committed(&world, "/a"), absent(2));
    run(&mut world, [sets("4", "/b")]);
    assert_eq!((world.store.horizon(), committed(&world, "/a")), (index(2), absent(2)));
    world
}

#[test]
fn one_goes_on_both_sides_with_the_next_decision() {
    let mut world = beyond();
    let asked = world.submit(N1, 1, sets("5", "/b"));
    let append = world.valid(N1, &asked);
    let decided = patch([("/a", Unit::NEVER), ("/b", present("5", 5))]);
    assert_eq!(written(&append), (decided, patch([("/a", Unit::NEVER)])));
    let next = world.perform(N1, &append);
    world.drive(N1, next);
    let stands = world.store.configuration(&target("t1")).cloned().unwrap();
    assert_eq!(stands.committed.units().count(), 1);
    assert!(stands.committed.is_one_with(&stands.applied));
}

#[test]
fn one_that_is_written_over_is_left_to_that() {
    let mut world = beyond();
    let asked = world.submit(N1, 1, sets("5", "/a"));
    let append = world.valid(N1, &asked);
    assert_eq!(written(&append), (patch([("/a", present("5", 5))]), Patch::new()));
}

#[test]
fn one_within_the_retention_stays() {
    let mut world = ready();
    run(&mut world, [sets("1", "/a"), sets("2", "/b"), clears("3", "/a"), sets("4", "/b")]);
    assert_eq!(world.store.horizon(), index(2));
    run(&mut world, [rollback_by_path("r", 3)]);
    assert!(world.device("t1").same_values(&tree([("/a", "1"), ("/b", "4")])));
}

#[test]
fn an_undo_brings_one_back_and_it_goes_again() {
    let mut world = beyond();
    // 5 comes to lie on the absence, which its undo names.
    run(&mut world, [sets("5", "/a"), rollback_by_path("r", 5)]);
    assert_eq!(committed(&world, "/a"), absent(2));
    let stands = world.store.configuration(&target("t1")).cloned().unwrap();
    assert!(stands.committed.is_one_with(&stands.applied));
    run(&mut world, [sets("7", "/b")]);
    assert_eq!(committed(&world, "/a"), Unit::NEVER);
    let stood = world.store.as_of(&target("t1"), index(5)).unwrap_or_default();
    assert!(stood.same_values(&tree([("/a", "5"), ("/b", "4")])), "{stood:?}");
}

#[test]
fn history_and_restores_go_back_over_one() {
    let mut world = beyond();
    run(&mut world, [sets("5", "/b")]);
    assert_eq!(committed(&world, "/a"), Unit::NEVER);
    run(&mut world, [sets("6", "/a"), restore("s", 5, ["t1"])]);
    assert!(world.device("t1").same_values(&tree([("/b", "5")])));
}

#[test]
fn one_that_is_not_recorded_waits_for_its_device() {
    let mut world = ready();
    run(&mut world, [sets("1", "/a")]);
    let sent = world.commit(N1, 1, asynchronous(queued(clears("2", "/a"))));
    for name in ["3", "4", "5"] {
        world.commit(N1, 1, asynchronous(queued(sets(name, "/b"))));
    }
    assert_eq!((world.store.horizon(), committed(&world, "/a")), (index(3), absent(2)));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    assert_eq!(world.status(5), Status::Applied);
    assert!(world.device("t1").same_values(&tree([("/a", "1"), ("/b", "5")])));
}

#[test]
fn a_target_whose_entries_come_and_go_stays_as_small_as_it_is() {
    let mut world = ready();
    let names = |round: usize| (0..40).map(move |n| path(&format!("/l[k=e{round}x{n}]")));
    let mut most = 0;
    for round in 0..60 {
        let set = names(round).map(|name| (name, Content::leaf("1"))).collect();
        let added = Edit { set, ..Edit::default() };
        run(&mut world, [change(&format!("a{round}"), [("t1", added)])]);
        assert!(names(round).all(|name| world.device("t1").get(&name).is_some()));
        run(&mut world, [clears(&format!("c{round}"), "/l")]);
        let stands = world.store.configuration(&target("t1")).cloned().unwrap();
        assert!(stands.committed.is_one_with(&stands.applied));
        most = most.max(stands.committed.units().count());
    }
    // Those of the last rounds, within the retention and not yet gone.
    assert!(most <= 3 * 40, "{most}");
}

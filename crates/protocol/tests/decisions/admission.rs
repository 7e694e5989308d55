//! What is turned down before anything is written: too much open at once, and a device that was never
//! brought in line.

use lockstep_protocol::record::{Header, Key, Status};
use lockstep_protocol::{Answer, Command, Compare, Op, Refusal, Request, Settings, Wake};

use crate::support::{
    N1, N2, World, answer, asynchronous, change, due, failure, patch, queued, refused_answer,
    session, set, target, term, tree, write,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

/// One node that takes in two transactions at a time, and has two: one in the log, one not yet.
fn full() -> (World, Vec<Command>) {
    let settings = Settings { open: 2, ..Settings::default() };
    let mut world = World::with_settings(2, ["t1"], &settings);
    world.commit(N1, 1, asynchronous(queued(one("a", "1"))));
    let asked = world.submit(N1, 2, asynchronous(queued(one("b", "2"))));
    (world, asked)
}

#[test]
fn when_as_much_is_open_as_may_be() {
    let (mut world, _) = full();
    let refused = refused_answer(3, Refusal::TooManyOpen(2));
    assert_eq!(world.submit(N1, 3, asynchronous(one("c", "3"))), [refused]);
    assert_eq!(world.node(N1).view().open_count(), 1, "the other is not in the log yet");
}

#[test]
fn what_is_open_is_counted_once_it_is_in_the_log_too() {
    let (mut world, asked) = full();
    let append = world.valid(N1, &asked);
    world.perform(N1, &append);
    assert_eq!(world.node(N1).view().open_count(), 2);
    let refused = refused_answer(3, Refusal::TooManyOpen(2));
    assert_eq!(world.submit(N1, 3, asynchronous(one("c", "3"))), [refused]);
}

#[test]
fn what_other_nodes_took_in_counts_as_well() {
    let (mut world, asked) = full();
    let append = world.valid(N1, &asked);
    world.perform(N1, &append);
    world.watch(N2);
    let refused = refused_answer(3, Refusal::TooManyOpen(2));
    assert_eq!(world.submit(N2, 3, asynchronous(one("c", "3"))), [refused]);
}

#[test]
fn an_id_that_is_known_is_answered_however_much_is_open() {
    let (mut world, _) = full();
    let again = world.submit(N1, 3, asynchronous(queued(one("a", "1"))));
    assert_eq!(again, [answer(3, 1, Status::Committed)]);
    let again = world.submit(N1, 4, asynchronous(queued(one("b", "2"))));
    assert_eq!(again, [], "it waits with the first");
}

#[test]
fn once_something_has_ended_there_is_room_again() {
    let (mut world, asked) = full();
    let append = world.valid(N1, &asked);
    world.perform(N1, &append);
    world.connect_and_drive(N1, "t1", 1);
    assert_eq!(world.node(N1).view().open_count(), 0);
    world.submit_and_drive(N1, 3, one("c", "3"));
    assert_eq!(world.status(3), Status::Applied);
}

/// A device that has been connected to, holds something nobody asked for, and refuses to give it up.
fn strange() -> World {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    let pushed = world.answer(N1, &reading, Answer::Values(tree([("/x", "9")])));
    let record = world.answer(N1, &pushed, Answer::Refused(failure()));
    world.perform(N1, &record);
    world
}

#[test]
fn sync_to_a_device_that_was_never_brought_in_line() {
    let mut world = strange();
    let refusal = Refusal::NeverMet { target: target("t1"), failure: failure() };
    assert_eq!(world.submit(N1, 1, one("a", "1")), [refused_answer(1, refusal.clone())]);
    let queue = queued(one("a", "1"));
    assert_eq!(world.submit(N1, 2, queue), [refused_answer(2, refusal)]);
    let next = world.commit(N1, 3, asynchronous(queued(one("b", "2"))));
    assert_eq!(next, [answer(3, 1, Status::Committed)], "async may wait for it");
}

#[test]
fn not_before_it_has_refused() {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    world.perform(N1, &take);
    assert!(!world.header("t1").met);
    let next = world.commit(N1, 1, one("a", "1"));
    assert_eq!(next, [], "it is being brought in line");
    assert_eq!(world.status(1), Status::Committed);
}

#[test]
fn being_brought_in_line_for_the_first_time_is_recorded() {
    let mut world = strange();
    let again = world.node(N1).desk().next_retry().expect("a retry").get();
    let claimed = world.tick(N1, again);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    let record = world.answer(N1, &reading, Answer::Values(tree([])));

    let t1 = target("t1");
    let header = Header {
        synced: term(1),
        met: true,
        resync_refused: None,
        fenced: Some(true),
        ..world.header("t1")
    };
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
    world.perform(N1, &record);
    world.submit_and_drive(N1, 1, due(one("a", "1"), 2 * again));
    assert_eq!(world.told, [answer(1, 1, Status::Applied)]);
}

#[test]
fn what_was_met_once_is_waited_for_though_it_refuses() {
    let mut world = World::ready(["t1"]);
    let released = world.disconnect(N1, "t1", 1);
    world.perform(N1, &released);
    let take = world.connect(N1, "t1", 2);
    let claimed = world.perform(N1, &take);
    let record = world.answer(N1, &claimed, Answer::Refused(failure()));
    world.perform(N1, &record);
    let header = world.header("t1");
    assert_eq!((header.met, header.resync_refused), (true, Some(failure())));
    assert_eq!(world.commit(N1, 1, one("a", "1")), [], "until its deadline");
    assert_eq!(world.status(1), Status::Committed);
}

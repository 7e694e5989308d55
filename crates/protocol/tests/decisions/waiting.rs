//! What a transaction without an outcome waits for is named, on each target (guarantee 10).

use lockstep_protocol::view::Wait;
use lockstep_protocol::{Answer, Command, Request};

use crate::support::{
    N1, World, asynchronous, change, failure, index, queued, set, target, violation,
};

fn queue(name: &str, at: &str) -> Request {
    asynchronous(queued(change(name, [("t1", set([(at, name)]))])))
}

fn atomic(name: &str) -> Request {
    asynchronous(change(name, [("t1", set([("/a", name)]))]))
}

fn waits(world: &World, at: u64) -> Option<Wait> {
    world.store.waiting_for(world.transaction(at), &target("t1"))
}

#[test]
fn for_the_device_and_then_for_nothing() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, atomic("1"));
    assert_eq!(waits(&world, 1), Some(Wait::Device));
    let record = world.answer(N1, &sent, Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!(waits(&world, 1), None);
}

#[test]
fn for_whoever_holds_the_target_and_whoever_is_before_it() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, atomic("1"));
    for (client, name) in [(2, "2"), (3, "3")] {
        let append = world.submit(N1, client, atomic(name));
        world.perform(N1, &append);
    }
    assert_eq!(waits(&world, 2), Some(Wait::Held(index(1))));
    assert_eq!(waits(&world, 3), Some(Wait::Behind(index(2))));
}

#[test]
fn for_what_is_in_the_way_on_another_target() {
    let mut world = World::ready(["t1", "t2"]);
    world.commit(N1, 1, asynchronous(change("1", [("t2", set([("/a", "1")]))])));
    let both = change("2", [("t1", set([("/a", "2")])), ("t2", set([("/a", "2")]))]);
    let append = world.submit(N1, 2, asynchronous(both));
    world.perform(N1, &append);
    let on = |name| world.store.waiting_for(world.transaction(2), &target(name));
    assert_eq!(on("t1"), Some(Wait::Others), "nothing is being validated");
    assert_eq!(on("t2"), Some(Wait::Held(index(1))));
}

#[test]
fn for_its_turn_on_the_device() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, queue("1", "/a"));
    world.commit(N1, 2, queue("2", "/b"));
    assert_eq!(waits(&world, 2), Some(Wait::Turn(index(1))));
}

#[test]
fn for_a_connection() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, queue("1", "/a"));
    assert_eq!(waits(&world, 1), Some(Wait::Connection));
}

#[test]
fn for_the_entries_to_be_validated_again() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queue("1", "/a"));
    world.commit(N1, 2, queue("2", "/b"));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let asked = world.perform(N1, &record);
    assert_eq!(waits(&world, 2), Some(Wait::Recheck));
    let asks = |command: &Command| matches!(command, Command::Validate { .. });
    let asked: Vec<Command> = asked.into_iter().filter(asks).collect();
    let withdrawal = world.verdict(N1, &asked, vec![violation("t1")]);
    world.perform(N1, &withdrawal);
    assert_eq!(waits(&world, 2), None);
}

#[test]
fn for_the_device_to_be_brought_in_line_and_what_it_says_to_that() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, atomic("1"));
    world.device("t1").assign("/a".parse().expect("a path"), lockstep_types::Unit::NEVER);
    let released = world.disconnect(N1, "t1", 1);
    world.perform(N1, &released);
    let taken = world.connect(N1, "t1", 2);
    let claimed = world.perform(N1, &taken);
    world.commit(N1, 2, queue("2", "/b"));
    assert_eq!(waits(&world, 2), Some(Wait::Synchronising));
    let refused = world.answer(N1, &claimed, Answer::Refused(failure()));
    world.perform(N1, &refused);
    assert_eq!(waits(&world, 2), Some(Wait::Resync(failure())));
}

#[test]
fn for_the_device_to_take_the_undo() {
    let mut world = World::ready(["t1", "t2"]);
    let both = change("1", [("t1", set([("/a", "1")])), ("t2", set([("/a", "1")]))]);
    let sent = world.commit(N1, 1, asynchronous(both));
    let sent: Vec<_> = sent.into_iter().filter(|c| matches!(c, Command::Send { .. })).collect();
    let record = world.answer(N1, &sent[..1], Answer::Accepted);
    world.perform(N1, &record);
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    world.perform(N1, &record);
    let on = |name: &str| world.store.waiting_for(world.transaction(1), &target(name));
    assert_eq!((on("t1"), on("t2")), (Some(Wait::Device), None));
}

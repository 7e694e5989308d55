//! Guarantee 7 on a device that turns nobody away: it is read once nothing that was sent before can land
//! any more.

use lockstep_protocol::{Answer, Command, Op, Request};

use crate::support::{N1, N2, NOW, World, change, claim, queued, read, session, set};

/// What such a device needs until nothing is under way.
const WAIT: u64 = 10;
const UNFENCED: Answer = Answer::Unfenced(WAIT);

fn one(name: &str) -> Request {
    queued(change(name, [("t1", set([("/a", "1")]))]))
}

/// The device is met again by this node, on connection 2.
fn met_again(world: &mut World) -> Vec<Command> {
    let released = world.disconnect(N1, "t1", 1);
    if !released.is_empty() {
        world.perform(N1, &released);
    }
    let take = world.connect(N1, "t1", 2);
    world.perform(N1, &take)
}

/// A Set of which nobody knows what became of it.
fn lost() -> World {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a"));
    let given_up = world.answer(N1, &sent, Answer::Unknown);
    world.perform(N1, &given_up);
    world
}

#[test]
fn nobody_was_there_before() {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    assert_eq!(world.answer(N1, &claimed, UNFENCED), [read("t1", (1, 2, 1))]);
}

#[test]
fn nothing_was_under_way() {
    let mut world = World::ready(["t1"]);
    let claimed = met_again(&mut world);
    let reading = world.answer(N1, &claimed, UNFENCED);
    assert_eq!(reading, [read("t1", (2, 4, 2))]);
}

#[test]
fn a_set_without_an_answer_is_waited_out() {
    let mut world = lost();
    let claimed = met_again(&mut world);
    assert_eq!(world.answer(N1, &claimed, UNFENCED), []);
    assert_eq!(world.tick(N1, NOW + WAIT - 1), []);
    let claimed = world.tick(N1, NOW + WAIT);
    assert_eq!(claimed, [claim("t1", (2, 5, 2))]);
    assert_eq!(world.answer(N1, &claimed, UNFENCED), [read("t1", (2, 6, 2))]);
}

#[test]
fn so_is_one_that_the_connection_took_with_it() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, one("a"));
    let claimed = met_again(&mut world);
    assert_eq!(world.answer(N1, &claimed, UNFENCED), []);
}

#[test]
fn a_new_connection_does_not_end_the_wait() {
    let mut world = lost();
    let claimed = met_again(&mut world);
    world.answer(N1, &claimed, UNFENCED);
    let released = world.disconnect(N1, "t1", 2);
    world.perform(N1, &released);
    let take = world.connect(N1, "t1", 3);
    let claimed = world.perform(N1, &take);
    assert_eq!(world.answer(N1, &claimed, UNFENCED), []);
    let claimed = world.tick(N1, NOW + WAIT);
    assert_eq!(world.answer(N1, &claimed, UNFENCED), [read("t1", (3, 7, 3))]);
}

#[test]
fn what_another_master_left_is_waited_out() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.connect(N2, "t1", 5);
    world.change([Op::EndSession(session("s1"))]);
    let take = world.watch(N2);
    let claimed = world.perform(N2, &take);
    assert_eq!(world.answer(N2, &claimed, UNFENCED), []);
    let claimed = world.tick(N2, NOW + WAIT);
    assert_eq!(world.answer(N2, &claimed, UNFENCED), [read("t1", (5, 3, 2))]);
}

#[test]
fn a_device_that_fences_is_read_at_once() {
    let mut world = lost();
    let claimed = met_again(&mut world);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    assert_eq!(reading, [read("t1", (2, 5, 2))]);
}

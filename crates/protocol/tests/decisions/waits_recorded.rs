//! When a deadline passes, what was waited for is recorded on each target, and stays known.

use lockstep_protocol::record::{Part, PartStatus, Reason, Status};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Answer, Command, Request};

use crate::support::{
    DEADLINE, LATE, N1, World, asynchronous, change, due, failure, index, queued, set, sets,
    target, tree, violation, waited,
};

fn one(name: &str, at: &str) -> Request {
    asynchronous(change(name, [("t1", set([(at, name)]))]))
}

fn patient(request: Request) -> Request {
    due(request, 10 * DEADLINE)
}

fn part(world: &World, at: u64, on: &str) -> Part {
    world.transaction(at).targets.get(&target(on)).unwrap().clone()
}

/// The deadlines pass, and what that leads to in the store is written.
fn pass(world: &mut World) -> Vec<Command> {
    let turn = world.tick(N1, LATE);
    world.perform(N1, &turn)
}

#[test]
fn who_holds_the_target_and_who_is_before_it() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, patient(one("a", "/a")));
    for (client, request) in [(2, patient(one("b", "/a"))), (3, one("c", "/a"))] {
        let append = world.submit(N1, client, request);
        world.perform(N1, &append);
    }
    pass(&mut world);
    assert_eq!(world.status(3), Status::Rejected);
    assert_eq!(world.transaction(3).reason, Some(Reason::Deadline));
    assert_eq!(part(&world, 3, "t1"), waited(PartStatus::Pending, Wait::Behind(index(2))));
    assert_eq!(part(&world, 2, "t1"), Part::default(), "it has its time");
}

#[test]
fn the_verdict() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, patient(one("a", "/a")));
    let append = world.submit(N1, 2, one("b", "/b"));
    world.perform(N1, &append);
    let record = world.answer(N1, &sent[1..], Answer::Accepted);
    let asked = world.perform(N1, &record);
    assert!(matches!(asked[..], [Command::Validate { .. }]), "{asked:?}");
    pass(&mut world);
    assert_eq!(part(&world, 2, "t1"), waited(PartStatus::Pending, Wait::Verdict));
    assert_eq!(world.valid(N1, &asked), [], "too late");
}

#[test]
fn entries_that_were_validated_again() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "/a")));
    world.commit(N1, 2, one("b", "/b"));
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    world.perform(N1, &record);
    pass(&mut world);
    assert_eq!(world.status(2), Status::Reverting);
    assert_eq!(part(&world, 2, "t1"), waited(PartStatus::Pending, Wait::Recheck));
}

#[test]
fn each_target_for_itself_and_nothing_where_it_was_applied() {
    let mut world = World::new(1, ["t1", "t2", "t3"]);
    world.connect_and_drive(N1, "t1", 1);
    world.connect_and_drive(N1, "t2", 1);
    let edit = || set([("/a", "1")]);
    let wide = change("a", [("t1", edit()), ("t2", edit()), ("t3", edit())]);
    let sent = world.commit(N1, 1, asynchronous(wide));
    let record = world.answer(N1, &sent[1..2], Answer::Accepted);
    world.perform(N1, &record);
    pass(&mut world);
    let applied = Part { status: PartStatus::Applied, ..Part::default() };
    assert_eq!(part(&world, 1, "t1"), applied);
    assert_eq!(part(&world, 1, "t2"), waited(PartStatus::Pending, Wait::Device));
    assert_eq!(part(&world, 1, "t3"), waited(PartStatus::Pending, Wait::Connection));
}

#[test]
fn a_device_that_is_brought_in_line_and_what_it_says_to_that() {
    for (answer, wait) in
        [(None, Wait::Synchronising), (Some(Answer::Refused(failure())), Wait::Resync(failure()))]
    {
        let mut world = World::new(1, ["t1"]);
        world.commit(N1, 1, one("a", "/a"));
        let take = world.connect(N1, "t1", 1);
        let claimed = world.perform(N1, &take);
        if let Some(answer) = answer {
            let record = world.answer(N1, &claimed, answer);
            world.perform(N1, &record);
        }
        pass(&mut world);
        assert_eq!(part(&world, 1, "t1"), waited(PartStatus::Pending, wait));
    }
}

#[test]
fn it_stays_known_when_it_is_undone() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, one("a", "/a"));
    let undone = pass(&mut world);
    world.drive(N1, undone);
    assert_eq!(world.status(1), Status::Reverted);
    assert_eq!(part(&world, 1, "t1"), waited(PartStatus::Undone, Wait::Connection));
}

/// A device that took what turned while it was brought in line, and is sent the undo.
fn undoing() -> (World, Vec<Command>) {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, one("a", "/a"));
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Accepted);
    let values = || Answer::Values(tree([("/a", "a"), ("/x", "9")]));
    let pushed = world.answer(N1, &reading, values());
    assert_eq!(pass(&mut world), [], "never beside a resync");
    let verified = world.answer(N1, &pushed, Answer::Accepted);
    let record = world.answer(N1, &verified, values());
    let undo = world.perform(N1, &record);
    assert_eq!(sets(&undo).len(), 1, "{undo:?}");
    (world, undo)
}

#[test]
fn it_stays_known_when_the_device_takes_the_undo() {
    let (mut world, undo) = undoing();
    let record = world.answer(N1, &undo, Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!(part(&world, 1, "t1"), waited(PartStatus::Undone, Wait::Synchronising));
}

#[test]
fn what_a_device_says_to_the_undo_comes_in_its_place() {
    let (mut world, undo) = undoing();
    let record = world.answer(N1, &undo, Answer::Refused(failure()));
    world.perform(N1, &record);
    let reason = Reason::Refused { target: target("t1"), failure: failure() };
    let refused = Part { status: PartStatus::Undone, reason: Some(reason), ..Part::default() };
    assert_eq!(part(&world, 1, "t1"), refused);
}

#[test]
fn what_turned_for_another_reason_says_nothing_of_the_sort() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(one("a", "/a")));
    world.commit(N1, 2, one("b", "/b"));
    let record = world.answer(N1, &sent[1..], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    let asks = |command: &Command| matches!(command, Command::Validate { .. });
    let asked: Vec<Command> = next.into_iter().filter(asks).collect();
    let turn = world.verdict(N1, &asked, vec![violation("t1")]);
    world.perform(N1, &turn);
    assert_eq!(world.status(2), Status::Reverting);
    assert_eq!(part(&world, 2, "t1"), Part::default());
}

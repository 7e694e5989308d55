//! Mastership: who may write to a target, in which term, on which connection.

use lockstep_protocol::record::{Key, Mastership, Status};
use lockstep_protocol::{Answer, Command, Compare, Event, Op, Request, Wake, Written};

use crate::support::{
    N1, N2, World, asynchronous, change, claim, connection, queued, session, set, target, term,
    tree, write,
};

fn one(name: &str, value: &str) -> Request {
    asynchronous(queued(change(name, [("t1", set([("/a", value)]))])))
}

fn master(name: Option<&str>, in_term: u64, link: u64) -> Mastership {
    Mastership {
        session: name.map(session),
        term: term(in_term),
        connection: connection(link),
        next: None,
    }
}

fn taken(mastership: Mastership) -> Op {
    Op::Mastership { target: target("t1"), mastership }
}

#[test]
fn a_connected_node_takes_a_target_that_never_had_a_master() {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let expected = world.txn(
        [Key::Mastership(target("t1")), Key::Binding(target("t1"))],
        [Compare::Exists(Key::Session(session("s1")))],
        [taken(master(Some("s1"), 1, 1))],
    );
    assert_eq!(take, [write(Wake::Target(target("t1")), expected)]);
    assert_eq!(world.perform(N1, &take), [claim("t1", (1, 1, 1))]);
}

#[test]
fn a_target_with_a_master_is_left_to_it() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    assert_eq!(world.connect(N2, "t1", 1), []);
}

#[test]
fn a_master_that_lost_its_connection_lets_go_and_another_takes_over() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.connect(N2, "t1", 5);
    let released = world.disconnect(N1, "t1", 1);
    let expected = world.txn(
        [Key::Mastership(target("t1"))],
        [Compare::Exists(Key::Session(session("s1")))],
        [taken(master(None, 1, 1))],
    );
    assert_eq!(released, [write(Wake::Target(target("t1")), expected)]);
    assert_eq!(world.perform(N1, &released), []);

    let take = world.watch(N2);
    let expected = world.txn(
        [Key::Mastership(target("t1")), Key::Binding(target("t1"))],
        [Compare::Exists(Key::Session(session("s2")))],
        [taken(master(Some("s2"), 2, 5))],
    );
    assert_eq!(take, [write(Wake::Target(target("t1")), expected)]);
}

#[test]
fn the_target_of_a_dead_session_is_taken_with_the_compare_that_it_is_dead() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.connect(N2, "t1", 1);
    world.change([Op::EndSession(session("s1"))]);
    let take = world.watch(N2);
    let expected = world.txn(
        [Key::Mastership(target("t1")), Key::Binding(target("t1"))],
        [
            Compare::Exists(Key::Session(session("s2"))),
            Compare::Absent(Key::Session(session("s1"))),
        ],
        [taken(master(Some("s2"), 2, 1))],
    );
    assert_eq!(take, [write(Wake::Target(target("t1")), expected)]);
}

#[test]
fn a_new_connection_is_a_new_term_of_the_same_master() {
    let mut world = World::ready(["t1"]);
    let take = world.connect(N1, "t1", 2);
    let expected = world.txn(
        [Key::Mastership(target("t1")), Key::Binding(target("t1"))],
        [Compare::Exists(Key::Session(session("s1")))],
        [taken(master(Some("s1"), 2, 2))],
    );
    assert_eq!(take, [write(Wake::Target(target("t1")), expected)]);
    assert_eq!(world.perform(N1, &take), [claim("t1", (2, 3, 2))], "a restart is never missed");
    assert!(!world.store.is_synchronised(&target("t1")));
}

#[test]
fn of_two_that_take_at_once_one_wins() {
    let mut world = World::new(2, ["t1"]);
    let first = world.connect(N1, "t1", 1);
    let second = world.connect(N2, "t1", 1);
    assert_eq!(world.perform(N1, &first), [claim("t1", (1, 1, 1))]);
    assert_eq!(world.perform(N2, &second), []);
    let mastership = world.store.mastership(&target("t1"));
    assert_eq!(mastership, Some(&master(Some("s1"), 1, 1)));
}

#[test]
fn what_a_master_of_old_would_record_is_not_written() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.connect(N2, "t1", 1);
    let sent = world.commit(N1, 1, one("a", "1"));
    let record = world.answer(N1, &sent[1..], Answer::Accepted);
    // Its lease runs out before the record gets there, and another takes over.
    world.change([Op::EndSession(session("s1"))]);
    let take = world.watch(N2);
    let claimed = world.perform(N2, &take);
    let [Command::Write { txn, .. }] = &record[..] else { panic!("{record:?}") };
    assert!(matches!(world.write(txn), Written::Stale(_)));
    assert_eq!(world.perform(N1, &record), [], "it has to begin anew");

    // The new one finds it on the device, leaves it, sends it again and records it.
    *world.device("t1") = tree([("/a", "1")]);
    world.drive(N2, claimed);
    assert_eq!((world.status(1), world.header("t1").synced), (Status::Applied, term(2)));
}

#[test]
fn a_node_whose_session_ended_does_nothing_more() {
    let mut world = World::new(1, ["t1", "t2"]);
    world.connect_and_drive(N1, "t1", 1);
    world.change([Op::EndSession(session("s1"))]);
    assert_eq!(world.watch(N1), []);
    assert_eq!(world.connect(N1, "t2", 1), [], "its write could not happen");
    let request = one("a", "1");
    assert_eq!(world.submit(N1, 1, request), [], "nor this one");
}

#[test]
fn a_lost_write_is_decided_again_on_what_is_known_then() {
    let mut world = World::new(2, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let [Command::Write { wake, txn }] = &take[..] else { panic!("{take:?}") };
    // The answer is lost: it happened, and nobody says so but the watch.
    assert!(matches!(world.write(txn), Written::Done(_)));
    let result = Written::Stale(world.store.revision());
    let wake = wake.clone();
    let unseen = world.tell(N1, Event::Written { wake, result });
    assert_eq!(unseen, [], "not before the view has come that far");
    assert_eq!(world.watch(N1), [claim("t1", (1, 1, 1))], "and then not taken twice");
}

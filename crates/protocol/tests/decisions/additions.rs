//! What is added to a leaf-list or a user-ordered list joins what is committed by the decision, and not
//! what stood when it was asked for.

use lockstep_protocol::record::{Proposal, Status};
use lockstep_protocol::{Answer, Ask, Command, Request};
use lockstep_types::{Addition, Content, Delta, Edit, Index, Keys, Undo, Unit, Value};

use crate::support::{
    DEADLINE, N1, World, answer, asynchronous, change, due, failure, index, path, queued, send,
    target,
};

const LIST: &str = "/server";

fn list(values: &[&str]) -> Content {
    Content::leaf_list(values.iter().copied())
}

fn values(values: &[&str]) -> Edit {
    let values = values.iter().map(|text| Value::string(*text)).collect();
    let addition = Addition::Values { values, sorted: false };
    Edit { add: [(path(LIST), addition)].into(), ..Edit::default() }
}

fn add(name: &str, value: &str) -> Request {
    change(name, [("t1", values(&[value]))])
}

fn one(at: &str, content: Option<Content>) -> Delta {
    [(path(at), content)].into_iter().collect()
}

fn committed(world: &World) -> Unit {
    world.store.committed(&target("t1")).unit(&path(LIST))
}

fn proposal(world: &World, at: u64) -> Proposal {
    world.store.proposal(index(at), &target("t1")).expect("a proposal").clone()
}

#[test]
fn the_device_is_sent_the_whole_and_the_undo_is_what_stood() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, add("a", "1"));
    let sent = world.commit(N1, 2, add("b", "2"));
    let whole = one(LIST, Some(list(&["1", "2"])));
    assert_eq!(sent, [send("t1", 4, Ask::Set(whole.clone()))]);
    let before = Unit::present(list(&["1"]), index(1));
    let undo = Undo { units: [(path(LIST), before)].into() };
    assert_eq!(proposal(&world, 2), Proposal { edit: values(&["2"]), delta: whole, undo });
}

#[test]
fn what_is_queued_below_it_is_joined() {
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, asynchronous(queued(add("a", "1"))));
    world.commit(N1, 2, asynchronous(queued(add("b", "2"))));
    assert_eq!(committed(&world), Unit::present(list(&["1", "2"]), index(2)));
    world.connect_and_drive(N1, "t1", 1);
    let device = world.device("t1").clone();
    assert_eq!(device.get(&path(LIST)), Some(&list(&["1", "2"])));
}

/// An addition that waits to be decided behind an atomic one; that one's device answers; what follows.
fn behind(first: Answer) -> (World, Vec<Command>) {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, due(add("a", "1"), 10 * DEADLINE));
    let append = world.submit(N1, 2, queued(add("b", "2")));
    world.perform(N1, &append);
    let waiting = Proposal { edit: values(&["2"]), ..Proposal::default() };
    assert_eq!(proposal(&world, 2), waiting, "in the log it is what was asked");
    let record = world.answer(N1, &sent, first);
    let next = world.perform(N1, &record);
    (world, next)
}

#[test]
fn decided_after_the_one_before_was_applied_it_joins_it() {
    let (mut world, next) = behind(Answer::Accepted);
    world.drive(N1, next);
    assert_eq!(committed(&world), Unit::present(list(&["1", "2"]), index(2)));
}

#[test]
fn decided_after_the_one_before_was_reverted_it_knows_nothing_of_it() {
    let (mut world, next) = behind(Answer::Refused(failure()));
    world.drive(N1, next);
    assert_eq!((world.status(1), world.status(2)), (Status::Reverted, Status::Applied));
    assert_eq!(proposal(&world, 2).delta, one(LIST, Some(list(&["2"]))));
    let before = Unit { content: None, writer: Index::ZERO };
    assert_eq!(proposal(&world, 2).undo, Undo { units: [(path(LIST), before)].into() });
    assert_eq!(committed(&world), Unit::present(list(&["2"]), index(2)));
}

#[test]
fn decided_after_the_one_before_was_withdrawn_it_knows_nothing_of_it() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(add("a", "1")));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    world.submit_and_drive(N1, 2, add("b", "2"));
    assert_eq!(committed(&world), Unit::present(list(&["2"]), index(2)));
}

#[test]
fn reverted_it_leaves_what_stood() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, add("a", "1"));
    let sent = world.commit(N1, 2, add("b", "2"));
    let turn = world.cancel(N1, 3, 2);
    world.perform(N1, &turn);
    let undo = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(undo, [send("t1", 5, Ask::Set(one(LIST, Some(list(&["1"])))))]);
    world.drive(N1, undo);
    assert_eq!(committed(&world), Unit::present(list(&["1"]), index(1)));
}

#[test]
fn the_same_again_is_the_same_request_whatever_stands_by_now() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, add("a", "1"));
    world.submit_and_drive(N1, 2, add("b", "2"));
    let again = world.submit(N1, 3, add("a", "1"));
    assert_eq!(again, [answer(3, 1, Status::Applied)]);
}

#[test]
fn what_is_there_already_is_not_added_twice() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", values(&["1", "2"]))]));
    world.submit_and_drive(N1, 2, add("b", "1"));
    assert_eq!(committed(&world), Unit::present(list(&["1", "2"]), index(2)));
}

#[test]
fn entries_go_to_the_end_of_what_is_committed() {
    let keys = |name: &str| Keys::from([("name".to_owned(), name.to_owned())]);
    let rule = |id: &str, name: &str| {
        let entry = (path(&format!("/rule[name={name}]")), Content::Entry);
        let add = [(path("/rule"), Addition::Entries(vec![keys(name)]))].into();
        let edit = Edit { set: [entry].into(), add, ..Edit::default() };
        asynchronous(queued(change(id, [("t1", edit)])))
    };
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, rule("a", "z"));
    world.commit(N1, 2, rule("b", "y"));
    let order = Content::Order([keys("z"), keys("y")].into());
    let unit = world.store.committed(&target("t1")).unit(&path("/rule"));
    assert_eq!(unit, Unit::present(order, index(2)));
    world.connect_and_drive(N1, "t1", 1);
    let committed = world.store.committed(&target("t1"));
    assert!(world.device("t1").same_values(&committed));
}

#[test]
fn what_was_added_onto_a_value_that_is_withdrawn_is_decided_anew_without_it() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(add("a", "1")));
    world.commit(N1, 2, queued(add("b", "2")));
    world.commit(N1, 3, add("c", "3"));
    assert_eq!(committed(&world), Unit::present(list(&["1", "2", "3"]), index(3)));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    assert_eq!(committed(&world), Unit::present(list(&["2", "3"]), index(3)));
    assert_eq!(proposal(&world, 2).delta, one(LIST, Some(list(&["2"]))));
    let before = Unit::present(list(&["2"]), index(2));
    assert_eq!(proposal(&world, 3).undo, Undo { units: [(path(LIST), before)].into() });
    world.drive(N1, next);
    assert_eq!(world.device("t1").get(&path(LIST)), Some(&list(&["2", "3"])));
}

//! Answers: sync with the outcome, async with the decision, and only from what the store holds.

use lockstep_protocol::record::Status;
use lockstep_protocol::{Answer, Command, Event, Refusal, Request, Settings};

use crate::support::{
    N1, N2, World, answer, asynchronous, change, failure, queued, refused_answer, set, target,
    violation,
};

fn one(name: &str, value: &str) -> Request {
    change(name, [("t1", set([("/a", value)]))])
}

#[test]
fn sync_comes_with_the_outcome() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    assert_eq!(sent.len(), 1, "the request to the device: {sent:?}");
    let record = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(record.len(), 1, "the write: {record:?}");
    assert_eq!(world.perform(N1, &record), [answer(1, 1, Status::Applied)]);
}

#[test]
fn async_comes_with_the_decision() {
    let mut world = World::ready(["t1"]);
    let next = world.commit(N1, 1, asynchronous(one("a", "1")));
    assert_eq!(next[0], answer(1, 1, Status::Committed));
    let record = world.answer(N1, &next[1..], Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    assert_eq!(next.len(), 1, "it was answered: {next:?}");
    assert_eq!(world.status(1), Status::Reverted, "and its status says how it ended");
}

#[test]
fn a_rejection_is_both() {
    for request in [one("a", "1"), asynchronous(one("a", "1"))] {
        let mut world = World::ready(["t1"]);
        let asked = world.submit(N1, 1, request);
        let append = world.verdict(N1, &asked, vec![violation("t1")]);
        assert_eq!(world.perform(N1, &append), [answer(1, 1, Status::Rejected)]);
    }
}

#[test]
fn a_sync_one_is_told_how_it_was_reverted() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, one("a", "1"));
    let turn = world.cancel(N1, 2, 1);
    assert_eq!(world.perform(N1, &turn), [answer(2, 1, Status::Reverting)], "no outcome for it");
    let undo = world.answer(N1, &sent, Answer::Accepted);
    world.drive(N1, undo);
    assert_eq!(world.told, [answer(1, 1, Status::Reverted)]);
}

#[test]
fn nobody_is_told_before_the_store_has_it() {
    let mut world = World::new(2, ["t1"]);
    let asked = world.submit(N1, 1, asynchronous(queued(one("a", "1"))));
    let append = world.valid(N1, &asked);
    let [Command::Write { wake, txn }] = &append[..] else {
        panic!("{append:?}");
    };
    let result = world.write(txn);
    let written = Event::Written { wake: wake.clone(), result };
    assert_eq!(world.tell(N1, written), [], "written, not seen");
    assert_eq!(world.watch(N1), [answer(1, 1, Status::Committed)]);
    assert_eq!(world.watch(N2), [], "only its own clients");
}

#[test]
fn another_nodes_record_answers_ours() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N2, "t1", 1);
    world.watch(N1);
    assert_eq!(world.commit(N1, 1, one("a", "1")), []);
    let sent = world.watch(N2);
    world.drive(N2, sent);
    assert_eq!(world.watch(N1), [answer(1, 1, Status::Applied)]);
}

#[test]
fn sync_to_a_target_that_is_not_connected_fails_before_submit() {
    let mut world = World::new(1, ["t1"]);
    let refused = world.submit(N1, 1, one("a", "1"));
    assert_eq!(refused, [refused_answer(1, Refusal::NotConnected(target("t1")))]);
    let next = world.commit(N1, 2, asynchronous(one("b", "1")));
    assert_eq!(next, [answer(2, 1, Status::Committed)], "async may wait for it");
}

#[test]
fn a_target_nobody_knows_and_a_request_for_none_fail_before_submit() {
    let mut world = World::ready(["t1"]);
    let unknown = change("a", [("t9", set([("/a", "1")]))]);
    let refused = refused_answer(1, Refusal::UnknownTarget(target("t9")));
    assert_eq!(world.submit(N1, 1, unknown), [refused]);
    let refused = refused_answer(2, Refusal::NoTarget);
    assert_eq!(world.submit(N1, 2, change("b", [])), [refused]);
}

#[test]
fn more_targets_than_a_transaction_may_have_fail_before_submit() {
    let settings = Settings { targets: 1, ..Settings::default() };
    let mut world = World::with_settings(1, ["t1", "t2"], &settings);
    let edit = || set([("/a", "1")]);
    let many = asynchronous(change("a", [("t1", edit()), ("t2", edit())]));
    let refused = refused_answer(1, Refusal::TooManyTargets(2));
    assert_eq!(world.submit(N1, 1, many), [refused]);
    world.commit(N1, 2, asynchronous(change("b", [("t1", edit())])));
    assert_eq!(world.status(1), Status::Committed);
}

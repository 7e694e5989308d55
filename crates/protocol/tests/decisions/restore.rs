//! Restore: targets go back to how they stood after an entry, as a change with a delta of its own.

use lockstep_protocol::record::{
    Head, Header, Key, Kind, PartStatus, Proposal, Status, Transaction,
};
use lockstep_protocol::{Answer, Ask, Command, Compare, Op, Refusal, Request, Wake};
use lockstep_types::Edit;

use crate::support::{
    N1, NOW, World, absent, answer, asynchronous, change, clear, delta, entry, failure, id, index,
    mark, parts, patch, present, queued, refused_answer, restore, rollback, send, session, set,
    target, time, tree, undo, unit, write,
};

fn one(name: &str, path: &str) -> Request {
    change(name, [("t1", set([(path, name)]))])
}

/// Three changes on t1: /a; then /a and /b; then /a is gone.
fn three() -> World {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("1", "/a"));
    world.submit_and_drive(N1, 1, change("2", [("t1", set([("/a", "2"), ("/b", "2")]))]));
    world.submit_and_drive(N1, 1, change("3", [("t1", clear(["/a"]))]));
    world
}

#[test]
fn it_is_decided_with_what_differs_from_then() {
    let mut world = three();
    let asked = world.submit(N1, 2, restore("r", 1, ["t1"]));
    let [Command::Validate { checks, .. }] = &asked[..] else { panic!("{asked:?}") };
    assert!(checks[&target("t1")].result.same_values(&tree([("/a", "1")])));
    let append = world.valid(N1, &asked);

    let t1 = target("t1");
    let transaction = Transaction {
        kind: Kind::Restore { to: index(1) },
        only: [t1.clone()].into(),
        status: Status::Committed,
        decided: Some(time(NOW + 3)),
        ..entry(4, "r", ["t1"])
    };
    let proposal = Proposal {
        edit: Edit::default(),
        delta: delta([("/a", Some("1")), ("/b", None)]),
        undo: undo([("/a", absent(3)), ("/b", present("2", 2))]),
    };
    let header = Header { committed: mark(4, 4), holder: Some(index(4)), ..world.header("t1") };
    let expected = world.txn(
        [Key::Head, Key::Id(id("r")), Key::Configuration(t1.clone()), Key::Binding(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(4), timestamp: time(NOW + 3) }),
            Op::Id { id: id("r"), index: index(4) },
            Op::Transaction(transaction),
            Op::Proposal { index: index(4), target: t1.clone(), proposal },
            Op::Configuration {
                target: t1,
                header,
                committed: patch([("/a", present("1", 4)), ("/b", absent(4))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(append, [write(Wake::Append, expected)]);

    let sent = world.perform(N1, &append);
    assert_eq!(sent, [send("t1", 6, Ask::Set(delta([("/a", Some("1")), ("/b", None)])))]);
    let record = world.answer(N1, &sent, Answer::Accepted);
    assert_eq!(world.perform(N1, &record), [answer(2, 4, Status::Applied)]);
}

#[test]
fn it_can_be_rolled_back_and_gone_back_to() {
    let mut world = three();
    let (before, t1) = (world.store.committed(&target("t1")), target("t1"));
    world.submit_and_drive(N1, 2, restore("r", 1, ["t1"]));
    world.submit_and_drive(N1, 2, rollback("b", 4));
    assert_eq!((world.status(4), world.status(5)), (Status::Applied, Status::Applied));
    assert_eq!(world.store.committed(&t1), before);
    assert!(world.device("t1").same_values(&tree([("/b", "2")])));

    world.submit_and_drive(N1, 2, restore("again", 4, ["t1"]));
    assert!(world.device("t1").same_values(&tree([("/a", "1")])), "as the restore left it");
}

#[test]
fn history_is_as_it_was_whatever_came_later() {
    let mut world = three();
    world.submit_and_drive(N1, 2, rollback("b", 3));
    let stood = |world: &World, at| world.store.as_of(&target("t1"), index(at)).unwrap_or_default();
    assert!(stood(&world, 0).is_empty());
    assert!(stood(&world, 1).same_values(&tree([("/a", "1")])));
    assert!(stood(&world, 2).same_values(&tree([("/a", "2"), ("/b", "2")])));
    assert!(stood(&world, 3).same_values(&tree([("/b", "2")])), "before it was rolled back");
    assert!(stood(&world, 4).same_values(&tree([("/a", "2"), ("/b", "2")])));

    world.commit(N1, 3, one("open", "/c"));
    assert_eq!(stood(&world, 5), stood(&world, 4), "nothing of what is still open");
    assert_eq!(unit(&stood(&world, 3), "/a"), absent(3));
}

#[test]
fn one_that_waits_is_worked_out_when_it_is_decided() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("1", "/a"));
    let sent = world.commit(N1, 1, one("2", "/b"));
    let behind = world.submit(N1, 2, restore("r", 1, ["t1"]));
    world.perform(N1, &behind);
    assert_eq!(world.status(3), Status::Pending);
    assert!(world.store.proposal(index(3), &target("t1")).is_none());
    world.drive(N1, sent);
    assert_eq!(world.status(3), Status::Applied);
    assert!(world.device("t1").same_values(&tree([("/a", "1")])));
}

#[test]
fn it_goes_back_to_what_is_left_when_something_below_is_withdrawn() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("1", "/a"));
    let queue = |request| asynchronous(queued(request));
    let sent = world.commit(N1, 2, queue(one("2", "/a")));
    world.commit(N1, 2, queue(one("3", "/a")));
    world.commit(N1, 2, queue(restore("r", 2, ["t1"])));
    let t1 = target("t1");
    let delta_of =
        |world: &World| world.store.proposal(index(4), &t1).expect("decided").delta.clone();
    assert_eq!(delta_of(&world), delta([("/a", Some("2"))]));

    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    assert_eq!(delta_of(&world), delta([("/a", Some("1"))]), "2 was never there");
    world.drive(N1, next);
    assert_eq!(world.transaction(4).targets, parts([("t1", PartStatus::Applied)]));
    assert!(world.device("t1").same_values(&tree([("/a", "1")])));
}

#[test]
fn without_targets_it_concerns_those_that_came_later() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, change("1", [("t2", set([("/a", "1")]))]));
    world.submit_and_drive(N1, 1, one("2", "/a"));
    world.submit_and_drive(N1, 2, restore("r", 1, []));
    assert_eq!(world.transaction(3).targets, parts([("t1", PartStatus::Applied)]));
    assert!(world.device("t1").is_empty());

    let nothing = world.submit(N1, 3, restore("n", 3, []));
    assert_eq!(nothing, [refused_answer(3, Refusal::NoTarget)]);
}

#[test]
fn only_to_what_is_in_the_log() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("1", "/a"));
    for to in [0, 2] {
        let refusal = Refusal::UnknownTransaction(index(to));
        assert_eq!(world.submit(N1, 2, restore("r", to, ["t1"])), [refused_answer(2, refusal)]);
    }
    let unknown = Refusal::UnknownTarget(target("t9"));
    assert_eq!(world.submit(N1, 2, restore("r", 1, ["t9"])), [refused_answer(2, unknown)]);
}

#[test]
fn asked_again_with_its_id_it_is_not_done_again() {
    let mut world = three();
    world.submit_and_drive(N1, 2, restore("r", 1, ["t1"]));
    let again = world.submit(N1, 3, restore("r", 1, ["t1"]));
    assert_eq!(again, [answer(3, 4, Status::Applied)]);
    let other = world.submit(N1, 3, restore("r", 2, ["t1"]));
    assert_eq!(other, [refused_answer(3, Refusal::IdTaken(index(4)))]);
}

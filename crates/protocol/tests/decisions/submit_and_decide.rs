//! Submit and Decide: one write where they can be, comparing everything that was read.

use lockstep_protocol::record::{Head, Header, Key, Mode, Proposal, Reason, Status, Transaction};
use lockstep_protocol::{Answer, Ask, Change, Check, Command, Compare, Op, Subject, Wake};
use lockstep_types::{Configuration as Tree, Delta};

use crate::support::{
    N1, NOW, World, absent, asynchronous, bound, change, clear, delta, entry, id, index, mark,
    patch, present, queued, rollback, send, session, set, target, time, tree, undo, unit,
    violation, write,
};

fn configuration(on: &str, header: Header) -> Op {
    Op::Configuration {
        target: target(on),
        header,
        committed: patch([]),
        applied: patch([]),
        cleared: false,
    }
}

#[test]
fn a_submission_is_validated_on_the_committed_values() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    let asked = world.submit(N1, 2, change("b", [("t1", set([("/b", "2")]))]));

    let before = Tree::new().patched(&patch([("/a", present("1", 1))]));
    let result = before.patched(&patch([("/b", present("2", 2))]));
    let change = Some(Change { before, delta: delta([("/b", Some("2"))]) });
    let check = Check { base: world.base("t1"), result, change, also: Vec::new() };
    let checks = [(target("t1"), check)].into();
    assert_eq!(asked, [Command::Validate { subject: Subject::Submission(id("b")), checks }]);
}

#[test]
fn where_nothing_stands_the_whole_is_validated() {
    let mut world = World::ready(["t1"]);
    let first = world.submit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    assert!(by_change(&first).is_empty());
    world.drive(N1, first);
    let rolled_back = world.submit(N1, 2, rollback("b", 1));
    assert_eq!(by_change(&rolled_back), [delta([("/a", None)])]);
    world.drive(N1, rolled_back);
    let anew = world.submit(N1, 3, change("c", [("t1", set([("/a", "1")]))]));
    assert!(by_change(&anew).is_empty());
}

/// What yang is asked that may be looked at by what changes.
fn by_change(commands: &[Command]) -> Vec<Delta> {
    let checks = commands.iter().filter_map(|command| match command {
        Command::Validate { checks, .. } => Some(checks.values()),
        _ => None,
    });
    checks.flatten().filter_map(|check| Some(check.change.as_ref()?.delta.clone())).collect()
}

#[test]
fn submit_and_decide_are_one_write() {
    let mut world = World::ready(["t1"]);
    let edit = set([("/a", "1")]);
    let asked = world.submit(N1, 1, change("a", [("t1", edit.clone())]));
    let append = world.valid(N1, &asked);

    let transaction = Transaction {
        status: Status::Committed,
        decided: Some(time(NOW)),
        ..entry(1, "a", ["t1"])
    };
    let header = Header { committed: mark(1, 1), holder: Some(index(1)), ..world.header("t1") };
    let proposal =
        Proposal { edit, delta: delta([("/a", Some("1"))]), undo: undo([("/a", absent(0))]) };
    let t1 = target("t1");
    let expected = world.txn(
        [Key::Head, Key::Id(id("a")), Key::Configuration(t1.clone()), Key::Binding(t1.clone())],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(1), timestamp: time(NOW) }),
            Op::Id { id: id("a"), index: index(1) },
            Op::Transaction(transaction),
            Op::Proposal { index: index(1), target: t1.clone(), proposal },
            Op::Configuration {
                target: t1,
                header,
                committed: patch([("/a", present("1", 1))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(append, [write(Wake::Append, expected)]);

    let next = world.perform(N1, &append);
    assert_eq!(next, [send("t1", 3, Ask::Set(delta([("/a", Some("1"))])))]);
}

#[test]
fn a_transaction_on_one_target_costs_two_writes() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    assert_eq!((world.status(1), world.written), (Status::Applied, 2));
}

#[test]
fn a_queued_one_does_not_hold() {
    let mut world = World::ready(["t1"]);
    world.commit(N1, 1, queued(change("a", [("t1", set([("/a", "1")]))])));
    assert_eq!(world.transaction(1).mode, Mode::Queued);
    let header = world.header("t1");
    assert_eq!((header.committed, header.holder), (mark(1, 1), None));
}

#[test]
fn invalid_on_one_target_is_rejected_on_all() {
    let mut world = World::ready(["t1", "t2"]);
    let edit = set([("/a", "1")]);
    let request = change("a", [("t1", edit.clone()), ("t2", edit.clone())]);
    let asked = world.submit(N1, 1, request);
    let append = world.verdict(N1, &asked, vec![violation("t2")]);

    let transaction = Transaction {
        status: Status::Rejected,
        reason: Some(Reason::Invalid(vec![violation("t2")])),
        decided: Some(time(NOW)),
        finished: Some(time(NOW)),
        ..entry(1, "a", ["t1", "t2"])
    };
    let proposal = Proposal { edit, ..Proposal::default() };
    let (t1, t2) = (target("t1"), target("t2"));
    let moved = |on| Header { committed: mark(1, 0), ..world.header(on) };
    let expected = world.txn(
        [
            Key::Head,
            Key::Id(id("a")),
            Key::Configuration(t1.clone()),
            Key::Configuration(t2.clone()),
            Key::Binding(t1.clone()),
            Key::Binding(t2.clone()),
        ],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(1), timestamp: time(NOW) }),
            Op::Id { id: id("a"), index: index(1) },
            Op::Transaction(transaction),
            Op::Proposal { index: index(1), target: t1, proposal: proposal.clone() },
            Op::Proposal { index: index(1), target: t2, proposal },
            configuration("t1", moved("t1")),
            configuration("t2", moved("t2")),
        ],
    );
    assert_eq!(append, [write(Wake::Append, expected)]);
}

#[test]
fn an_entry_of_the_log_is_decided_by_its_own_write() {
    let mut world = World::ready(["t1"]);
    let head = world.commit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    let edit = set([("/a", "2")]);
    let append = world.submit(N1, 2, change("b", [("t1", edit.clone())]));
    assert_eq!(world.perform(N1, &append), [], "held by the first");
    let record = world.answer(N1, &head, Answer::Accepted);
    let asked = world.perform(N1, &record);
    let decision = world.valid(N1, &asked[1..]);

    let transaction = Transaction {
        status: Status::Committed,
        decided: Some(time(NOW + 1)),
        ..entry(2, "b", ["t1"])
    };
    let header = Header { committed: mark(2, 2), holder: Some(index(2)), ..world.header("t1") };
    let proposal =
        Proposal { edit, delta: delta([("/a", Some("2"))]), undo: undo([("/a", present("1", 1))]) };
    let t1 = target("t1");
    let expected = world.txn(
        [Key::Transaction(index(2)), Key::Configuration(t1.clone()), Key::Binding(t1.clone())],
        [],
        [
            Op::Transaction(transaction),
            Op::Proposal { index: index(2), target: t1.clone(), proposal },
            Op::Configuration {
                target: t1,
                header,
                committed: patch([("/a", present("2", 2))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(decision, [write(Wake::Transaction(index(2)), expected)]);
}

/// The values of `t1` change behind the node's back while it waits for yang.
fn overtake(world: &mut World) {
    let header = Header { committed: mark(0, 0), ..world.header("t1") };
    let committed = patch([("/b", present("9", 0))]);
    let applied = patch([]);
    world.change([Op::Configuration {
        target: target("t1"),
        header,
        committed,
        applied,
        cleared: false,
    }]);
    world.watch(N1);
}

#[test]
fn a_submission_whose_verdict_was_overtaken_goes_into_the_log_undecided() {
    let mut world = World::ready(["t1"]);
    let edit = set([("/a", "1")]);
    let asked = world.submit(N1, 1, change("a", [("t1", edit.clone())]));
    overtake(&mut world);
    let append = world.valid(N1, &asked);

    let proposal = Proposal { edit, ..Proposal::default() };
    let expected = world.txn(
        [Key::Head, Key::Id(id("a"))],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(1), timestamp: time(NOW) }),
            Op::Id { id: id("a"), index: index(1) },
            Op::Transaction(entry(1, "a", ["t1"])),
            Op::Proposal { index: index(1), target: target("t1"), proposal },
        ],
    );
    assert_eq!(append, [write(Wake::Append, expected)]);
}

#[test]
fn a_verdict_on_other_values_is_asked_for_again() {
    let mut world = World::ready(["t1"]);
    let submitted = world.submit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    overtake(&mut world);
    let append = world.valid(N1, &submitted);
    let asked = world.perform(N1, &append);
    overtake(&mut world);

    let again = world.valid(N1, &asked);
    let units = [("/a", present("1", 1)), ("/b", present("9", 0))];
    let result = Tree::new().patched(&patch(units));
    let check = Check { base: world.base("t1"), result, change: None, also: Vec::new() };
    let checks = [(target("t1"), check)].into();
    assert_eq!(again, [Command::Validate { subject: Subject::Transaction(index(1)), checks }]);
}

#[test]
fn a_verdict_by_other_models_does_not_count() {
    let mut world = World::ready(["t1"]);
    let asked = world.submit(N1, 1, change("a", [("t1", set([("/a", "1")]))]));
    world.change([bound("t1", "models-2")]);
    world.watch(N1);
    let append = world.valid(N1, &asked);
    let again = world.perform(N1, &append);
    assert_eq!(world.status(1), Status::Pending);
    let [Command::Validate { checks, .. }] = &again[..] else { panic!("{again:?}") };
    assert_eq!(checks[&target("t1")].base.models.as_str(), "models-2");
}

#[test]
fn a_record_of_what_was_applied_does_not_make_a_verdict_old() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, queued(change("a", [("t1", set([("/a", "1")]))])));
    let asked = world.submit(N1, 2, queued(change("b", [("t1", set([("/b", "2")]))])));
    let record = world.answer(N1, &sent, Answer::Accepted);
    world.perform(N1, &record);
    let append = world.valid(N1, &asked);
    world.perform(N1, &append);
    assert_eq!(world.status(2), Status::Committed);
}

#[test]
fn a_clear_names_everything_that_stands_or_may_stand_again() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, change("a", [("t1", set([("/c/a", "1"), ("/d", "1")]))]));
    let outstanding = world.commit(N1, 2, queued(change("b", [("t1", set([("/c/b", "2")]))])));
    assert_eq!(outstanding.len(), 1, "sent, not answered");
    world.commit(N1, 3, asynchronous(queued(change("c", [("t1", clear(["/c/b"]))]))));
    world.commit(N1, 4, asynchronous(queued(change("d", [("t1", clear(["/c"]))]))));

    let proposal = world.store.proposal(index(4), &target("t1")).expect("a proposal");
    assert_eq!(proposal.delta, delta([("/c/a", None), ("/c/b", None)]));
    assert_eq!(proposal.undo, undo([("/c/a", present("1", 1)), ("/c/b", absent(3))]));
    let committed = world.store.committed(&target("t1"));
    assert!(committed.same_values(&tree([("/d", "1")])));
    assert_eq!(unit(&committed, "/c/a"), absent(4));
}

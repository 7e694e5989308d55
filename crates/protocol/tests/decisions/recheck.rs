//! Rule 9: after a withdrawal each entry behind it is validated again before anything else.

use lockstep_protocol::record::{Header, Key, PartStatus, Reason, Status};
use lockstep_protocol::{Answer, Check, Command, Op, Request, Subject, Wake};
use lockstep_types::Configuration as Tree;

use crate::support::{
    N1, N2, World, asynchronous, change, delta, failure, index, mark, patch, present, queued,
    rollback_by_path, session, set, sets, target, tree, violation, write,
};

fn queue(name: &str, path: &str) -> Request {
    asynchronous(queued(change(name, [("t1", set([(path, name)]))])))
}

fn atomic(name: &str, path: &str) -> Request {
    asynchronous(change(name, [("t1", set([(path, name)]))]))
}

/// The questions to yang among these commands.
fn questions(commands: &[Command]) -> Vec<Command> {
    let asked = commands.iter().filter(|command| matches!(command, Command::Validate { .. }));
    asked.cloned().collect()
}

/// The requests to devices among these commands.
fn requests(commands: &[Command]) -> Vec<Command> {
    let sent = commands.iter().filter(|command| matches!(command, Command::Send { .. }));
    sent.cloned().collect()
}

/// Entries in this order on t1, the first of them refused; what comes next.
fn refused(queue: impl IntoIterator<Item = Request>) -> (World, Vec<Command>) {
    let mut world = World::ready(["t1"]);
    let mut sent = Vec::new();
    for request in queue {
        sent.extend(requests(&world.commit(N1, 1, request)));
    }
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    (world, next)
}

#[test]
fn each_entry_is_validated_without_those_behind_it() {
    let (mut world, next) = refused([queue("1", "/a"), queue("2", "/b"), queue("3", "/c")]);
    let asked = questions(&next);
    let base = world.base("t1");
    let result = Tree::new().patched(&patch([("/b", present("2", 2))]));
    let checks = [(target("t1"), Check { base, result, change: None, also: Vec::new() })].into();
    let subject = Subject::Recheck(target("t1"), index(2));
    assert_eq!(asked, [Command::Validate { subject, checks }]);

    let checked = world.valid(N1, &asked);
    let t1 = target("t1");
    let header = Header { recheck: Some(index(2)), ..world.header("t1") };
    let expected = world.txn(
        [Key::Configuration(t1.clone()), Key::Binding(t1.clone())],
        [],
        [Op::Configuration {
            target: t1.clone(),
            header,
            committed: patch([]),
            applied: patch([]),
            cleared: false,
        }],
    );
    assert_eq!(checked, [write(Wake::Recheck(t1), expected)]);

    let asked = questions(&world.perform(N1, &checked));
    let [Command::Validate { subject, checks }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(*subject, Subject::Recheck(target("t1"), index(3)));
    assert_eq!(checks[&target("t1")].result, world.store.committed(&target("t1")));
    let checked = world.valid(N1, &asked);
    world.perform(N1, &checked);
    assert_eq!(world.header("t1").recheck, None, "all of them");
}

#[test]
fn nothing_is_committed_meanwhile() {
    let (mut world, next) = refused([queue("1", "/a"), queue("2", "/b")]);
    let append = world.submit(N1, 2, queue("3", "/c"));
    assert_eq!(questions(&append), [], "it has to queue");
    assert_eq!(questions(&world.perform(N1, &append)), []);
    assert_eq!(world.status(3), Status::Pending);
    let checked = world.valid(N1, &questions(&next));
    let asked = questions(&world.perform(N1, &checked));
    let [Command::Validate { subject, .. }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(*subject, Subject::Transaction(index(3)));
}

#[test]
fn nothing_unchecked_is_sent() {
    let (mut world, next) = refused([queue("1", "/a"), queue("2", "/b")]);
    let asked = questions(&next);
    let reading = world.answer(N1, &requests(&next), Answer::Accepted);
    let synced = world.answer(N1, &reading, Answer::Values(tree([])));
    let next = world.perform(N1, &synced);
    assert!(sets(&next).is_empty(), "in line, not checked");
    // The verdict may have been overtaken by the record.
    let mut checked = world.valid(N1, &asked);
    while !questions(&checked).is_empty() {
        checked = world.valid(N1, &questions(&checked));
    }
    assert_eq!(sets(&world.perform(N1, &checked)), [&delta([("/b", Some("2"))])]);
}

#[test]
fn what_is_invalid_without_it_is_withdrawn_too() {
    let (mut world, next) = refused([queue("1", "/a"), queue("2", "/b"), queue("3", "/c")]);
    let withdrawn = world.verdict(N1, &questions(&next), vec![violation("t1")]);
    let mut next = requests(&next);
    next.extend(world.perform(N1, &withdrawn));
    let reason = Some(Reason::InvalidAfterWithdrawal(vec![violation("t1")]));
    assert_eq!((world.status(2), &world.transaction(2).reason), (Status::Partial, &reason));
    assert_eq!(world.part(2, "t1"), PartStatus::Withdrawn);
    assert!(world.store.committed(&target("t1")).same_values(&tree([("/c", "3")])));
    world.drive(N1, next);
    assert_eq!((world.status(3), world.header("t1").recheck), (Status::Applied, None));
    assert_eq!(world.header("t1").applied, mark(3, 3));
}

#[test]
fn an_atomic_one_that_is_invalid_without_it_turns() {
    let (mut world, next) = refused([queue("1", "/a"), atomic("2", "/b")]);
    let turned = world.verdict(N1, &questions(&next), vec![violation("t1")]);
    world.perform(N1, &turned);
    let reason = Some(Reason::InvalidAfterWithdrawal(vec![violation("t1")]));
    assert_eq!((world.status(2), &world.transaction(2).reason), (Status::Reverting, &reason));
    let header = world.header("t1");
    assert_eq!((header.recheck, header.holder), (None, Some(index(2))));
    assert!(world.store.committed(&target("t1")).is_empty());
}

#[test]
fn no_device_is_needed() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N2, "t1", 1);
    world.watch(N1);
    for (client, request) in [(1, queue("1", "/a")), (2, queue("2", "/b"))] {
        world.commit(N1, client, request);
    }
    world.watch(N2);
    let cancelled = world.cancel(N1, 3, 1);
    let next = world.perform(N1, &cancelled);
    assert_eq!(questions(&next), [], "its master sees to it");
    world.change([Op::EndSession(session("s2"))]);
    let asked = questions(&world.watch(N1));
    let checked = world.valid(N1, &asked);
    world.perform(N1, &checked);
    assert_eq!(world.header("t1").recheck, None);
}

#[test]
fn a_verdict_on_a_rollback_does_not_outlive_a_withdrawal_below_its_change() {
    // 1 and 2 write the same path, 4 rolls 2 back; 1 goes while 4 is being decided.
    let mut world = World::new(1, ["t1"]);
    world.commit(N1, 1, queue("1", "/a"));
    world.commit(N1, 2, queue("2", "/a"));
    world.commit(N1, 3, atomic("3", "/b"));
    let append = world.submit(N1, 4, asynchronous(rollback_by_path("4", 2)));
    world.perform(N1, &append);
    let over = world.cancel(N1, 5, 3);
    let asked = world.drive_until(N1, over, |command| matches!(command, Command::Validate { .. }));
    let decision = world.valid(N1, &asked);
    let cancelled = world.cancel(N1, 6, 1);
    let mut next = world.perform(N1, &cancelled);
    next.extend(world.perform(N1, &decision));
    // From here on yang minds an empty configuration, which is what 4 would leave now.
    for _ in 0..20 {
        if next.is_empty() {
            break;
        }
        let one = [next.remove(0)];
        next.extend(match &one[0] {
            Command::Write { .. } => world.perform(N1, &one),
            Command::Validate { checks, .. } => {
                let empty = checks[&target("t1")].result.is_empty();
                let minds = empty.then(|| violation("t1"));
                world.verdict(N1, &one, minds.into_iter().collect())
            }
            _ => Vec::new(),
        });
    }
    let reason = Some(Reason::Invalid(vec![violation("t1")]));
    assert_eq!((world.status(4), &world.transaction(4).reason), (Status::Rejected, &reason));
}

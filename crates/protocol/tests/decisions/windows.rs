//! Confirm windows: what is not confirmed in time is taken out again, by whichever node lives and whatever
//! devices say; and nothing else comes to its targets before that is settled.

use lockstep_protocol::record::{
    Head, Header, ITSELF, Key, Kind, PartStatus, Reason, Rule, Status, Transaction, Window,
    WindowStage,
};
use lockstep_protocol::{
    Answer, Ask, Client, Command, Compare, Event, Op, Refusal, Reply, Request, Settings, Wake,
};
use lockstep_types::Term;

use crate::support::{
    N1, N2, NOW, World, absent, answer, answered_by, asynchronous, change, confirmed_within, delta,
    entry, failure, id, index, mark, patch, queued, refused_answer, rollback, send, session, set,
    sets, target, time, tree, write,
};

const LENGTH: u64 = 500;
/// The last moment of a window that opened when every clock begins.
const UNTIL: u64 = NOW + LENGTH;

fn one(name: &str) -> Request {
    change(name, [("t1", set([("/a", name)]))])
}

fn with_window(name: &str) -> Request {
    confirmed_within(one(name), LENGTH)
}

/// A change on t1 that is applied, and in its window.
fn open() -> World {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, with_window("a"));
    world.told.clear();
    world
}

fn stage(world: &World, at: u64) -> WindowStage {
    world.transaction(at).window.map_or(WindowStage::Asked, |window| window.stage)
}

fn in_window(until: Option<u64>) -> Refusal {
    Refusal::InWindow { target: target("t1"), index: index(1), id: id("a"), until: until.map(time) }
}

#[test]
fn it_opens_with_the_outcome() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, with_window("a"));
    assert_eq!(stage(&world, 1), WindowStage::Asked);
    world.tick(N1, NOW + 10);
    let record = world.answer(N1, &sent, Answer::Accepted);
    world.perform(N1, &record);
    assert_eq!(stage(&world, 1), WindowStage::Open { until: time(UNTIL + 10) });
    assert_eq!(world.node(N1).next_due(), Some(time(UNTIL + 11)));
}

#[test]
fn one_that_did_not_go_well_opens_none() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, with_window("a"));
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    assert_eq!((world.status(1), stage(&world, 1)), (Status::Reverted, WindowStage::Asked));
    world.submit_and_drive(N1, 2, one("b"));
    assert_eq!(world.status(2), Status::Applied, "nobody is kept off");
    let refusal =
        Refusal::Finished { index: index(1), kind: Kind::Change, status: Status::Reverted };
    assert_eq!(world.confirm(N1, 3, 1), [refused_answer(3, refusal)]);
}

#[test]
fn a_confirm_is_a_write_of_its_own_record_alone() {
    let mut world = open();
    let confirm = world.confirm(N1, 7, 1);
    let window = Some(Window { length: LENGTH, stage: WindowStage::Confirmed });
    let expected = world.txn(
        [Key::Transaction(index(1))],
        [],
        [Op::Transaction(Transaction { window, ..world.transaction(1).clone() })],
    );
    assert_eq!(confirm, [write(Wake::Window(index(1)), expected)]);
    assert_eq!(world.perform(N1, &confirm), [answer(7, 1, Status::Applied)]);
    assert_eq!(world.confirm(N1, 8, 1), [answer(8, 1, Status::Applied)], "it stays confirmed");
    assert_eq!(world.tick(N1, UNTIL + 1), []);
    world.submit_and_drive(N1, 2, one("b"));
    assert_eq!(world.status(2), Status::Applied);
}

#[test]
fn at_its_end_the_change_is_taken_out_by_one_write_without_a_verdict() {
    let mut world = open();
    assert_eq!(world.tick(N1, UNTIL), [], "the last moment to confirm it");
    let append = world.tick(N1, UNTIL + 1);

    let t1 = target("t1");
    let mut taken_out = world.transaction(1).clone();
    taken_out.targets.get_mut(&t1).expect("a part").rolled_back_by = Some(index(2));
    taken_out.window = Some(Window { length: LENGTH, stage: WindowStage::Reverted });
    let transaction = Transaction {
        kind: Kind::Rollback { of: index(1), rule: Rule::Window },
        submitted: time(UNTIL + 1),
        deadline: time(u64::MAX),
        status: Status::Committed,
        decided: Some(time(UNTIL + 1)),
        author: ITSELF.into(),
        ..entry(2, "s1.revert.1", ["t1"])
    };
    let header = Header { committed: mark(2, 0), holder: Some(index(2)), ..world.header("t1") };
    let expected = world.txn(
        [
            Key::Head,
            Key::Id(id("s1.revert.1")),
            Key::Transaction(index(1)),
            Key::Configuration(t1.clone()),
            Key::Binding(t1.clone()),
        ],
        [Compare::Exists(Key::Session(session("s1")))],
        [
            Op::Head(Head { index: index(2), timestamp: time(UNTIL + 1) }),
            Op::Id { id: id("s1.revert.1"), index: index(2) },
            Op::Transaction(taken_out),
            Op::Transaction(transaction),
            Op::Configuration {
                target: t1,
                header,
                committed: patch([("/a", absent(0))]),
                applied: patch([]),
                cleared: false,
            },
        ],
    );
    assert_eq!(append, [write(Wake::Append, expected)]);
    let sent = world.perform(N1, &append);
    assert_eq!(sent, [send("t1", 4, Ask::Set(delta([("/a", None)])))]);
    world.drive(N1, sent);
    assert_eq!(world.status(2), Status::Applied);
    assert_eq!(world.confirm(N1, 7, 1), [refused_answer(7, Refusal::TooLate(index(1)))]);
}

#[test]
fn of_confirm_and_end_the_first_wins() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.submit_and_drive(N1, 1, with_window("a"));
    world.watch(N2);
    let confirm = world.confirm(N2, 7, 1);
    let revert = world.tick(N1, UNTIL + 1);
    world.perform(N1, &revert);
    let told = world.perform(N2, &confirm);
    let late = refused_answer(7, Refusal::TooLate(index(1)));
    assert!(told.contains(&late), "{told:?}");
    assert_eq!(stage(&world, 1), WindowStage::Reverted);
}

#[test]
fn when_its_node_has_died_another_ends_it() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    world.submit_and_drive(N1, 1, with_window("a"));
    world.watch(N2);
    assert_eq!(world.tick(N2, UNTIL + 1), [], "the node that took it in lives");
    world.change([Op::EndSession(session("s1"))]);
    let next = world.watch(N2);
    world.drive(N2, next);
    // No node is connected to the device: it is brought about in the store alone.
    assert_eq!((world.status(2), stage(&world, 1)), (Status::Applied, WindowStage::Reverted));
    assert!(world.store.applied(&target("t1")).is_empty());
    world.connect_and_drive(N2, "t1", 2);
    assert!(world.device("t1").is_empty(), "and reaches the device with the resync");
}

#[test]
fn a_device_that_refuses_to_go_back_does_not_keep_the_change() {
    let mut world = open();
    let append = world.tick(N1, UNTIL + 1);
    let sent = world.perform(N1, &append);
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    assert_eq!((world.status(2), world.part(2, "t1")), (Status::Applied, PartStatus::Applied));
    let reason = Reason::Refused { target: target("t1"), failure: failure() };
    assert_eq!(world.transaction(2).targets.get(&target("t1")).unwrap().reason, Some(reason));
    assert_eq!(world.header("t1").synced, Term::ZERO, "it is read again");
    world.drive(N1, next);
    assert!(world.device("t1").is_empty());
}

#[test]
fn others_are_kept_off_from_the_asking_on() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, with_window("a"));
    let requests = |name: &str| {
        [one(name), with_window(name), asynchronous(queued(one(name))), rollback(name, 1)]
    };
    for request in requests("b") {
        assert_eq!(world.submit(N1, 2, request), [refused_answer(2, in_window(None))]);
    }
    world.drive(N1, sent);
    for request in requests("c") {
        assert_eq!(world.submit(N1, 2, request), [refused_answer(2, in_window(Some(UNTIL)))]);
    }
    let again = world.submit(N1, 3, with_window("a"));
    assert_eq!(again, [answer(3, 1, Status::Applied)], "the same again is no other");
}

#[test]
fn what_was_taken_in_at_the_same_time_is_turned_away() {
    let mut world = World::ready(["t1"]);
    let asked = world.submit(N1, 1, with_window("a"));
    assert_eq!(world.submit(N1, 2, answered_by(one("b"), 10 * UNTIL)), []);
    let append = world.valid(N1, &asked);
    let next = world.perform(N1, &append);
    assert!(next.contains(&refused_answer(2, in_window(None))), "{next:?}");
    assert_eq!(world.store.head().index, index(1));
    world.drive(N1, next);
    assert!(world.node(N1).desk().has_no_clients(), "nothing is kept of who was turned away");
}

#[test]
fn called_off_it_is_taken_out_at_once() {
    let mut world = open();
    let append = world.cancel(N1, 7, 1);
    let next = world.perform(N1, &append);
    assert!(next.contains(&answer(7, 1, Status::Applied)), "{next:?}");
    assert_eq!(sets(&next), [&delta([("/a", None)])]);
    assert_eq!(stage(&world, 1), WindowStage::Reverted);
    assert_eq!(world.transaction(2).author, "canceller", "it is theirs, not the node's own");
    let refusal = Refusal::Reverts(index(2));
    assert_eq!(world.cancel(N1, 8, 2), [refused_answer(8, refusal)]);
    world.drive(N1, next);
    assert!(world.device("t1").same_values(&tree([])));
}

#[test]
fn one_that_is_called_off_before_its_outcome_turns() {
    let mut world = World::ready(["t1"]);
    let sent = world.commit(N1, 1, with_window("a"));
    let turn = world.cancel(N1, 7, 1);
    let next = world.perform(N1, &turn);
    world.drive(N1, [sent, next].concat());
    assert_eq!((world.status(1), stage(&world, 1)), (Status::Reverted, WindowStage::Asked));
}

#[test]
fn only_what_is_atomic_and_writes_has_one() {
    let mut world = open();
    world.confirm(N1, 7, 1);
    for request in
        [confirmed_within(queued(one("b")), LENGTH), confirmed_within(rollback("c", 1), LENGTH)]
    {
        assert_eq!(world.submit(N1, 2, request), [refused_answer(2, Refusal::NoWindowFor)]);
    }
}

#[test]
fn one_that_goes_beyond_a_write_has_none() {
    let settings = Settings { records_per_write: 7, ..Settings::default() };
    let mut world = World::with_settings(1, ["t1", "t2"], &settings);
    let on_both = change("a", [("t1", set([("/a", "1")])), ("t2", set([("/a", "1")]))]);
    let asked = world.submit(N1, 2, asynchronous(confirmed_within(on_both, LENGTH)));
    assert_eq!(asked, [refused_answer(2, Refusal::WindowTooWide(2))]);
}

#[test]
fn only_what_was_asked_to_be_is_confirmed() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, one("a"));
    assert_eq!(world.confirm(N1, 2, 1), [refused_answer(2, Refusal::NoWindow(index(1)))]);
    assert_eq!(world.confirm(N1, 2, 9), [refused_answer(2, Refusal::UnknownTransaction(index(9)))]);
    world.commit(N1, 3, with_window("b"));
    assert_eq!(world.confirm(N1, 2, 2), [refused_answer(2, Refusal::NotOpen(index(2)))]);
}

#[test]
fn an_id_that_somebody_made_up_is_not_in_the_way() {
    let mut world = World::ready(["t1", "t2"]);
    world.submit_and_drive(N1, 1, change("s1.revert.2", [("t2", set([("/a", "x")]))]));
    world.submit_and_drive(N1, 1, with_window("a"));
    let append = world.tick(N1, UNTIL + 2);
    let [Command::Write { txn, .. }] = &append[..] else { panic!("{append:?}") };
    let taken = Op::Id { id: id("revert.2.1"), index: index(3) };
    assert!(txn.ops.contains(&taken), "{txn:?}");
}

#[test]
fn other_models_must_also_fit_what_stood_before() {
    let mut world = World::ready(["t1"]);
    world.submit_and_drive(N1, 1, one("z"));
    world.submit_and_drive(N1, 1, with_window("a"));
    let trees = world.store.may_stand(&target("t1"));
    let values = |value| tree([("/a", value)]);
    assert!(trees.iter().any(|tree| tree.same_values(&values("z"))), "{trees:?}");
    assert!(trees.iter().any(|tree| tree.same_values(&values("a"))), "{trees:?}");
}

fn extend(world: &mut World, length: u64) -> Vec<Command> {
    world.tell(N1, Event::Extend { client: Client(7), index: index(1), length })
}

fn extended() -> Command {
    Command::Answer { client: Client(7), reply: Reply::Done }
}

#[test]
fn another_time_takes_the_place_of_the_first() {
    let mut world = open();
    let written = extend(&mut world, 3 * LENGTH);
    let until = time(NOW + 3 * LENGTH);
    assert_eq!(world.perform(N1, &written), [extended()]);
    assert_eq!(stage(&world, 1), WindowStage::Open { until });
    assert_eq!(world.tick(N1, UNTIL + 2), [], "the first one has no say any more");
    let revert = world.tick(N1, NOW + 3 * LENGTH + 2);
    world.drive(N1, revert);
    assert_eq!(stage(&world, 1), WindowStage::Reverted);
}

#[test]
fn a_window_that_closed_first_is_not_opened_again() {
    let mut world = open();
    let late = extend(&mut world, 3 * LENGTH);
    let confirmed = world.transaction(1).clone();
    let window = Some(Window { length: LENGTH, stage: WindowStage::Confirmed });
    world.change([Op::Transaction(Transaction { window, ..confirmed })]);
    let refused = refused_answer(7, Refusal::TooLate(index(1)));
    assert_eq!(world.perform(N1, &late), [refused]);
    assert_eq!(stage(&world, 1), WindowStage::Confirmed);
    assert_eq!(extend(&mut world, 1), [refused_answer(7, Refusal::TooLate(index(1)))]);
}

#[test]
fn only_what_is_open_is_given_another_time() {
    let mut world = World::ready(["t1"]);
    assert_eq!(extend(&mut world, 1), [refused_answer(7, Refusal::UnknownTransaction(index(1)))]);
    world.commit(N1, 1, with_window("a"));
    assert_eq!(extend(&mut world, 1), [refused_answer(7, Refusal::NotOpen(index(1)))]);
}

#[test]
fn nothing_is_kept_of_one_that_is_turned_away() {
    let mut world = World::ready(["t1"]);
    let append = world.submit_judged(N1, 1, with_window("a"));
    // Judged, and taken in while the window is not in the log yet.
    assert_eq!(world.submit_judged(N1, 2, one("b")), []);
    let sent = world.perform(N1, &append);
    assert!(sent.contains(&refused_answer(2, in_window(None))), "{sent:?}");
    let sent: Vec<_> = sent.into_iter().filter(|c| matches!(c, Command::Send { .. })).collect();
    let record = world.answer(N1, &sent, Answer::Refused(failure()));
    let next = world.perform(N1, &record);
    world.drive(N1, next);
    assert!(world.node(N1).desk().has_no_clients(), "what yang said of it is forgotten");
}

#[test]
fn an_id_that_yang_is_asked_about_is_not_taken_for_anything_else() {
    let mut world = World::ready(["t1", "t2"]);
    let append = world.submit_judged(N1, 1, with_window("a"));
    let next = world.perform(N1, &append);
    world.drive(N1, next);
    let confirm = world.confirm(N1, 2, 1);
    world.drive(N1, confirm);
    let asked = world.submit(N1, 3, one("b"));
    let [Command::Validate { .. }] = &asked[..] else { panic!("{asked:?}") };
    // Another window opens, so that it is turned away while yang still looks at it.
    let window = Some(Window { length: LENGTH, stage: WindowStage::Open { until: time(UNTIL) } });
    let other = Transaction { window, ..world.transaction(1).clone() };
    world.change([Op::Transaction(other)]);
    world.watch(N1);
    // Whatever is taken in next, what waits is looked through.
    let told = world.submit(N1, 5, change("c", [("t2", set([("/a", "1")]))]));
    assert!(told.contains(&refused_answer(3, in_window(Some(UNTIL)))), "{told:?}");
    let again = world.submit(N1, 4, change("b", [("t1", set([("/a", "another")]))]));
    assert_eq!(again, [refused_answer(4, Refusal::IdPending)]);
    assert_eq!(world.valid(N1, &asked), [], "of what was turned away");
}

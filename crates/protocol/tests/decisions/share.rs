//! Masterships spread over the nodes that are there, one after the other, and who is connected.

use lockstep_protocol::node::Turn;
use lockstep_protocol::record::{Drift, Drifted, Failure, Header, Key, Next, PartStatus};
use lockstep_protocol::{Answer, Ask, Command, Event, Op, Settings};
use lockstep_types::{Patch, Target};

use crate::support::{
    N1, N2, N3, World, asynchronous, bound, change, close, connection, queued, session, set, target,
};

const TARGETS: [&str; 6] = ["t1", "t2", "t3", "t4", "t5", "t6"];

fn spread(nodes: usize) -> World {
    World::with_settings(nodes, TARGETS, &Settings::default())
}

fn turns(world: &World, at: usize) -> Vec<&str> {
    let turn =
        |name: &&&str| world.node(at).desk().turn(&target(name)).expect("a turn").master.as_str();
    TARGETS.iter().map(|name| turn(&name)).collect()
}

fn reached(world: &World, at: usize) -> usize {
    TARGETS.iter().filter(|name| world.node(at).desk().reaches(&target(name))).count()
}

#[test]
fn every_node_comes_to_the_same_and_to_an_even_share() {
    let world = spread(3);
    let first = turns(&world, N1);
    assert_eq!((first.clone(), first.clone()), (turns(&world, N2), turns(&world, N3)));
    for name in ["s1", "s2", "s3"] {
        assert_eq!(first.iter().filter(|turn| **turn == name).count(), 2, "{first:?}");
    }
}

#[test]
fn when_a_node_goes_the_others_keep_what_they_have() {
    let mut world = spread(3);
    let before: Vec<String> = turns(&world, N1).into_iter().map(Into::into).collect();
    world.change([Op::EndSession(session("s3"))]);
    world.watch(N1);
    let kept = before.iter().zip(turns(&world, N1));
    let moved = kept.filter(|(before, now)| *before != "s3" && before != now).count();
    assert_eq!(moved, 0, "{before:?}: {:?}", turns(&world, N1));
}

#[test]
fn without_masters_everybody_connects_and_with_them_two_of_three() {
    let mut world = spread(3);
    assert_eq!([N1, N2, N3].map(|node| reached(&world, node)), [6, 6, 6]);
    for name in TARGETS {
        world.connect_and_drive(N1, name, 1);
    }
    for node in [N2, N3] {
        world.watch(node);
    }
    assert_eq!(reached(&world, N1), 6, "it is the master");
    for (at, name) in [(N2, "s2"), (N3, "s3")] {
        let turns =
            TARGETS.iter().map(|on| world.node(at).desk().turn(&target(on)).expect("a turn"));
        let named =
            |turn: &&Turn| turn.master == session(name) || turn.standby == Some(session(name));
        assert_eq!(
            reached(&world, at),
            turns.filter(named).count(),
            "who is to be it, and who stands by"
        );
    }
}

/// A world of two nodes where the first is the master of a target that is the other's turn.
fn to_be_handed_over() -> (World, &'static str) {
    let mut world = spread(2);
    let at = turns(&world, N1).iter().position(|turn| *turn == "s2").expect("its share");
    let name = TARGETS[at];
    world.connect_and_drive(N1, name, 1);
    world.watch(N2);
    (world, name)
}

/// The same, once it was handed over: the second node claims the device.
fn handed_over() -> (World, &'static str, Vec<Command>) {
    let (mut world, name) = to_be_handed_over();
    let asks = world.connect(N2, name, 7);
    world.perform(N2, &asks);
    let handed = world.watch(N1);
    world.drive(N1, handed);
    let claims = world.watch(N2);
    (world, name, claims)
}

fn next(world: &World, name: &str) -> Option<Next> {
    world.store.mastership(&target(name)).and_then(|mastership| mastership.next.clone())
}

fn master<'a>(world: &'a World, name: &str) -> &'a str {
    let mastership = world.store.master(&target(name)).expect("a master");
    mastership.session.as_ref().expect("a session").as_str()
}

#[test]
fn a_target_at_rest_is_handed_over_to_the_node_that_asks() {
    let (mut world, name) = to_be_handed_over();
    let asks = world.connect(N2, name, 7);
    world.perform(N2, &asks);
    assert_eq!(
        next(&world, name),
        Some(Next { session: session("s2"), connection: connection(7) })
    );
    let handed = world.watch(N1);
    world.drive(N1, handed);
    assert_eq!((master(&world, name), next(&world, name)), ("s2", None));
    let taken = world.watch(N2);
    world.drive(N2, taken);
    assert!(world.store.is_synchronised(&target(name)));
}

#[test]
fn one_with_something_to_do_is_not() {
    let (mut world, name) = to_be_handed_over();
    let asks = world.connect(N2, name, 7);
    world.perform(N2, &asks);
    let edit = set([("/a", "1")]);
    let request = asynchronous(queued(change("one", [(name, edit)])));
    world.submit_and_drive(N2, 1, request);
    let taken = world.store.master(&target(name)).cloned();
    let left = world.watch(N1);
    let sends = |command: &Command| matches!(command, Command::Send { ask: Ask::Set(_), .. });
    let sent = world.drive_until(N1, left, sends);
    assert_eq!(world.store.master(&target(name)).cloned(), taken, "it is still the first one's");
    world.drive(N1, sent);
    assert_eq!(world.transaction(1).part(&target(name)), PartStatus::Applied);
    assert_eq!(master(&world, name), "s2", "and then it is");
}

#[test]
fn one_that_somebody_else_changed_and_that_is_left_so_stays_where_it_is() {
    let (mut world, name) = to_be_handed_over();
    assert_eq!(world.store.binding(&target(name)).map(|b| b.drift), Some(Drift::Report));
    world.tell(N1, Event::Drifted(target(name)));
    let asks = world.connect(N2, name, 7);
    world.perform(N2, &asks);
    let declined = world.watch(N1);
    world.drive(N1, declined);
    assert_eq!((master(&world, name), next(&world, name)), ("s1", None));
    let again = world.watch(N2);
    assert_eq!(again, [], "and is not asked for again and again");
    let reads =
        |target: &Target| world.node(N1).desk().link(target).is_some_and(|link| link.drifted);
    assert!(reads(&target(name)));
}

#[test]
fn one_that_was_changed_back_is_handed_over_after_all() {
    let (mut world, name) = to_be_handed_over();
    world.tell(N1, Event::Drifted(target(name)));
    let asks = world.connect(N2, name, 7);
    world.perform(N2, &asks);
    let declined = world.watch(N1);
    world.drive(N1, declined);
    world.watch(N2);
    let left = world.tell(N1, Event::InLine(target(name)));
    assert_eq!(left, []);
    // Its master tells the others that there is nothing left of it.
    world.change([Op::Drifted { target: target(name), drifted: Drifted::default() }]);
    let asks = world.watch(N2);
    world.perform(N2, &asks);
    let handed = world.watch(N1);
    world.drive(N1, handed);
    assert_eq!(master(&world, name), "s2");
}

#[test]
fn who_loses_the_device_takes_back_that_it_would_have_it() {
    let (mut world, name) = to_be_handed_over();
    let asks = world.connect(N2, name, 7);
    world.perform(N2, &asks);
    world.watch(N2);
    let lost = Event::Disconnected { target: target(name), connection: connection(7) };
    let taken_back = world.tell(N2, lost);
    world.perform(N2, &taken_back);
    assert_eq!(next(&world, name), None);
    world.watch(N1);
    assert_eq!(master(&world, name), "s1", "it stays where it can be reached");
    world.watch(N2);
    let asks = world.connect(N2, name, 8);
    world.perform(N2, &asks);
    let again = Some(Next { session: session("s2"), connection: connection(8) });
    assert_eq!(next(&world, name), again, "on the connection that there is");
}

#[test]
fn targets_that_do_not_come_keep_nobody_waiting() {
    const MANY: [&str; 24] = [
        "t01", "t02", "t03", "t04", "t05", "t06", "t07", "t08", "t09", "t10", "t11", "t12", "t13",
        "t14", "t15", "t16", "t17", "t18", "t19", "t20", "t21", "t22", "t23", "t24",
    ];
    let mut world = World::with_settings(2, MANY, &Settings::default());
    for name in MANY {
        world.connect_and_drive(N1, name, 1);
    }
    world.watch(N2);
    let turn = |world: &World, name: &str| {
        world.node(N2).desk().turn(&target(name)).expect("a turn").master == session("s2")
    };
    let asked = |world: &World| MANY.iter().filter(|on| next(world, on).is_some()).count();
    for name in MANY {
        let asks = world.connect(N2, name, 7);
        world.drive(N2, asks);
        world.watch(N2);
    }
    assert_eq!((asked(&world), MANY.iter().filter(|on| turn(&world, on)).count()), (8, 12));
    // An operator pauses those that were asked for; nobody hands them over.
    let first: Vec<&str> = MANY.into_iter().filter(|on| next(&world, on).is_some()).collect();
    for name in first {
        let header = Header { paused: true, ..world.header(name) };
        let (committed, applied) = (Patch::default(), Patch::default());
        let target = target(name);
        world.change([Op::Configuration { target, header, committed, applied, cleared: false }]);
        let asks = world.watch(N2);
        world.drive(N2, asks);
    }
    world.watch(N2);
    assert_eq!(asked(&world), 12, "all that are its turn");
}

#[test]
fn a_target_that_comes_has_its_turn_a_little_later() {
    let mut world = spread(2);
    let later = |world: &World, node| world.node(node).next_due().expect("a time").get();
    world.change([bound("t7", "m1"), bound("t8", "m1")]);
    for node in [N1, N2] {
        world.watch(node);
        assert!(world.node(node).desk().reaches(&target("t7")), "whoever can reach it takes it");
        assert_eq!(world.node(node).desk().turn(&target("t7")), None);
        let at = later(&world, node);
        world.tick(node, at);
    }
    let turn = |world: &World, node, on| world.node(node).desk().turn(&target(on)).cloned();
    assert!(turn(&world, N1, "t7").is_some());
    for on in ["t7", "t8"] {
        assert_eq!(turn(&world, N1, on), turn(&world, N2, on));
    }
    world.change([Op::Forget(Key::Binding(target("t7")))]);
    world.watch(N1);
    assert_eq!(turn(&world, N1, "t7"), None);
}

#[test]
fn a_node_that_cannot_hold_what_it_was_handed_leaves_it_to_others_for_a_while() {
    let (mut world, name, claims) = handed_over();
    let reads = world.answer(N2, &claims, Answer::Accepted);
    let given_up = world.answer(N2, &reads, Answer::Unknown);
    world.drive(N2, given_up);
    let taken = world.watch(N1);
    world.drive(N1, taken);
    assert_eq!(master(&world, name), "s1", "it comes back");
    world.watch(N2);
    assert_eq!(world.connect(N2, name, 8), [], "and is not asked for at once");
    let again = world.node(N2).desk().next_retry().expect("a time").get();
    let asks = world.tick(N2, again);
    world.perform(N2, &asks);
    assert_eq!(
        next(&world, name),
        Some(Next { session: session("s2"), connection: connection(8) })
    );
}

#[test]
fn a_device_that_refuses_its_next_master_comes_back_to_the_one_before() {
    let (mut world, name, claims) = handed_over();
    let refused = Failure { code: "PERMISSION_DENIED".into(), message: "not from there".into() };
    let recorded = world.answer(N2, &claims, Answer::Refused(refused));
    let left = world.perform(N2, &recorded);
    assert!(left.contains(&close(name, 7)), "{left:?}");
    world.drive(N2, left);
    let taken = world.watch(N1);
    world.drive(N1, taken);
    assert_eq!(master(&world, name), "s1");
    assert!(world.store.is_synchronised(&target(name)));
}

//! A store that was set back to a backup: its devices have seen later terms of it, and leaps make them listen again.

use lockstep_protocol::node::leap;
use lockstep_protocol::record::{Mastership, Status};
use lockstep_protocol::{Answer, Command, Op};
use lockstep_types::Term;

use crate::support::{
    N1, N2, N3, World, change, claim, connection, queued, session, set, set_on, target, term, tree,
};

/// The first node was in line with t1, and is gone; the second claims it in term 2.
fn succeeded() -> (World, Vec<Command>) {
    let mut world = World::new(3, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    let claimed = follow(&mut world, "s1", N2, 2);
    (world, claimed)
}

/// A session ends, and another node claims t1 in this term.
fn follow(world: &mut World, gone: &str, node: usize, in_term: u64) -> Vec<Command> {
    world.change([Op::EndSession(session(gone))]);
    world.watch(node);
    let take = world.connect(node, "t1", 1);
    let claimed = world.perform(node, &take);
    assert_eq!(claimed, [claim("t1", (1, 1, in_term))]);
    claimed
}

fn term_now(world: &World) -> Term {
    world.store.mastership(&target("t1")).expect("a master").term
}

/// A claim is turned away; what its master does when it tries again.
fn turned_away(world: &mut World, node: usize, claimed: &[Command]) -> Vec<Command> {
    let record = world.answer(node, claimed, Answer::Fenced);
    assert_eq!(world.perform(node, &record), [], "a while passes first");
    let again = world.node(node).next_due().expect("a time");
    world.tick(node, again.get())
}

#[test]
fn the_refusal_and_the_next_term_are_one_write() {
    let (mut world, claimed) = succeeded();
    let record = world.answer(N2, &claimed, Answer::Fenced);
    let [Command::Write { txn, .. }] = &record[..] else { panic!("{record:?}") };
    let session = Some(session("s2"));
    let leaped = Mastership { session, term: term(18), connection: connection(1), next: None };
    assert!(txn.ops.contains(&Op::Mastership { target: target("t1"), mastership: leaped }));
    assert_eq!(world.perform(N2, &record), []);
    let header = world.header("t1");
    assert!(header.resync_refused.is_some_and(|failure| failure.is_foreign_master()));
    assert_eq!((term_now(&world), header.synced), (term(18), Term::ZERO));
}

#[test]
fn leaps_go_further_each_time_until_it_listens() {
    let (mut world, claimed) = succeeded();
    let again = turned_away(&mut world, N2, &claimed);
    assert_eq!(again, [claim("t1", (1, 2, 18))]);
    let again = turned_away(&mut world, N2, &again);
    assert_eq!(again, [claim("t1", (1, 3, 36))]);
    world.drive(N2, again);
    let header = world.header("t1");
    assert_eq!((header.synced, header.resync_refused), (term(36), None));
}

#[test]
fn whoever_comes_next_leaps_on_from_the_same_refusal() {
    let (mut world, claimed) = succeeded();
    turned_away(&mut world, N2, &claimed);
    let claimed = follow(&mut world, "s2", N3, 19);
    assert_eq!(turned_away(&mut world, N3, &claimed), [claim("t1", (1, 2, 38))]);
}

#[test]
fn a_refusal_that_was_overtaken_leaps_nowhere() {
    let (mut world, claimed) = succeeded();
    let record = world.answer(N2, &claimed, Answer::Fenced);
    let [Command::Write { txn, .. }] = &record[..] else { panic!("{record:?}") };
    // The node dies before it is written, and it arrives too late.
    follow(&mut world, "s2", N3, 3);
    world.write(txn);
    assert_eq!(term_now(&world), term(3));
}

#[test]
fn a_session_that_was_listened_to_has_a_rival() {
    let mut world = World::ready(["t1"]);
    let take = world.connect(N1, "t1", 2);
    let claimed = world.perform(N1, &take);
    let before = term_now(&world);
    let again = turned_away(&mut world, N1, &claimed);
    assert_eq!(again, [claim("t1", (2, 4, before.get()))]);
    assert_eq!(term_now(&world), before);
}

#[test]
fn a_device_that_never_listened_denies_something_else() {
    let mut world = World::new(1, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    assert_eq!(turned_away(&mut world, N1, &claimed), [claim("t1", (1, 2, 1))], "never met");

    let mut world = World::new(2, ["t1"]);
    let take = world.connect(N1, "t1", 1);
    let claimed = world.perform(N1, &take);
    let reading = world.answer(N1, &claimed, Answer::Unfenced(0));
    let record = world.answer(N1, &reading, Answer::Values(tree([])));
    world.perform(N1, &record);
    assert_eq!(world.header("t1").fenced, Some(false));
    let claimed = follow(&mut world, "s1", N2, 2);
    assert_eq!(
        turned_away(&mut world, N2, &claimed),
        [claim("t1", (1, 2, 2))],
        "turns nobody away"
    );
}

#[test]
fn nothing_is_sent_before_it_listens() {
    let (mut world, claimed) = succeeded();
    let change = queued(change("a", [("t1", set([("/a", "1")]))]));
    let asked = world.submit(N2, 1, change);
    let append = world.valid(N2, &asked);
    world.perform(N2, &append);
    let again = turned_away(&mut world, N2, &claimed);
    assert_eq!(again, [set_on("t1", (1, 2, 18), lockstep_protocol::Ask::Claim)]);
    world.drive(N2, again);
    assert_eq!(world.status(1), Status::Applied);
}

#[test]
fn leaps_pass_what_was_forgotten_and_end() {
    for (from, claimed) in [(1, 0), (40, 0), ((5 << 32) + 3, 5 << 32)] {
        let next = |last: &Term| leap(*last);
        let leaps: Vec<Term> = std::iter::successors(Some(term(from)), next).collect();
        assert!(leaps.len() < 30 && leaps.is_sorted());
        let last = leaps[leaps.len() - 1].get() - claimed;
        assert!(last > 10_000_000 && last < 1 << 26, "{last}");
    }
}

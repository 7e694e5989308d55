//! Orders of operators: a target is left alone, gone on with, looked at again.

use lockstep_protocol::record::{Key, Status};
use lockstep_protocol::view::Wait;
use lockstep_protocol::{Answer, Ask, Client, Command, Event, Op, Order, Refusal, Reply};
use lockstep_types::Term;

use crate::support::{
    N1, N2, World, asynchronous, change, index, queued, refused_answer, set, target,
};

fn order(world: &mut World, at: usize, on: &str, order: Order) -> Vec<Command> {
    let author = "operator".into();
    world.tell(at, Event::Operate { client: Client(9), target: target(on), order, author })
}

fn done() -> Command {
    Command::Answer { client: Client(9), reply: Reply::Done }
}

fn sends(commands: &[Command]) -> Vec<&Ask> {
    let sends = commands.iter().filter_map(|command| match command {
        Command::Send { ask, .. } => Some(ask),
        _ => None,
    });
    sends.collect()
}

#[test]
fn nothing_is_sent_to_a_paused_target_and_what_waits_says_so() {
    let mut world = World::ready(["t1"]);
    let paused = order(&mut world, N1, "t1", Order::Pause);
    let next = world.perform(N1, &paused);
    assert_eq!(next, [done()], "and it is answered once that is in the store");
    assert!(world.header("t1").paused);
    assert_eq!(world.header("t1").synced, Term::ZERO, "nobody looks at it any more");

    let edit = || set([("/a", "1")]);
    let refused = world.submit(N1, 1, change("sync", [("t1", edit())]));
    assert_eq!(refused, [refused_answer(1, Refusal::Paused(target("t1")))]);
    let waits = asynchronous(queued(change("later", [("t1", edit())])));
    let next = world.commit(N1, 2, waits);
    assert_eq!(sends(&next), Vec::<&Ask>::new());
    let transaction = world.transaction(1).clone();
    assert_eq!(world.store.waiting_for(&transaction, &target("t1")), Some(Wait::Paused));

    let resumed = order(&mut world, N1, "t1", Order::Resume);
    let next = world.perform(N1, &resumed);
    assert_eq!(sends(&next), [&Ask::Claim], "it is looked at first");
    world.drive(N1, next);
    assert_eq!(world.status(1), Status::Applied);
}

#[test]
fn a_resync_stops_where_it_is_when_its_target_is_paused() {
    let mut world = World::ready(["t1"]);
    let again = order(&mut world, N1, "t1", Order::Sync);
    let claim = world.perform(N1, &again);
    assert_eq!(sends(&claim), [&Ask::Claim]);
    let paused = order(&mut world, N1, "t1", Order::Pause);
    world.perform(N1, &paused);
    let claim: Vec<_> = claim.into_iter().filter(|c| matches!(c, Command::Send { .. })).collect();
    assert_eq!(world.answer(N1, &claim, Answer::Accepted), []);
}

#[test]
fn what_is_so_already_is_not_written() {
    let mut world = World::ready(["t1"]);
    assert_eq!(order(&mut world, N1, "t1", Order::Resume), [done()]);
}

#[test]
fn any_node_takes_an_order() {
    let mut world = World::new(2, ["t1"]);
    world.connect_and_drive(N1, "t1", 1);
    world.watch(N2);
    let paused = order(&mut world, N2, "t1", Order::Pause);
    assert_eq!(world.perform(N2, &paused), [done()]);
    world.watch(N1);
    let edit = set([("/a", "1")]);
    let waits = asynchronous(queued(change("later", [("t1", edit)])));
    let next = world.commit(N1, 2, waits);
    assert_eq!(sends(&next), Vec::<&Ask>::new());
    assert_eq!(world.store.apply_head(&target("t1")), Some(index(1)));
}

#[test]
fn an_order_for_a_target_nobody_knows_is_refused() {
    let mut world = World::ready(["t1"]);
    let refused = refused_answer(9, Refusal::UnknownTarget(target("t9")));
    assert_eq!(order(&mut world, N1, "t9", Order::Sync), [refused]);
}

fn adopt(client: u64) -> Event {
    let (target, author) = (target("t1"), "operator".into());
    Event::Operate { client: Client(client), target, order: Order::Adopt, author }
}

/// Two wait for a device to be adopted that gives no answer.
fn two_wait(world: &mut World) {
    let adopted = world.tell(N1, adopt(1));
    world.perform(N1, &adopted);
    assert!(world.header("t1").adopting);
    assert_eq!(world.tell(N1, adopt(2)), [], "what stands already is not written again");
}

#[test]
fn those_who_wait_for_a_device_to_be_adopted_are_in_nobodys_way() {
    let mut world = World::ready(["t1"]);
    two_wait(&mut world);
    let paused = order(&mut world, N1, "t1", Order::Pause);
    assert!(world.perform(N1, &paused).contains(&done()));
    assert!(world.header("t1").paused);
    let resumed = order(&mut world, N1, "t1", Order::Resume);
    assert!(world.perform(N1, &resumed).contains(&done()));
    assert!(!world.header("t1").paused && world.header("t1").adopting);
}

#[test]
fn whoever_waits_for_a_target_that_goes_is_told() {
    let mut world = World::ready(["t1"]);
    two_wait(&mut world);
    world.change([Op::Forget(Key::Binding(target("t1")))]);
    let told = world.watch(N1);
    for client in [1, 2] {
        let refused = refused_answer(client, Refusal::UnknownTarget(target("t1")));
        assert!(told.contains(&refused), "{told:#?}");
    }
}

#[test]
fn what_cannot_be_adopted_any_more_is_refused() {
    let mut world = World::ready(["t1"]);
    let paused = order(&mut world, N1, "t1", Order::Pause);
    assert_eq!(world.tell(N1, adopt(1)), [], "one after the other");
    let refused = refused_answer(1, Refusal::AdoptsPaused(target("t1")));
    assert_eq!(world.perform(N1, &paused), [done(), refused]);
    assert!(!world.header("t1").adopting);
}

//! What several devices answer for one transaction goes into as few writes as their answers allow.

use lockstep_protocol::record::{Mastership, PartStatus, Status, Trials};
use lockstep_protocol::{Answer, Command, Event, Op, Wake};

use crate::support::{
    N1, World, asynchronous, change, connection, failure, index, session, set, target, term,
};

const TEN: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// In line with ten devices, which may take things on trial; a change is sent to all of them.
fn sent(trials: Trials) -> (World, Vec<Command>) {
    let mut world = World::new(1, TEN);
    for on in TEN {
        let take = world.connect(N1, on, 1);
        let can = Event::Trials { target: target(on), connection: connection(1), trials };
        assert_eq!(world.tell(N1, can), []);
        world.drive(N1, take);
    }
    world.written = 0;
    let everywhere = change("x", TEN.map(|on| (on, set([("/a", "1")]))));
    let sent = world.commit(N1, 1, asynchronous(everywhere));
    let sent: Vec<_> = sent.into_iter().filter(is_sent).collect();
    assert_eq!((world.written, sent.len()), (1, 10));
    (world, sent)
}

fn is_sent(command: &Command) -> bool {
    matches!(command, Command::Send { .. })
}

/// Each device answers before anything is written.
fn all_accept(world: &mut World, sent: &[Command]) -> Vec<Command> {
    let answers = sent.chunks(1).map(|one| world.answer(N1, one, Answer::Accepted));
    answers.collect::<Vec<_>>().concat()
}

/// The target whose controller writes.
fn written_for(commands: &[Command]) -> Vec<&str> {
    let writes = commands.iter().filter_map(|command| match command {
        Command::Write { wake: Wake::Target(on), .. } => Some(on.as_str()),
        _ => None,
    });
    writes.collect()
}

/// The first answer is recorded; while that is written the others gather, and go with the next write.
fn in_two_writes(world: &mut World, sent: &[Command]) -> Vec<Command> {
    let record = all_accept(world, sent);
    assert_eq!(written_for(&record), ["a"]);
    let rest = world.perform(N1, &record);
    assert_eq!(written_for(&rest).len(), 1, "{rest:#?}");
    let (rest, mut next): (Vec<_>, Vec<_>) = rest.into_iter().partition(|one| !is_sent(one));
    next.extend(world.perform(N1, &rest));
    next
}

#[test]
fn ten_devices_that_answer_at_once_take_two_writes() {
    let (mut world, sent) = sent(Trials::Never);
    assert_eq!(in_two_writes(&mut world, &sent), []);
    assert_eq!((world.status(1), world.written), (Status::Applied, 3));
    for on in TEN {
        assert_eq!(world.part(1, on), PartStatus::Applied);
        assert_eq!(world.header(on).applied.index, index(1));
        assert_eq!(world.header(on).holder, None);
    }
}

#[test]
fn a_trial_takes_two_for_each_round() {
    let (mut world, sent) = sent(Trials::Shared);
    let confirms = in_two_writes(&mut world, &sent);
    assert_eq!((world.status(1), confirms.len()), (Status::Confirming, 10));
    in_two_writes(&mut world, &confirms);
    assert_eq!((world.status(1), world.written), (Status::Applied, 5));
    assert!(TEN.iter().all(|on| world.header(on).trial.is_none()));
}

#[test]
fn so_is_what_takes_it_back() {
    let (mut world, sent) = sent(Trials::Never);
    let (last, others) = sent.split_last().unwrap();
    in_two_writes(&mut world, others);
    // A refusal does not wait for anything.
    let turn = world.answer(N1, std::slice::from_ref(last), Answer::Refused(failure()));
    let undos: Vec<_> = world.perform(N1, &turn).into_iter().filter(is_sent).collect();
    let (undos, resync): (Vec<_>, Vec<_>) = undos.into_iter().partition(
        |command| matches!(command, Command::Send { target: on, .. } if *on != target("j")),
    );
    assert_eq!((undos.len(), resync.len()), (9, 1));
    in_two_writes(&mut world, &undos);
    assert_eq!((world.status(1), world.written), (Status::Reverted, 6));
}

#[test]
fn a_refusal_is_written_while_something_is_recorded() {
    let (mut world, sent) = sent(Trials::Never);
    let record = all_accept(&mut world, &sent[..5]);
    let turn = world.answer(N1, &sent[5..6], Answer::Refused(failure()));
    assert_eq!((written_for(&record), written_for(&turn)), (vec!["a"], vec!["f"]));
    world.perform(N1, &turn);
    assert_eq!(world.status(1), Status::Reverting);
}

/// Whoever was to record it is not the master any more, so its own answer is not recorded at all.
#[test]
fn what_waited_for_a_write_that_came_to_nothing_is_written() {
    let (mut world, sent) = sent(Trials::Never);
    let record = all_accept(&mut world, &sent);
    assert_eq!(written_for(&record), ["a"]);
    let mastership = Mastership {
        session: Some(session("s9")),
        term: term(2),
        connection: connection(1),
        next: None,
    };
    world.change([Op::Mastership { target: target("a"), mastership }]);
    // Nor is the new one alive: it is taken again, beside that.
    let next = world.perform(N1, &record);
    assert_eq!(world.part(1, "a"), PartStatus::Pending);
    assert_eq!(written_for(&next), ["a", "b"]);
    world.perform(N1, &next[1..]);
    assert!(TEN[1..].iter().all(|on| world.part(1, on) == PartStatus::Applied));
}

/// What one of several masterships has come to by then, all of the write depends on.
#[test]
fn nothing_is_recorded_of_a_device_that_is_another_masters_by_then() {
    let (mut world, sent) = sent(Trials::Never);
    let record = all_accept(&mut world, &sent);
    let rest = world.perform(N1, &record);
    let mastership =
        Mastership { session: None, term: term(1), connection: connection(1), next: None };
    world.change([Op::Mastership { target: target("j"), mastership }]);
    let written = world.written;
    world.perform(N1, &rest);
    assert_eq!((world.part(1, "b"), world.written), (PartStatus::Pending, written));
}

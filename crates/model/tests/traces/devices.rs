//! A device, or the way to it, did something that cannot be.

use std::sync::Arc;

use lockstep_model::scenario::{Faults, Scenario, find};
use lockstep_model::system::{Action, Reaction};
use lockstep_model::trace::Reason;
use lockstep_model::trace::line::{Doing, Line, Took};
use lockstep_model::walk::Walk;
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Command, Event};
use lockstep_types::{Configuration as Tree, Sequence, Target, Term};

use crate::support::{event_mut, found_at, good, renumber, run_with, saw, step, step_mut};

fn took(line: &Line) -> Option<&Took> {
    match line {
        Line::Device(device) => match &device.did {
            Doing::Took(took) => Some(took),
            _ => None,
        },
        _ => None,
    }
}

fn took_mut(line: &mut Line) -> &mut Took {
    match line {
        Line::Device(device) => match &mut device.did {
            Doing::Took(took) => took,
            _ => panic!("not a request"),
        },
        other => panic!("{other:?}"),
    }
}

fn answer_mut(line: &mut Line) -> &mut Answer {
    match event_mut(line) {
        Event::Answered { answer, .. } => answer,
        other => panic!("{other:?}"),
    }
}

fn is_answer(answer: fn(&Answer) -> bool) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::Answered { answer: given, .. } if answer(given))
}

fn accepted(lines: &[Line]) -> Option<usize> {
    saw(lines, is_answer(|answer| *answer == Answer::Accepted))
}

#[test]
fn an_answer_to_a_request_that_was_not_sent() {
    let (mut lines, at) = run_with("two", accepted);
    let Event::Answered { sequence, .. } = event_mut(&mut lines[at]) else { panic!("answered") };
    *sequence = Sequence::new(99);
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::NoRequest { .. }), "{reason}");
}

#[test]
fn an_answer_that_comes_twice() {
    let (mut lines, at) = run_with("two", accepted);
    let mut again = step(&lines[at]).expect("a step").clone();
    again.did.clear();
    let session = again.session.clone();
    lines.insert(at + 1, Line::Step(again));
    renumber(&mut lines, &session);
    let reason = found_at(&lines, at + 1);
    assert!(matches!(reason, Reason::NoRequest { .. }), "{reason}");
}

#[test]
fn an_answer_that_does_not_fit() {
    let (mut lines, at) = run_with("two", accepted);
    *answer_mut(&mut lines[at]) = Answer::Values(Tree::new());
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::Misfit { .. }), "{reason}");
}

#[test]
fn another_answer_than_the_device_gave() {
    let (mut lines, at) = run_with("two", accepted);
    let failure = Failure { code: "Aborted".into(), message: "no".into() };
    *answer_mut(&mut lines[at]) = Answer::Refused(failure);
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::OtherAnswer { .. }), "{reason}");
}

#[test]
fn a_device_that_accepts_an_older_election_id() {
    let fenced = |line: &Line| took(line).is_some_and(|took| took.answer == Answer::Fenced);
    let (mut lines, at) = run_with("stale", |lines| lines.iter().position(fenced));
    took_mut(&mut lines[at]).answer = Answer::Accepted;
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::OlderElection { .. }), "{reason}");
}

/// A master that lost its lease in the middle of a resync, and sends its Set when the device has
/// accepted another. Gives the run without the device's own account, and where it is fenced.
fn fenced_for_sure() -> (Vec<Line>, usize) {
    let faults = Faults { restarts: 1, leases: 1, ..Faults::default() };
    let scenario = find("stale").expect("a scenario");
    let mut walk = Walk::new(Arc::new(Scenario { faults, ..(*scenario).clone() }));
    let t1 = Target::new("t1").expect("a name");
    walk.act(Action::Submit(0));
    exchange(&mut walk, 0);
    walk.act(Action::StopDevice(t1.clone()));
    walk.act(Action::StartDevice(t1.clone(), false));
    walk.act(Action::Connect(0, t1.clone()));
    exchange(&mut walk, 0);
    walk.act(Action::LoseLease(0));
    walk.act(Action::Connect(1, t1));
    exchange(&mut walk, 1);
    exchange(&mut walk, 0);
    exchange(&mut walk, 0);
    assert_eq!(walk.broken, Vec::<&str>::new());
    let mut lines = walk.lines;
    lines.retain(|line| !matches!(line, Line::Device(_)));
    let at = saw(&lines, is_answer(|answer| *answer == Answer::Fenced)).expect("fenced");
    (lines, at)
}

/// A node's request reaches the device, and the answer the node.
fn exchange(walk: &mut Walk, node: usize) {
    let at = walk.system.requests.iter().position(|request| request.node == node);
    walk.act(Action::Deliver(at.expect("a request"), Reaction::Accept));
    let at = walk.system.replies.iter().position(|reply| reply.node == node);
    walk.act(Action::Answer(at.expect("an answer")));
}

#[test]
fn a_device_that_accepts_an_older_election_id_as_nodes_see_it() {
    let (mut lines, at) = fenced_for_sure();
    good(&lines);
    *answer_mut(&mut lines[at]) = Answer::Accepted;
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::OlderElection { .. }), "{reason}");
}

#[test]
fn a_device_without_arbitration_may_accept_anything() {
    let (mut lines, at) = fenced_for_sure();
    *answer_mut(&mut lines[at]) = Answer::Accepted;
    let Line::Header(header) = &mut lines[0] else { panic!("a header") };
    header.unfenced.insert(Target::new("t1").expect("a name"));
    // Then the node would have gone on another way, and that is what is found.
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::NotTheProtocol(_)), "{reason}");
}

#[test]
fn a_device_that_fences_for_no_reason() {
    let claims = |line: &Line| took(line).is_some_and(|took| took.answer == Answer::Accepted);
    let (mut lines, at) = run_with("two", |lines| lines.iter().position(claims));
    took_mut(&mut lines[at]).answer = Answer::Fenced;
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::NotFenced { .. }), "{reason}");
}

#[test]
fn a_request_taken_twice_or_by_another_term() {
    let (lines, at) = run_with("two", |lines| lines.iter().position(|line| took(line).is_some()));
    let mut twice = lines.clone();
    twice.insert(at + 1, lines[at].clone());
    let reason = found_at(&twice, at + 1);
    assert!(matches!(reason, Reason::NotSent { .. }), "{reason}");
    let mut other = lines;
    took_mut(&mut other[at]).term = Term::new(9);
    let reason = found_at(&other, at);
    assert!(matches!(reason, Reason::NotSent { .. }), "{reason}");
}

#[test]
fn a_connection_with_an_old_number() {
    let again = |lines: &[Line]| {
        let connected = |event: &Event| matches!(event, Event::Connected { .. });
        let first = saw(lines, connected)?;
        let after = &lines[first + 1..];
        saw(after, connected).map(|at| first + 1 + at)
    };
    let (mut lines, at) = run_with("atomic", again);
    let Event::Connected { connection, .. } = event_mut(&mut lines[at]) else {
        panic!("connected")
    };
    *connection = lockstep_types::Connection::new(1);
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::OldConnection { .. }), "{reason}");
}

#[test]
fn a_request_lost_from_the_record() {
    let sends = |c: &Command| matches!(c, Command::Send { .. });
    let (mut lines, at) = run_with("two", |lines| crate::support::did(lines, sends));
    step_mut(&mut lines[at]).did.retain(|command| !sends(command));
    assert!(matches!(found_at(&lines, at), Reason::NotTheProtocol(_)));
}

//! What a step says of itself must fit what it saw and did.

use lockstep_model::trace::Reason;
use lockstep_model::trace::line::{Line, Step};
use lockstep_protocol::{Command, Event, Wake};
use lockstep_types::{Revision, SessionId, Timestamp};

use crate::support::{did, event_mut, found_at, run, run_with, saw, step_mut};

fn account(damage: impl Fn(&mut Step)) -> String {
    let (mut lines, at) =
        run_with("two", |lines| did(lines, |c| matches!(c, Command::Send { .. })));
    damage(step_mut(&mut lines[at]));
    match found_at(&lines, at) {
        Reason::Account(difference) => difference.at,
        other => panic!("{other}"),
    }
}

#[test]
fn the_revision_it_read() {
    assert_eq!(account(|step| step.read = step.read.next()), "read");
}

#[test]
fn the_revision_it_learned_of() {
    assert_eq!(account(|step| step.written = Some(Revision::new(99))), "written");
}

#[test]
fn what_it_concerned() {
    assert_eq!(account(|step| step.context = [Wake::Append].into()), "context[0]");
}

#[test]
fn a_node_that_never_began() {
    let mut lines = run("two", 1);
    let at = lines.iter().position(|line| matches!(line, Line::Step(_))).expect("a step");
    let ghost = SessionId::new("ghost").expect("a name");
    step_mut(&mut lines[at]).session = ghost.clone();
    assert_eq!(found_at(&lines, at), Reason::UnknownSession(ghost));
}

#[test]
fn a_clock_that_goes_back() {
    let late = |e: &Event| matches!(e, Event::Tick(now) if *now > Timestamp::ZERO);
    let again = |lines: &[Line]| {
        let first = saw(lines, late)?;
        let after = &lines[first + 1..];
        saw(after, |e| matches!(e, Event::Tick(_))).map(|at| first + 1 + at)
    };
    let (mut lines, at) = run_with("atomic", again);
    *event_mut(&mut lines[at]) = Event::Tick(Timestamp::ZERO);
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::ClockBack { .. }), "{reason}");
}

#[test]
fn a_verdict_on_something_else() {
    let verdict = |e: &Event| matches!(e, Event::Verdict { .. });
    let (mut lines, at) = run_with("two", |lines| saw(lines, verdict));
    let Event::Verdict { verdict, .. } = event_mut(&mut lines[at]) else { panic!("a verdict") };
    for base in verdict.bases.values_mut() {
        base.configuration = Revision::new(99);
    }
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::Unasked(_)), "{reason}");
}

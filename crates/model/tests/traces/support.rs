//! Runs to damage, and looking at what the checker says.

use std::sync::Arc;

use lockstep_model::scenario::find;
use lockstep_model::trace::line::{Line, Saw, Step};
use lockstep_model::trace::{Error, Finding, Reason, Report, check};
use lockstep_model::walk::walk;
use lockstep_protocol::{Command, Event};
use lockstep_types::SessionId;

/// The lines of one run.
pub(crate) fn run(scenario: &str, seed: u64) -> Vec<Line> {
    let scenario = find(scenario).expect("a scenario");
    walk(&Arc::clone(&scenario), seed, 200).lines
}

/// The first run of a scenario in which something can be pointed at.
pub(crate) fn run_with<T>(scenario: &str, point: impl Fn(&[Line]) -> Option<T>) -> (Vec<Line>, T) {
    let found = (0..200).find_map(|seed| {
        let lines = run(scenario, seed);
        let at = point(&lines)?;
        Some((lines, at))
    });
    found.expect("no run of the scenario has that")
}

/// The text of a trace.
pub(crate) fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| serde_json::to_string(line).expect("a line") + "\n").collect()
}

/// What a good trace is made of.
pub(crate) fn good(lines: &[Line]) -> Report {
    check(text(lines).as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// What is found in a bad one.
pub(crate) fn found(text: &str) -> Finding {
    match check(text.as_bytes()) {
        Err(Error::Found(finding)) => *finding,
        other => panic!("nothing was found: {other:?}"),
    }
}

/// That the line at this place, counted from zero, is the first that is wrong. Gives the reason.
pub(crate) fn found_at(lines: &[Line], at: usize) -> Reason {
    let finding = found(&text(lines));
    assert_eq!(finding.line, at + 1, "{finding}");
    finding.reason
}

/// A step.
pub(crate) fn step(line: &Line) -> Option<&Step> {
    match line {
        Line::Step(step) => Some(step),
        _ => None,
    }
}

/// A step, to be damaged.
pub(crate) fn step_mut(line: &mut Line) -> &mut Step {
    match line {
        Line::Step(step) => step,
        other => panic!("not a step: {other:?}"),
    }
}

/// What a step saw.
pub(crate) fn event(line: &Line) -> Option<&Event> {
    match &step(line)?.saw {
        Saw::Event(event) => Some(event),
        Saw::Start => None,
    }
}

/// What a step saw, to be damaged.
pub(crate) fn event_mut(line: &mut Line) -> &mut Event {
    match &mut step_mut(line).saw {
        Saw::Event(event) => event,
        Saw::Start => panic!("nothing was seen"),
    }
}

/// Where a step did something like this.
pub(crate) fn did(lines: &[Line], like: impl Fn(&Command) -> bool) -> Option<usize> {
    lines.iter().position(|line| step(line).is_some_and(|step| step.did.iter().any(&like)))
}

/// Where a step saw something like this.
pub(crate) fn saw(lines: &[Line], like: impl Fn(&Event) -> bool) -> Option<usize> {
    lines.iter().position(|line| event(line).is_some_and(&like))
}

/// Where the next step of a session is, from a place on.
pub(crate) fn next_of(lines: &[Line], session: &SessionId, from: usize) -> Option<usize> {
    let is = |line: &Line| step(line).is_some_and(|step| step.session == *session);
    lines.iter().skip(from).position(is).map(|at| from + at)
}

/// Numbers the steps of a session again, so that the numbers give nothing away.
pub(crate) fn renumber(lines: &mut [Line], session: &SessionId) {
    let mut number = 0;
    for line in lines {
        if let Line::Step(step) = line
            && step.session == *session
        {
            number += 1;
            step.number = number;
        }
    }
}

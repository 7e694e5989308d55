//! The store did something that a store does not do.

use lockstep_model::trace::Reason;
use lockstep_model::trace::line::{Line, Nodes};
use lockstep_protocol::record::Head;
use lockstep_protocol::{Changes, Command, Event, Op, Txn, Wake, Written};
use lockstep_types::{Revision, Timestamp};

use crate::support::{event, event_mut, found_at, run, run_with, saw, step};

fn watched(line: &Line) -> Option<&Changes> {
    match event(line)? {
        Event::Watch(changes) => Some(changes),
        _ => None,
    }
}

/// The first places where the same session sees one revision and then the next.
fn two_in_a_row(lines: &[Line]) -> Option<(usize, usize)> {
    let first = lines.iter().position(|line| watched(line).is_some())?;
    let session = &step(&lines[first])?.session;
    let second = (first + 1..lines.len()).find(|at| {
        watched(&lines[*at]).is_some() && step(&lines[*at]).is_some_and(|s| s.session == *session)
    })?;
    Some((first, second))
}

/// Where a revision is seen for the first time that a node decided on.
fn first_seen(lines: &[Line]) -> Option<usize> {
    lines.iter().position(|line| {
        watched(line)
            .is_some_and(|changes| changes.ops.iter().any(|op| matches!(op, Op::Transaction(_))))
    })
}

/// The last revision that is known before a place.
fn known(lines: &[Line], before: usize) -> Revision {
    let of = |line: &Line| match line {
        Line::Outside(changes) => Some(changes.revision),
        line => watched(line).map(|changes| changes.revision),
    };
    lines[..before].iter().filter_map(of).max().expect("a revision")
}

#[test]
fn two_revisions_swapped() {
    let (mut lines, (first, second)) = run_with("two", two_in_a_row);
    let one = event(&lines[first]).expect("seen").clone();
    let other = std::mem::replace(event_mut(&mut lines[second]), one);
    *event_mut(&mut lines[first]) = other;
    let reason = found_at(&lines, first);
    assert!(matches!(reason, Reason::Gap { .. } | Reason::Nobody { .. }), "{reason}");
}

#[test]
fn a_revision_that_one_node_does_not_see() {
    let session = |lines: &[Line]| {
        let (first, _) = two_in_a_row(lines)?;
        step(&lines[first]).map(|step| (first, step.session.clone()))
    };
    let (mut lines, (at, session)) = run_with("stale", session);
    lines.remove(at);
    crate::support::renumber(&mut lines, &session);
    let finding = crate::support::found(&crate::support::text(&lines));
    assert!(finding.line > at, "{finding}");
}

#[test]
fn an_op_changed_where_it_is_first_seen() {
    let (mut lines, at) = run_with("two", first_seen);
    change_an_op(event_mut(&mut lines[at]));
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::OtherOps { .. }), "{reason}");
}

#[test]
fn an_op_changed_where_it_is_seen_again() {
    let again = |lines: &[Line]| {
        let at = first_seen(lines)?;
        let revision = watched(&lines[at])?.revision;
        (at + 1..lines.len())
            .find(|at| watched(&lines[*at]).is_some_and(|changes| changes.revision == revision))
    };
    let (mut lines, at) = run_with("crash", again);
    change_an_op(event_mut(&mut lines[at]));
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::OtherContent { .. }), "{reason}");
}

fn change_an_op(event: &mut Event) {
    let Event::Watch(changes) = event else { panic!("{event:?}") };
    for op in &mut changes.ops {
        if let Op::Transaction(transaction) = op {
            transaction.submitted = Timestamp::new(123);
        }
    }
}

/// A write whose node is told that it did not happen: where it is told, and the write. One that nobody
/// else made as well: two nodes may undo the same thing in the store, and then it did happen.
fn failed(lines: &[Line]) -> Option<(usize, Txn)> {
    let at = saw(lines, |event| matches!(event, Event::Written { result: Written::Stale(_), .. }))?;
    let Event::Written { wake, .. } = event(&lines[at])? else { return None };
    let session = &step(&lines[at])?.session;
    let txn = lines[..at].iter().rev().filter_map(step).filter(|s| s.session == *session);
    let txn = txn.flat_map(|step| &step.did).find_map(|command| match command {
        Command::Write { wake: by, txn } if by == wake => Some(txn.clone()),
        _ => None,
    })?;
    (writes(lines).filter(|made| made.ops == txn.ops).count() == 1).then_some((at, txn))
}

/// Every write that a node wants.
fn writes(lines: &[Line]) -> impl Iterator<Item = &Txn> {
    let did = lines.iter().filter_map(step).flat_map(|step| &step.did);
    did.filter_map(|command| match command {
        Command::Write { txn, .. } => Some(txn),
        _ => None,
    })
}

#[test]
fn a_write_that_should_have_failed() {
    let (mut lines, (at, txn)) = run_with("writes", failed);
    let revision = known(&lines, at).next();
    lines.insert(at, Line::Outside(Changes { revision, ops: txn.ops }));
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::CompareFails { .. }), "{reason}");
}

#[test]
fn a_write_that_failed_and_is_said_to_have_happened() {
    let (mut lines, (at, _)) = run_with("writes", failed);
    let Event::Written { result, .. } = event_mut(&mut lines[at]) else { panic!("written") };
    let Written::Stale(revision) = *result else { panic!("stale") };
    *result = Written::Done(revision);
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::NotThisWrite { .. }), "{reason}");
}

#[test]
fn a_revision_out_of_nowhere() {
    let mut lines = run("two", 1);
    let head = Op::Head(Head::default());
    let revision = known(&lines, lines.len()).next();
    lines.push(Line::Outside(Changes { revision, ops: vec![head] }));
    let reason = found_at(&lines, lines.len() - 1);
    assert_eq!(reason, Reason::Nobody { revision });
}

#[test]
fn an_answer_to_a_write_that_was_not_made() {
    let mut lines = run("two", 1);
    let mut last = lines.iter().rev().find_map(step).expect("a step").clone();
    last.number += 1;
    let wake = Wake::Append;
    let result = Written::Stale(Revision::ZERO);
    last.saw = lockstep_model::trace::line::Saw::Event(Event::Written { wake, result });
    lines.push(Line::Step(last));
    assert_eq!(found_at(&lines, lines.len() - 1), Reason::NoWrite(Wake::Append));
}

#[test]
fn a_session_that_begins_twice() {
    let mut lines = run("two", 1);
    let begins = |line: &Line| matches!(line, Line::Begin(_));
    let at = lines.iter().position(begins).expect("a node begins");
    lines.insert(at + 1, lines[at].clone());
    let reason = found_at(&lines, at + 1);
    assert!(matches!(reason, Reason::SessionAgain(_)), "{reason}");
}

#[test]
fn a_node_that_begins_on_what_nobody_saw() {
    let mut lines = run("two", 1);
    let begins = |line: &Line| matches!(line, Line::Begin(_));
    let at = lines.iter().position(begins).expect("a node begins");
    let Line::Begin(begin) = &mut lines[at] else { panic!("a node begins") };
    begin.read = begin.read.next();
    let reason = found_at(&lines, at);
    assert!(matches!(reason, Reason::Ahead { .. }), "{reason}");
}

/// A store that others write to as well is held against the invariants all the same.
#[test]
fn a_guarantee_broken_by_a_node_that_is_not_here() {
    let mut lines = run("two", 1);
    let Line::Header(header) = &mut lines[0] else { panic!("a header") };
    header.nodes = Nodes::Some;
    crate::support::good(&lines);
    let revision = known(&lines, lines.len()).next();
    let decided =
        lines.iter().filter_map(watched).flat_map(|changes| &changes.ops).find_map(|op| match op {
            Op::Configuration { target, header, .. } if header.committed.index.get() > 0 => {
                Some((target.clone(), header.clone()))
            }
            _ => None,
        });
    let (target, mut header) = decided.expect("something was decided");
    header.committed = lockstep_protocol::record::Mark::default();
    let (committed, applied) = Default::default();
    let back = Op::Configuration { target, header, committed, applied, cleared: false };
    lines.push(Line::Outside(Changes { revision, ops: vec![back] }));
    let reason = found_at(&lines, lines.len() - 1);
    assert_eq!(reason, Reason::Broken { guarantee: "Order", revision });
}

//! A node did something else than the protocol does.

use lockstep_model::trace::Reason;
use lockstep_model::trace::line::Line;
use lockstep_protocol::record::Status;
use lockstep_protocol::{Command, Op, Reply};
use lockstep_types::Sequence;

use crate::support::{did, found_at, next_of, run, run_with, saw, step, step_mut};

/// The place of the first difference, of a step that is not what the protocol does.
fn difference(reason: Reason) -> String {
    match reason {
        Reason::NotTheProtocol(difference) => difference.at,
        other => panic!("{other}"),
    }
}

#[test]
fn a_request_changed() {
    let (mut lines, at) =
        run_with("two", |lines| did(lines, |c| matches!(c, Command::Send { .. })));
    for command in &mut step_mut(&mut lines[at]).did {
        if let Command::Send { sequence, .. } = command {
            *sequence = Sequence::new(77);
        }
    }
    assert_eq!(difference(found_at(&lines, at)), "did[0].send.sequence");
}

#[test]
fn a_command_left_out() {
    let lines = run("mixed", 4);
    let acts = |line: &Line| step(line).is_some_and(|step| !step.did.is_empty());
    for at in (0..lines.len()).filter(|at| acts(&lines[*at])) {
        let mut lines = lines.clone();
        step_mut(&mut lines[at]).did.clear();
        assert!(difference(found_at(&lines, at)).starts_with("did[0]"));
    }
}

#[test]
fn a_command_too_many() {
    let (mut lines, at) =
        run_with("two", |lines| did(lines, |c| matches!(c, Command::Write { .. })));
    let again = step_mut(&mut lines[at]).did[0].clone();
    step_mut(&mut lines[at]).did.push(again);
    assert_eq!(difference(found_at(&lines, at)), "did[1]");
}

#[test]
fn a_compare_dropped() {
    let (mut lines, at) =
        run_with("two", |lines| did(lines, |c| matches!(c, Command::Write { .. })));
    for command in &mut step_mut(&mut lines[at]).did {
        if let Command::Write { txn, .. } = command {
            txn.compares.pop();
        }
    }
    let place = difference(found_at(&lines, at));
    assert!(place.starts_with("did[0].write.txn.compares["), "{place}");
}

#[test]
fn an_op_changed_where_it_is_written() {
    let decides = |op: &Op| matches!(op, Op::Transaction(t) if t.status == Status::Committed);
    let writes =
        |c: &Command| matches!(c, Command::Write { txn, .. } if txn.ops.iter().any(decides));
    let (mut lines, at) = run_with("two", |lines| did(lines, writes));
    for command in &mut step_mut(&mut lines[at]).did {
        if let Command::Write { txn, .. } = command {
            for op in &mut txn.ops {
                if let Op::Transaction(transaction) = op {
                    transaction.status = Status::Applied;
                }
            }
        }
    }
    let place = difference(found_at(&lines, at));
    assert!(place.ends_with(".transaction.status"), "{place}");
}

#[test]
fn a_client_told_something_else() {
    let tells = |c: &Command| {
        matches!(c, Command::Answer { reply: Reply::Transaction { status, .. }, .. }
            if *status == Status::Reverted)
    };
    let (mut lines, at) = run_with("two", |lines| did(lines, tells));
    for command in &mut step_mut(&mut lines[at]).did {
        if let Command::Answer { reply: Reply::Transaction { status, .. }, .. } = command {
            *status = Status::Applied;
        }
    }
    let reason = found_at(&lines, at);
    let Reason::Told { told, holds, .. } = reason else { panic!("{reason}") };
    assert_eq!((told, holds), (Status::Applied, Some(Status::Reverted)));
}

#[test]
fn a_step_left_out() {
    let lines = run("crash", 2);
    let steps = (0..lines.len()).filter(|at| step(&lines[*at]).is_some());
    for at in steps {
        let mut lines = lines.clone();
        let Line::Step(gone) = lines.remove(at) else { panic!("a step") };
        match next_of(&lines, &gone.session, at) {
            Some(next) => {
                // Something else may come to light before the gap does, but not before the loss.
                let finding = crate::support::found(&crate::support::text(&lines));
                assert!((at + 1..=next + 1).contains(&finding.line), "{finding}");
                if finding.line == next + 1 {
                    assert_eq!(finding.reason, Reason::Missing { expected: gone.number });
                }
            }
            None => drop(gone),
        }
    }
}

#[test]
fn a_step_left_out_and_the_others_numbered_anew() {
    let accepted =
        |e: &lockstep_protocol::Event| matches!(e, lockstep_protocol::Event::Answered { .. });
    let (mut lines, at) = run_with("two", |lines| saw(lines, accepted));
    let Line::Step(gone) = lines.remove(at) else { panic!("a step") };
    crate::support::renumber(&mut lines, &gone.session);
    // What the node did next follows from an answer that it never had.
    let finding = crate::support::found(&crate::support::text(&lines));
    assert!(finding.line > at, "{finding}");
}

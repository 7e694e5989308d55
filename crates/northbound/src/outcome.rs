//! What became of a transaction, as status details and as an error.

use lockstep_gnmi::code;
use lockstep_gnmi::proto::lockstep::v1::{Outcome, TargetOutcome};
use lockstep_node::{Busy, Handle};
use lockstep_protocol::record::{PartStatus, Reason, Status as Outcomes, Transaction};
use lockstep_types::Target;
use tonic::{Code, Status};

use crate::guard::Call;
use crate::teller::Teller;
use crate::{standing, text};

/// An error for a transaction that is in the log and did not go well, with its outcome as details.
pub(crate) fn error(teller: &Teller<'_>, transaction: &Transaction) -> Status {
    let (code, why) = match (&transaction.reason, transaction.status) {
        (_, Outcomes::Partial) => (Code::Aborted, partial(teller, transaction)),
        (Some(Reason::Deadline), _) => (Code::DeadlineExceeded, deadline(teller, transaction)),
        (Some(reason), _) => text::reason(&teller.reason(transaction, None, reason)),
        (None, _) => (Code::DeadlineExceeded, open(teller, transaction)),
    };
    let left = to_be_reached(transaction);
    let (word, _) = standing::of(transaction.status);
    let message = format!("transaction {} {word}: {why}{left}", transaction.index);
    lockstep_gnmi::outcome::status(code, message, &outcome(teller, transaction))
}

/// A node that stops: with the outcome so far, where there is one.
pub(crate) fn busy(node: &Handle, call: &Call, busy: Busy) -> Status {
    let view = node.view();
    let known = match busy {
        Busy::Stopping | Busy::Unwritten | Busy::Late => None,
        Busy::Stopped(index) => view.transaction(index),
    };
    known.map_or_else(
        || Status::unavailable(busy.to_string()),
        // Nobody here will know what becomes of it. Another node will, by its id.
        |transaction| {
            let outcome = outcome(&Teller::own(node, call, &view), transaction);
            let message = format!("{busy}; ask again under the id {}", transaction.id);
            lockstep_gnmi::outcome::status(Code::Unavailable, message, &outcome)
        },
    )
}

/// What took too long, target by target. Where a device refused the undo since, that is what is known of it now.
fn deadline(teller: &Teller<'_>, transaction: &Transaction) -> String {
    let late = transaction.targets.iter().filter_map(|(target, part)| {
        match teller.reason(transaction, Some(target), part.reason.as_ref()?) {
            Reason::Waited(wait) => {
                Some(format!("target {target} waited for {}", text::wait(&wait)))
            }
            refused @ Reason::Refused { .. } => Some(text::reason(&refused).1),
            _ => None,
        }
    });
    let late: Vec<String> = late.collect();
    let (_, words) = text::reason(&Reason::Deadline);
    if late.is_empty() { words } else { format!("{words}: {}", late.join("; ")) }
}

/// What one that goes on waits for.
fn open(teller: &Teller<'_>, transaction: &Transaction) -> String {
    let waits = transaction.targets.keys().filter_map(|target| {
        let wait = teller.waiting_for(transaction, target)?;
        Some(format!("target {target} waits for {wait}"))
    });
    let waits: Vec<String> = waits.collect();
    format!("it goes on, and is not done yet: {}", waits.join("; "))
}

/// What a queued one came to where it was withdrawn.
fn partial(teller: &Teller<'_>, transaction: &Transaction) -> String {
    let withdrawn = transaction.targets.iter().filter(|(_, p)| p.status == PartStatus::Withdrawn);
    let because = withdrawn.map(|(target, part)| match &part.reason {
        Some(reason) => text::reason(&teller.reason(transaction, Some(target), reason)).1,
        None => format!("withdrawn on target {target}"),
    });
    because.collect::<Vec<_>>().join("; ")
}

/// The targets that are still to be brought back, named.
fn to_be_reached(transaction: &Transaction) -> String {
    if transaction.status != Outcomes::Reverting {
        return String::new();
    }
    let open =
        |status| matches!(status, PartStatus::Pending | PartStatus::Accepted | PartStatus::Applied);
    let targets = transaction.targets.iter().filter(|(_, part)| open(part.status));
    let names: Vec<&str> = targets.map(|(target, _)| target.as_str()).collect();
    format!("; still to be undone on {}", names.join(", "))
}

/// What became of a transaction, target by target.
pub(crate) fn outcome(teller: &Teller<'_>, transaction: &Transaction) -> Outcome {
    let targets = transaction.targets.iter().map(|(target, part)| {
        let reason = standing::reason(transaction, target, part);
        let reason = reason.map(|reason| teller.reason(transaction, Some(target), &reason));
        let (status, stage) = standing::there(transaction.status, part);
        let (code, message) = reason.as_ref().map(device).unwrap_or_default();
        let path = reason.as_ref().map(text::place).unwrap_or_default();
        let one = TargetOutcome {
            status: status.into(),
            stage: stage.into(),
            code,
            message,
            waiting_for: waiting_for(teller, transaction, target),
            path,
        };
        (target.to_string(), one)
    });
    let (status, stage) = standing::of(transaction.status);
    Outcome {
        id: transaction.id.to_string(),
        index: transaction.index.get(),
        status: status.into(),
        stage: stage.into(),
        targets: targets.collect(),
        left_out: 0,
    }
}

/// The device's own code and words where it spoke, ours where it did not.
pub(crate) fn device(reason: &Reason) -> (String, String) {
    match reason {
        Reason::Refused { failure, .. } => (failure.code.clone(), failure.message.clone()),
        other => {
            let (code, message) = text::reason_there(other);
            (code::name(code).into(), message)
        }
    }
}

/// What is waited for on a target; empty: nothing.
pub(crate) fn waiting_for(
    teller: &Teller<'_>,
    transaction: &Transaction,
    target: &Target,
) -> String {
    teller.waiting_for(transaction, target).unwrap_or_default()
}

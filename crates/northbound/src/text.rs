//! The words in which users are told: statuses, reasons, waits.

use lockstep_protocol::record::{Kind, Mode, PartStatus, Reason, Status, Violation};
use lockstep_protocol::view::Wait;
use tonic::Code;

/// The word for a status.
pub(crate) const fn status(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::Committed => "committed",
        Status::Reverting => "reverting",
        Status::Applied => "applied",
        Status::Partial => "partial",
        Status::Rejected => "rejected",
        Status::Reverted => "reverted",
        Status::Cancelled => "cancelled",
    }
}

/// The word for a status on one target.
pub(crate) const fn part(status: PartStatus) -> &'static str {
    match status {
        PartStatus::Pending => "pending",
        PartStatus::Applied => "applied",
        PartStatus::Refused => "refused",
        PartStatus::Withdrawn => "withdrawn",
        PartStatus::Undone => "undone",
    }
}

/// The word for a kind.
pub(crate) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Change => "change",
        Kind::Rollback { .. } => "rollback",
    }
}

/// The word for a mode.
pub(crate) const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Atomic => "atomic",
        Mode::Queued => "queued",
    }
}

/// Why something did not go well: the code that says so to a client, and the sentence.
pub(crate) fn reason(reason: &Reason) -> (Code, String) {
    match reason {
        Reason::Invalid(violations) => (Code::InvalidArgument, rules(violations)),
        Reason::InvalidAfterWithdrawal(violations) => {
            let rules = rules(violations);
            (
                Code::Aborted,
                format!("no longer valid since a change below it was withdrawn: {rules}"),
            )
        }
        Reason::Deadline => {
            (Code::DeadlineExceeded, "not done everywhere before its deadline".into())
        }
        Reason::Waited(wait) => {
            (Code::DeadlineExceeded, format!("waited for {} too long", self::wait(wait)))
        }
        Reason::Refused { target, failure } => (
            Code::Aborted,
            format!("target {target} refused it: {}: {}", failure.code, failure.message),
        ),
        Reason::Cancelled => (Code::Aborted, "it was cancelled".into()),
        Reason::NotCommitted(of) => (
            Code::FailedPrecondition,
            format!("transaction {of} was never committed, so there is nothing to roll back"),
        ),
        Reason::NotLive(of) => (
            Code::FailedPrecondition,
            format!("transaction {of} is in force on none of these targets any more"),
        ),
        Reason::Superseded { target, by } => (
            Code::FailedPrecondition,
            format!("transaction {by} came later on target {target}; roll that back first"),
        ),
    }
}

fn rules(violations: &[Violation]) -> String {
    let rule = |v: &Violation| format!("target {}: {}: {}", v.target, v.path, v.message);
    violations.iter().map(rule).collect::<Vec<_>>().join("; ")
}

/// What a transaction waits for on a target.
pub(crate) fn wait(wait: &Wait) -> String {
    match wait {
        Wait::Behind(index) => format!("transaction {index} to be decided first"),
        Wait::Held(index) => {
            format!("transaction {index}, which holds the target until it has an outcome")
        }
        Wait::Recheck => "what is committed to be validated again after a withdrawal".into(),
        Wait::Verdict => "its validation".into(),
        Wait::Turn(index) => format!("transaction {index} to be applied first"),
        Wait::Connection => "a connection to the device".into(),
        Wait::Synchronising => "the device to be brought in line".into(),
        Wait::Resync(failure) => {
            format!(
                "the device to be brought in line, which it refuses: {}: {}",
                failure.code, failure.message
            )
        }
        Wait::Device => "the device's answer".into(),
    }
}

//! The words in which users are told: kinds, reasons, waits.

use lockstep_gnmi::brief::brief;
use lockstep_protocol::record::{Kind, Mode, Reason, Transaction, Violation, Window, WindowStage};
use lockstep_protocol::view::Wait;
use lockstep_types::{Content, Keys, Timestamp};
use tonic::Code;

/// The word for a kind.
pub(crate) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Change => "change",
        Kind::Rollback { .. } => "rollback",
        Kind::Restore { .. } => "restore",
        Kind::Adopt { .. } => "adopt",
        Kind::Add => "add",
        Kind::Rebind => "rebind",
        Kind::Remove => "remove",
    }
}

/// The word for a mode.
pub(crate) const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Atomic => "atomic",
        Mode::Queued => "queued",
    }
}

/// The word for how far the window of a change is. One that never opens has none.
pub(crate) fn stage(change: &Transaction, window: Window) -> &'static str {
    match window.stage {
        WindowStage::Asked if change.status.is_final() => "",
        WindowStage::Asked => "waiting",
        WindowStage::Open { .. } => "open",
        WindowStage::Confirmed => "confirmed",
        WindowStage::Reverted => "reverted",
    }
}

/// A time as others write it.
pub(crate) fn time(at: Timestamp) -> prost_types::Timestamp {
    const SECOND: u64 = 1_000_000_000;
    prost_types::Timestamp {
        seconds: i64::try_from(at.get() / SECOND).unwrap_or(i64::MAX),
        nanos: i32::try_from(at.get() % SECOND).unwrap_or_default(),
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
                format!("no longer valid on what stands below it by now: {rules}"),
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
            format!(
                "target {target} refused it: {}: {}",
                failure.code,
                brief(&failure.message, WORDS)
            ),
        ),
        Reason::Incomplete => (
            Code::Aborted,
            "its node stopped before all of it was written; nothing of it took effect, send it again".into(),
        ),
        Reason::NoTarget(target) => (Code::NotFound, format!("there is no target {target} any more")),
        Reason::TargetExists(target) => {
            (Code::AlreadyExists, format!("there is a target {target} already"))
        }
        Reason::Removed(by) => {
            (
                Code::FailedPrecondition,
                format!("its target was removed by transaction {by} before its device had it"),
            )
        }
        Reason::Cancelled => (Code::Aborted, "it was cancelled".into()),
        Reason::NotCommitted(of) => (
            Code::FailedPrecondition,
            format!("transaction {of} is not committed, so there is nothing to roll back"),
        ),
        Reason::BeyondRetention(horizon) => (
            Code::OutOfRange,
            format!("what it names is beyond retention: the log is kept from {horizon} on"),
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

/// Where in the configuration, as far as that is known.
pub(crate) fn place(reason: &Reason) -> String {
    match reason {
        Reason::Invalid(broken) | Reason::InvalidAfterWithdrawal(broken) => {
            broken.first().map(|violation| violation.path.to_string()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The same, of one target alone and beside its name.
pub(crate) fn reason_there(reason: &Reason) -> (Code, String) {
    let (code, message) = self::reason(reason);
    match reason {
        Reason::Invalid(violations) => (code, listed(violations, rule)),
        _ => (code, message),
    }
}

/// How many violations are told one by one. The others are of the same mistake more often than not.
const RULES: usize = 5;
/// How many bytes of a device's words, or of a rule's, are passed on in a sentence.
const WORDS: usize = 400;

fn rules(violations: &[Violation]) -> String {
    listed(violations, |v| format!("target {}: {}", v.target, rule(v)))
}

/// What is not valid, where it stands beside the name of its target.
fn rule(v: &Violation) -> String {
    format!("{}: {}", v.path, brief(&v.message, WORDS))
}

fn listed(violations: &[Violation], told: impl Fn(&Violation) -> String) -> String {
    let told: Vec<String> = violations.iter().take(RULES).map(told).collect();
    match violations.len().saturating_sub(RULES) {
        0 => told.join("; "),
        more => format!("{}; and {more} more", told.join("; ")),
    }
}

/// What a unit of state holds, in a line.
pub(crate) fn content(content: &Content) -> String {
    let several = |values: Vec<String>| format!("[{}]", values.join(", "));
    match content {
        Content::Leaf(value) => value.to_string(),
        Content::LeafList(values) => several(values.iter().map(ToString::to_string).collect()),
        Content::Entry | Content::Presence => "present".into(),
        Content::Order(keys) => {
            let entry = |keys: &Keys| keys.values().cloned().collect::<Vec<_>>().join(" ");
            several(keys.iter().map(entry).collect())
        }
    }
}

/// What a transaction waits for on a target.
pub(crate) fn wait(wait: &Wait) -> String {
    match wait {
        Wait::Behind(index) => format!("transaction {index} to be decided first"),
        Wait::Held(index) => {
            format!("transaction {index}, which holds the target until it has an outcome")
        }
        Wait::Recheck => {
            "what is committed to be validated again, after a withdrawal or an adoption".into()
        }
        Wait::Verdict => "its validation".into(),
        Wait::Others => "its other targets".into(),
        Wait::Turn(index) => format!("transaction {index} to be applied first"),
        Wait::Paused => "an operator to resume the target".into(),
        Wait::Connection => "a connection to the device".into(),
        Wait::Synchronising => "the device to be brought in line".into(),
        Wait::Resync(failure) => {
            format!(
                "the device to be brought in line, which it refuses: {}: {}",
                failure.code, failure.message
            )
        }
        Wait::Device => "the device's answer".into(),
        Wait::Trial => "the other devices: this one has it on trial".into(),
        Wait::Confirming => "the device to confirm what it has on trial".into(),
    }
}

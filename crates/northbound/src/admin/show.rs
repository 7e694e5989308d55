//! Transactions and targets as they are shown.

use lockstep_gnmi::code;
use lockstep_gnmi::proto::lockstep::v1::{Failure, Target, Transaction, TransactionTarget};
use lockstep_node::{Fencing, TargetStatus};
use lockstep_protocol::View;
use lockstep_protocol::record::{self, Kind, Reason};

use crate::{outcome, text};

/// A transaction, with what it waits for now.
pub(super) fn transaction(view: &View, shown: &record::Transaction) -> Transaction {
    let targets = shown.targets.iter().map(|(target, part)| {
        let one = TransactionTarget {
            status: part.status.name().into(),
            error: part.reason.as_ref().map(failure_there),
            waiting_for: outcome::waiting_for(view, shown, target),
        };
        (target.to_string(), one)
    });
    let (of, to) = match shown.kind {
        Kind::Rollback { of, .. } => (of.get(), 0),
        Kind::Restore { to } => (0, to.get()),
        _ => (0, 0),
    };
    Transaction {
        index: shown.index.get(),
        id: shown.id.to_string(),
        kind: text::kind(shown.kind).into(),
        status: shown.status.name().into(),
        author: shown.author.clone(),
        comment: shown.comment.clone(),
        submitted: Some(text::time(shown.submitted)),
        decided: shown.decided.map(text::time),
        finished: shown.finished.map(text::time),
        waiting_for: waiting_for(view, shown),
        error: shown.reason.as_ref().map(failure),
        rolled_back_by: rolled_back_by(shown),
        targets: targets.collect(),
        mode: text::mode(shown.mode).into(),
        of,
        to,
        window: shown.window.map(|window| text::stage(shown, window)).unwrap_or_default().into(),
        confirm_until: shown.open_until().map(text::time),
    }
}

/// The first target that holds it up, and with what.
fn waiting_for(view: &View, shown: &record::Transaction) -> String {
    let waits = shown.targets.keys().filter_map(|target| {
        let wait = view.waiting_for(shown, target)?;
        Some(format!("target {target}: {}", text::wait(&wait)))
    });
    waits.take(1).collect()
}

/// The Rollback that took it out of its last target.
fn rolled_back_by(shown: &record::Transaction) -> u64 {
    let by = shown.targets.values().filter_map(|part| part.rolled_back_by).max();
    by.map_or(0, lockstep_types::Index::get)
}

/// Why a transaction did not go well: with the code that its client was told.
fn failure(reason: &Reason) -> Failure {
    let (code, message) = text::reason(reason);
    Failure { code: code::name(code).into(), message, path: path(reason) }
}

/// Why it did not go well on one target: a device that refused speaks for itself.
fn failure_there(reason: &Reason) -> Failure {
    let (code, message) = outcome::device(reason);
    Failure { code, message, path: path(reason) }
}

/// Where in the configuration, as far as that is known.
fn path(reason: &Reason) -> String {
    match reason {
        Reason::Invalid(broken) | Reason::InvalidAfterWithdrawal(broken) => {
            broken.first().map(|violation| violation.path.to_string()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// A target.
pub(super) fn target(status: TargetStatus) -> Target {
    Target {
        name: status.name.to_string(),
        address: status.address,
        connected: status.connected,
        master: status.master.map(|master| master.to_string()).unwrap_or_default(),
        term: status.term.get(),
        state: status.state.name().into(),
        reason: status.reason.unwrap_or_default(),
        fencing: fencing(status.fencing).into(),
        committed: status.committed.get(),
        applied: status.applied.get(),
        model: status.model,
        tags: status.tags,
    }
}

fn fencing(known: Option<Fencing>) -> &'static str {
    match known {
        Some(Fencing::Device) => "device",
        Some(Fencing::StoreOnly) => "store-only",
        None => "unknown",
    }
}

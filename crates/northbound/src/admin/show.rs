//! Transactions and targets as they are shown.

use std::collections::BTreeMap;

use lockstep_gnmi::code;
use lockstep_gnmi::proto::lockstep::v1::{
    Difference, Failure, Target, Transaction, TransactionTarget,
};
use lockstep_node::{self as node, Fencing, TargetStatus};
use lockstep_protocol::record::{self, Kind, Reason};
use lockstep_protocol::view::Wait;

use crate::teller::Teller;
use crate::{outcome, standing, text};

/// What is told in place of what is said of a transaction, some of whose targets may not be seen.
const ELSEWHERE: &str = "it also concerns targets that may not be read";

/// A transaction, with what it waits for now.
pub(super) fn transaction(teller: &Teller<'_>, shown: &record::Transaction) -> Transaction {
    let seen = shown.targets.iter().filter(|(target, _)| teller.sees(target));
    let targets = seen.map(|(target, part)| {
        let reason = standing::reason(shown, target, part);
        let reason = reason.map(|reason| teller.reason(shown, Some(target), &reason));
        let (status, stage) = standing::there(shown.status, part);
        let one = TransactionTarget {
            status: status.into(),
            stage: stage.into(),
            error: reason.as_ref().map(failure_there),
            waiting_for: outcome::waiting_for(teller, shown, target),
        };
        (target.to_string(), one)
    });
    Transaction { targets: targets.collect(), ..brief(teller, shown) }
}

/// A transaction without its targets: only how many there are of each status.
pub(super) fn brief(teller: &Teller<'_>, shown: &record::Transaction) -> Transaction {
    let (mut counts, mut stages) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
    for (_, part) in shown.targets.iter().filter(|(target, _)| teller.sees(target)) {
        let (status, stage) = standing::there(shown.status, part);
        *counts.entry(status.into()).or_default() += 1;
        if !stage.is_empty() {
            *stages.entry(stage.into()).or_default() += 1;
        }
    }
    let (status, stage) = standing::of(shown.status);
    let (of, to) = match shown.kind {
        Kind::Rollback { of, .. } => (of.get(), 0),
        Kind::Restore { to } => (0, to.get()),
        _ => (0, 0),
    };
    Transaction {
        index: shown.index.get(),
        id: shown.id.to_string(),
        kind: text::kind(shown.kind).into(),
        status: status.into(),
        stage: stage.into(),
        author: shown.author.clone(),
        comment: shown.comment.clone(),
        submitted: Some(text::time(shown.submitted)),
        decided: shown.decided.map(text::time),
        finished: shown.finished.map(text::time),
        waiting_for: waiting_for(teller, shown),
        error: shown.reason.as_ref().map(|reason| failure(teller, shown, reason)),
        rolled_back_by: rolled_back_by(shown),
        targets: BTreeMap::new(),
        target_count: counts.values().sum(),
        counts,
        stages,
        deadline: shown.has_deadline().then(|| text::time(shown.deadline)),
        mode: text::mode(shown.mode).into(),
        of,
        to,
        window: shown.window.map(|window| text::stage(shown, window)).unwrap_or_default().into(),
        confirm_until: shown.open_until().map(text::time),
    }
}

/// The first target that holds it up, and with what: those that wait for the others of it do not.
fn waiting_for(teller: &Teller<'_>, shown: &record::Transaction) -> String {
    if shown.status.is_final() {
        return String::new();
    }
    let seen = || shown.targets.keys().filter(|target| teller.sees(target));
    let is_held_up = |target: &&lockstep_types::Target| {
        let wait = teller.view.waiting_for(shown, target);
        wait.is_some_and(|wait| !matches!(wait, Wait::Trial | Wait::Others))
    };
    let waits = seen().filter(is_held_up).chain(seen()).filter_map(|target| {
        let wait = teller.waiting_for(shown, target)?;
        Some(format!("target {target}: {wait}"))
    });
    waits.take(1).collect()
}

/// The Rollback that took it out of its last target.
fn rolled_back_by(shown: &record::Transaction) -> u64 {
    let by = shown.targets.values().filter_map(|part| part.rolled_back_by).max();
    by.map_or(0, lockstep_types::Index::get)
}

/// Why a transaction did not go well: with the code that its client was told.
fn failure(teller: &Teller<'_>, shown: &record::Transaction, reason: &Reason) -> Failure {
    let reason = teller.reason(shown, None, reason);
    let (code, message) = text::reason(&reason);
    let (message, path) = match teller.sees_all(shown) {
        true => (message, text::place(&reason)),
        false => (ELSEWHERE.into(), String::new()),
    };
    Failure { code: code::name(code).into(), message, path }
}

/// Why it did not go well on one target: a device that refused speaks for itself.
fn failure_there(reason: &Reason) -> Failure {
    let (code, message) = outcome::device(reason);
    Failure { code, message, path: text::place(reason) }
}

/// A target.
pub(super) fn target(teller: &Teller<'_>, status: TargetStatus) -> Target {
    let status = teller.status(status);
    Target {
        waiting_for: target_waits_for(teller, &status.name),
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
        source: status.source.name().into(),
        drift: status.drift.iter().map(difference).collect(),
        drift_more: u64::try_from(status.drift_more).unwrap_or(u64::MAX),
    }
}

/// The first transaction that is not done there, and what holds it up.
fn target_waits_for(teller: &Teller<'_>, target: &lockstep_types::Target) -> String {
    let view = teller.view;
    let heads = [view.undo_head(target), view.apply_head(target), view.commit_head(target)];
    let waits = heads.into_iter().flatten().find_map(|index| {
        let wait = teller.waiting_for(view.transaction(index)?, target)?;
        Some(format!("transaction {index} waits for {wait}"))
    });
    waits.unwrap_or_default()
}

fn difference(found: &node::Difference) -> Difference {
    Difference {
        path: found.path.to_string(),
        shows: found.shows.as_ref().map(text::content),
        wanted: found.wanted.as_ref().map(text::content),
    }
}

fn fencing(known: Option<Fencing>) -> &'static str {
    match known {
        Some(Fencing::Device) => "device",
        Some(Fencing::StoreOnly) => "store-only",
        None => "unknown",
    }
}

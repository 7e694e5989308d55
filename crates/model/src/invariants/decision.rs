//! A transaction is committed on all its targets or on none, by one write, once; what was rejected
//! leaves no trace. What was decided, and what a device is asked to take, is valid; and it was decided
//! before its deadline.

use lockstep_protocol::View;
use lockstep_protocol::node::Work;
use lockstep_protocol::record::{Kind, PartStatus, Reason, Status, Transaction};
use lockstep_types::{Configuration as Tree, Target};

use super::Step;
use crate::system::yang::broken_rules;
use crate::system::{Commit, Sent, System};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.after.commits.iter().all(|commit| {
        commit.concerned().all(|new| {
            let old = commit.before.transaction(new.index);
            old.is_none_or(|old| follows(old, new))
                && is_alone_with_its_id(commit, new)
                && is_whole(&commit.after, new)
        })
    }) && (step.after.nodes.is_empty() || stays_valid(step))
}

fn follows(old: &Transaction, new: &Transaction) -> bool {
    let same = old.id == new.id && old.kind == new.kind && old.submitted == new.submitted;
    let parts = old.targets.iter().all(|(target, old)| {
        let new = new.targets.get(target).map_or(old.status, |new| new.status);
        old.status == new || old.status.successors().contains(&new)
    });
    let moves = old.status == new.status || old.status.successors().contains(&new.status);
    // Only a Rollback turns out to concern fewer targets than were named.
    let fewer = matches!(old.kind, Kind::Rollback { .. });
    same && parts && moves && (fewer || old.targets.keys().eq(new.targets.keys()))
}

/// Among what is kept: an id may be used again once the log has forgotten it.
fn is_alone_with_its_id(commit: &Commit, transaction: &Transaction) -> bool {
    let named = commit.ledger().with_id(&transaction.id);
    named.filter(|index| commit.store.transaction(*index).is_some()).count() <= 1
}

fn is_whole(store: &View, transaction: &Transaction) -> bool {
    let asked = |target| transaction.only.is_empty() || transaction.only.contains(target);
    let as_decided = match transaction.status {
        Status::Pending | Status::Rejected => {
            transaction.targets.values().all(|part| part.status == PartStatus::Pending)
                && leaves_no_trace(store, transaction)
        }
        Status::Committed => {
            let index = transaction.index;
            transaction.decided.is_some_and(|decided| decided <= transaction.deadline)
                && transaction.targets.keys().all(|t| store.header(t).committed.index >= index)
        }
        _ => true,
    };
    as_decided && transaction.targets.keys().all(asked)
}

/// No unit of any target was written by it.
pub(super) fn leaves_no_trace(store: &View, transaction: &Transaction) -> bool {
    transaction.targets.keys().all(|target| {
        let none = |tree: Tree| tree.units().all(|(_, unit)| unit.writer != transaction.index);
        none(store.committed(target)) && none(store.applied(target))
    })
}

/// What is committed is valid by the target's models, unless entries are still to be validated again,
/// and then nothing is decided; and so is what a device would hold if it took what it is sent. Not asked
/// of a system that is only observed: nobody knows its models' rules.
fn stays_valid(step: &Step<'_>) -> bool {
    let system = step.after;
    let committed =
        |store: &View, target: &Target| is_valid(system, store, target, &store.committed(target));
    step.at_every_target(|commit, target| {
        commit.after.header(target).recheck.is_some() || committed(&commit.after, target)
    }) && system.commits.iter().all(|commit| {
        let decided = commit.after.transactions().filter(|new| is_judged(&commit.before, new));
        decided.flat_map(|t| t.targets.keys()).all(|target| committed(&commit.before, target))
    }) && system.sent.iter().all(|sent| is_sent_valid(system, sent))
}

/// Whether a transaction was found valid or not by the next write.
fn is_judged(before: &View, new: &Transaction) -> bool {
    let pending = |old: &Transaction| old.status == Status::Pending;
    let passed_over =
        matches!(new.reason, Some(Reason::Deadline | Reason::Cancelled | Reason::Incomplete));
    let adopted = matches!(new.kind, Kind::Adopt { .. });
    before.transaction(new.index).is_none_or(pending) && !pending(new) && !passed_over && !adopted
}

fn is_sent_valid(system: &System, sent: &Sent) -> bool {
    let flight = &sent.flight;
    let applies = matches!(system.purpose(flight), Some(Work::Applying(_)));
    let Some(delta) = flight.ask.delta() else { return true };
    if !applies || !sent.current {
        return true;
    }
    let mut values = system.devices[&flight.target].values.clone();
    values.apply_values(delta);
    is_valid(system, &system.store, &flight.target, &values)
}

fn is_valid(system: &System, store: &View, target: &Target, tree: &Tree) -> bool {
    store.binding(target).is_none_or(|binding| {
        broken_rules(&system.scenario, &binding.models, tree).next().is_none()
    })
}

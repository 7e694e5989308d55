//! A transaction is committed on all its targets or on none, by one write, once; what was rejected
//! leaves no trace.

use lockstep_protocol::View;
use lockstep_protocol::record::{PartStatus, Status, Transaction};

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.after.commits.iter().all(|commit| {
        let (before, after) = (&commit.before, &commit.after);
        let moves = before
            .transactions()
            .all(|old| after.transaction(old.index).is_some_and(|new| follows(old, new)));
        moves && after.transactions().all(|t| is_whole(after, t))
    })
}

fn follows(old: &Transaction, new: &Transaction) -> bool {
    let same = old.id == new.id && old.kind == new.kind && old.submitted == new.submitted;
    same && (old.status == new.status || old.status.successors().contains(&new.status))
}

fn is_whole(store: &View, transaction: &Transaction) -> bool {
    match transaction.status {
        Status::Pending | Status::Rejected => {
            transaction.targets.values().all(|part| part.status == PartStatus::Pending)
                && leaves_no_trace(store, transaction)
        }
        Status::Committed => {
            let index = transaction.index;
            transaction.targets.keys().all(|t| store.header(t).committed.index >= index)
        }
        _ => true,
    }
}

/// No unit of any target was written by it.
pub(super) fn leaves_no_trace(store: &View, transaction: &Transaction) -> bool {
    transaction.targets.keys().all(|target| {
        let none = |tree: lockstep_types::Configuration| {
            tree.units().all(|(_, unit)| unit.writer != transaction.index)
        };
        none(store.committed(target)) && none(store.applied(target))
    })
}

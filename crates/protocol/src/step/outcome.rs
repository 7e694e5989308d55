//! The record that completes a transaction writes its outcome in the same write (rule 1).

use lockstep_types::{Index, Target, Timestamp};

use crate::draft::Draft;
use crate::record::{PartStatus, Reason, Status, Transaction};

/// Settles the status of transaction `index` if nothing is outstanding any more, and lets go of its
/// targets.
pub(super) fn settle(draft: &mut Draft<'_>, index: Index, now: Timestamp) {
    if draft.view.transaction(index).is_some_and(|transaction| transaction.wide) {
        // Its record says so once all its parts do, in a write of its own.
        return;
    }
    let Some(transaction) = draft.transaction(index) else { return };
    let Some(status) = outcome(transaction) else { return };
    transaction.status = status;
    if !status.is_final() {
        return;
    }
    transaction.finished = Some(now.max(transaction.submitted));
    transaction.open_window();
    let targets: Vec<Target> = transaction.targets.keys().cloned().collect();
    for target in targets {
        if draft.view.header(&target).holder == Some(index) {
            draft.configuration(&target).header.let_go();
        }
    }
}

pub(super) fn outcome(transaction: &Transaction) -> Option<Status> {
    let all = |wanted: &[PartStatus]| {
        transaction.targets.values().all(|part| wanted.contains(&part.status))
    };
    let any = |status| transaction.targets.values().any(|part| part.status == status);
    match transaction.status {
        Status::Committed if any(PartStatus::Pending) => None,
        Status::Committed if any(PartStatus::Accepted) => Some(Status::Confirming),
        Status::Confirming if all(&[PartStatus::Applied]) => Some(Status::Applied),
        Status::Committed if all(&[PartStatus::Applied]) => Some(Status::Applied),
        Status::Committed if all_cancelled(transaction) => Some(Status::Cancelled),
        Status::Committed => Some(Status::Partial),
        Status::Reverting if all(&[PartStatus::Refused, PartStatus::Undone]) => {
            Some(Status::Reverted)
        }
        _ => None,
    }
}

fn all_cancelled(transaction: &Transaction) -> bool {
    let cancelled = Some(Reason::Cancelled);
    transaction.targets.values().all(|part| part.reason == cancelled)
}

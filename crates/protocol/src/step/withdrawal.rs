//! The withdrawal: a queued proposal leaves one target as if it had never been there.

use lockstep_types::{Index, Target, Term, Timestamp};

use super::outcome::settle;
use super::revision_without;
use crate::draft::Draft;
use crate::record::{PartStatus, Reason};

/// Withdraws the proposal of `index` on `target`. Later writers keep their values; their undos name
/// what stood before the proposal that is gone.
pub(crate) fn withdraw(
    draft: &mut Draft<'_>,
    index: Index,
    target: &Target,
    reason: Reason,
    now: Timestamp,
) {
    let view = draft.view;
    let Some(proposal) = view.proposal(index, target) else { return };
    mark(draft, index, target, reason);
    let committed = view.committed(target).without(index, &proposal.undo);
    let behind: Vec<Index> = view.apply_queue(target).filter(|k| *k > index).collect();
    for later in &behind {
        draft.relink(*later, target, index, &proposal.undo);
    }
    let was_head = view.apply_head(target) == Some(index);
    let revision = revision_without(view, target, index);
    let staged = draft.configuration(target);
    staged.committed = committed;
    staged.header.committed.revision = revision;
    if was_head {
        // It may have reached the device: read again before anything else is sent (rule 2).
        staged.header.synced = Term::ZERO;
        staged.header.applied.index = index;
    }
    if !behind.is_empty() {
        let checked = staged.header.recheck.map_or(index, |checked| checked.min(index));
        staged.header.recheck = Some(checked);
    }
    settle(draft, index, now);
}

fn mark(draft: &mut Draft<'_>, index: Index, target: &Target, reason: Reason) {
    let Some(transaction) = draft.transaction(index) else { return };
    transaction.reason.get_or_insert_with(|| reason.clone());
    if let Some(part) = transaction.targets.get_mut(target) {
        part.status = PartStatus::Withdrawn;
        part.reason = Some(reason);
    }
}

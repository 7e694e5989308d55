//! The withdrawal: a queued proposal leaves one target as if it had never been there.

use lockstep_types::{Configuration as Tree, Index, Target, Term, Timestamp};

use super::anew::decide_anew;
use super::outcome::settle;
use crate::draft::Draft;
use crate::effect::revision_without;
use crate::record::{Kind, PartStatus, Reason, Transaction};
use crate::view::View;

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
    draft.disturb(target);
    let behind: Vec<Index> = view.apply_queue(target).filter(|k| *k > index).collect();
    let committed = if behind.iter().any(|later| joins(view, *later, target)) {
        let proposal = proposal.clone();
        let below = |tree: &Tree| tree.without(index, &proposal.undo);
        decide_anew(draft, index, target, &behind, below)
    } else {
        for later in &behind {
            draft.relink(*later, target, index, &proposal.undo);
        }
        view.committed(target).without(index, &proposal.undo)
    };
    let was_head = view.apply_head(target) == Some(index);
    let revision = revision_without(view, target, index);
    let staged = draft.configuration(target);
    staged.commit(committed);
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
    // The record of a wide one says so when it has its outcome.
    let wide = draft.view.transaction(index).is_some_and(|transaction| transaction.wide);
    if !wide && let Some(transaction) = draft.transaction(index) {
        transaction.reason.get_or_insert_with(|| reason.clone());
    }
    if let Some(part) = draft.part(index, target) {
        part.status = PartStatus::Withdrawn;
        part.reason = Some(reason);
    }
}

/// Whether what a change comes to depends on what stood: then it may hold some of what is gone.
fn joins(view: &View, change: Index, target: &Target) -> bool {
    let restores = |t: &Transaction| matches!(t.kind, Kind::Restore { .. });
    view.transaction(change).is_some_and(restores)
        || view
            .proposal(change, target)
            .is_some_and(|p| !p.edit.add.is_empty() || !p.edit.clear.is_empty())
}

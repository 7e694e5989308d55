//! The withdrawal: a queued proposal leaves one target as if it had never been there.

use lockstep_types::{Index, Target, Term, Timestamp};

use super::outcome::settle;
use super::revision_without;
use crate::draft::Draft;
use crate::record::{Failure, PartStatus, Reason};

/// Why a proposal is withdrawn.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// The device refused it.
    Refused(Failure),
    /// It was cancelled, or is invalid without something below it.
    Given(Reason),
}

/// Withdraws the proposal of `index` on `target`. Later writers keep their values; their undos name
/// what stood before the proposal that is gone.
pub(crate) fn withdraw(
    draft: &mut Draft<'_>,
    index: Index,
    target: &Target,
    cause: Cause,
    now: Timestamp,
) {
    let view = draft.view;
    let Some(proposal) = view.proposal(index, target) else { return };
    mark(draft, index, target, cause);
    let committed = view.committed(target).without(index, &proposal.undo);
    let behind: Vec<Index> = view.queue(target).apply().filter(|k| *k > index).collect();
    for later in &behind {
        if let Some(undo) = draft.undo(*later, target) {
            undo.relink(index, &proposal.undo);
        }
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

fn mark(draft: &mut Draft<'_>, index: Index, target: &Target, cause: Cause) {
    let Some(transaction) = draft.transaction(index) else { return };
    let Some(part) = transaction.targets.get_mut(target) else { return };
    part.status = PartStatus::Withdrawn;
    match cause {
        Cause::Refused(failure) => {
            part.failure = Some(failure.clone());
            transaction.reason = Some(Reason::Refused { target: target.clone(), failure });
        }
        Cause::Given(reason) => transaction.reason = Some(reason),
    }
}

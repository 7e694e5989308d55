//! The turn: an atomic transaction goes to its rollback phase in place.

use lockstep_types::{Index, Target};

use super::decision::mark_rolled_back;
use super::plan::is_withdrawn;
use super::revision_without;
use crate::draft::Draft;
use crate::effect;
use crate::record::{Kind, Reason, Status};

/// Turns transaction `index`: it leaves the committed values of all its targets in this one write. It
/// goes on holding them until it is undone everywhere.
pub(crate) fn turn(draft: &mut Draft<'_>, index: Index, reason: Reason) {
    let view = draft.view;
    let Some(before) = view.transaction(index) else { return };
    let Some(transaction) = draft.transaction(index) else { return };
    transaction.status = Status::Reverting;
    transaction.reason = Some(reason);
    for target in before.targets.keys() {
        let committed = effect::without(view, before, target, &view.committed(target));
        let revision = match before.kind {
            Kind::Change | Kind::Restore { .. } => revision_without(view, target, index),
            Kind::Rollback { of, .. } => revision_with(draft, target, of),
        };
        let staged = draft.configuration(target);
        staged.header.committed.revision = revision;
        staged.committed = committed;
    }
    if let Kind::Rollback { of, .. } = before.kind {
        mark_rolled_back(draft, of, before.targets.keys(), None);
    }
}

/// The latest live change once `back` is live again, if it may be.
fn revision_with(draft: &Draft<'_>, target: &Target, back: Index) -> Index {
    let latest = revision_without(draft.view, target, back);
    if is_withdrawn(draft.view, back, target) { latest } else { latest.max(back) }
}

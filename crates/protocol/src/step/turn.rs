//! The turn: an atomic transaction goes to its rollback phase in place.

use lockstep_types::{Index, Target};

use super::decision::mark_rolled_back;
use crate::draft::Draft;
use crate::effect;
use crate::record::{Kind, Reason, Stage, Status, Transaction};

/// Turns transaction `index`: it leaves the committed values of all its targets in this one write. It
/// goes on holding them until it is undone everywhere. Of a wide one the record says so, and the
/// configurations follow.
pub(crate) fn turn(draft: &mut Draft<'_>, index: Index, reason: Reason) {
    let view = draft.view;
    let Some(before) = view.transaction(index) else { return };
    let Some(transaction) = draft.transaction(index) else { return };
    transaction.status = Status::Reverting;
    transaction.reason = Some(reason);
    if before.wide {
        put_back(draft, before);
        return;
    }
    for target in before.targets.keys() {
        leave(draft, before, target);
    }
    if let Kind::Rollback { of, .. } = before.kind {
        mark_rolled_back(draft, of, before.targets.keys(), None);
    }
}

/// As [`turn`], in a write that is about `target` anyway: a wide transaction leaves that one at once.
pub(crate) fn turn_at(draft: &mut Draft<'_>, index: Index, target: &Target, reason: Reason) {
    turn(draft, index, reason);
    let Some(before) = draft.view.transaction(index).filter(|before| before.wide) else { return };
    leave(draft, before, target);
    draft.configuration(target).header.stage = Stage::Turned;
    if let Kind::Rollback { of, .. } = before.kind {
        mark_rolled_back(draft, of, [target].into_iter(), None);
    }
}

/// The change that a wide Rollback took out is live again: where it is not wide itself, by its record.
fn put_back(draft: &mut Draft<'_>, rollback: &Transaction) {
    if let Kind::Rollback { of, .. } = rollback.kind
        && draft.view.transaction(of).is_some_and(|change| !change.wide)
    {
        mark_rolled_back(draft, of, rollback.targets.keys(), None);
    }
}

fn leave(draft: &mut Draft<'_>, transaction: &Transaction, target: &Target) {
    let moved = effect::turned(draft.view, transaction, target);
    let staged = draft.configuration(target);
    staged.header.committed.revision = moved.revision;
    staged.commit(moved.committed);
}

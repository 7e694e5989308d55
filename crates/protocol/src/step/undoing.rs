//! Undoing a transaction on one target, with the device's word or in the store alone.

use lockstep_types::{Index, Target, Term, Timestamp};

use super::applied_revision;
use super::outcome::settle;
use super::recording::set_part;
use crate::draft::Draft;
use crate::effect;
use crate::record::{Failure, PartStatus, Reason};

/// Records that `index` is undone on `target`; a refused undo all the same, but then the device must be
/// read again (rule 5).
pub(crate) fn undone(
    draft: &mut Draft<'_>,
    index: Index,
    target: &Target,
    refused: Option<Failure>,
    now: Timestamp,
) {
    let view = draft.view;
    let Some(before) = view.transaction(index) else { return };
    let was_refused = refused.is_some();
    let reason = refused.map(|failure| Reason::Refused { target: target.clone(), failure });
    // Why it had to be undone stays known.
    let reason = reason.or_else(|| before.targets.get(target)?.reason.clone());
    set_part(draft, index, target, PartStatus::Undone, reason);
    let patch = effect::undo_patch(view, before, target, &view.applied(target));
    let sent = view.may_have_been_sent(before, target);
    let was_applied = before.part(target) == PartStatus::Applied;
    let staged = draft.configuration(target);
    staged.applied = patch;
    if was_refused {
        staged.header.synced = Term::ZERO;
    }
    if sent {
        staged.header.applied.index = index;
    }
    if was_applied {
        staged.header.applied.revision = applied_revision(view, target);
    }
    settle(draft, index, now);
}

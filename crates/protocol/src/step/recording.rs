//! Recording what a device answered; by its master alone.

use lockstep_types::{Index, Target, Term, Timestamp};

use super::applied_revision;
use super::outcome::settle;
use super::turn::turn_at;
use super::withdrawal::withdraw;
use crate::draft::Draft;
use crate::effect;
use crate::record::{Failure, Kind, Marks, PartStatus, Reason, Trials};

/// The device accepted the head of its apply queue.
pub(crate) fn applied(draft: &mut Draft<'_>, index: Index, target: &Target, now: Timestamp) {
    let view = draft.view;
    let Some(before) = view.transaction(index) else { return };
    set_part(draft, index, target, PartStatus::Applied, None);
    let patch = effect::with(view, before, target, &view.applied(target));
    let revision = match before.kind {
        Kind::Rollback { .. } => applied_revision(view, target),
        _ => index,
    };
    let staged = draft.configuration(target);
    staged.applied = patch;
    staged.header.applied.index = index;
    staged.header.applied.revision = revision;
    settle(draft, index, now);
}

/// Rule 10: there is nothing to send to `target`, so nothing is asked of the device and the applied
/// index stays.
pub(crate) fn nothing(draft: &mut Draft<'_>, index: Index, target: &Target, now: Timestamp) {
    set_part(draft, index, target, PartStatus::Applied, None);
    settle(draft, index, now);
}

/// The device refused the head of its apply queue. The refusal is the turn (rule 1), and since the
/// device may hold part of it from an earlier send, it is read again first (rule 2).
pub(crate) fn refused(
    draft: &mut Draft<'_>,
    index: Index,
    target: &Target,
    failure: Failure,
    now: Timestamp,
) {
    let Some(before) = draft.view.transaction(index) else { return };
    let reason = Reason::Refused { target: target.clone(), failure };
    if before.is_revert() {
        reverted(draft, index, target, reason, now);
    } else if before.is_atomic() {
        turn_at(draft, index, target, reason.clone());
        set_part(draft, index, target, PartStatus::Refused, Some(reason));
        let header = &mut draft.configuration(target).header;
        header.applied.index = index;
        header.synced = Term::ZERO;
        settle(draft, index, now);
    } else {
        withdraw(draft, index, target, reason, now);
    }
}

/// The device refused what takes back a change that was not confirmed. There is no other way to go: it is
/// recorded all the same, and a resync has to bring it about (as rule 5 has it of an undo).
fn reverted(draft: &mut Draft<'_>, index: Index, target: &Target, why: Reason, now: Timestamp) {
    applied(draft, index, target, now);
    set_part(draft, index, target, PartStatus::Applied, Some(why));
    draft.configuration(target).header.synced = Term::ZERO;
}

/// What was found out about a device when its master claimed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// In which term.
    pub(crate) term: Term,
    /// Whether it can take something on trial.
    pub(crate) trials: Trials,
    /// Whether it turns away an older master.
    pub(crate) fenced: Option<bool>,
}

/// The device was brought in line.
pub(crate) fn synced(draft: &mut Draft<'_>, target: &Target, found: Found, marks: Marks) {
    in_line(draft, target, found);
    draft.put_marks(target, marks);
}

/// The device holds the applied values, and with that the last trial was dealt with, unless it is yet to be
/// sent.
pub(super) fn in_line(draft: &mut Draft<'_>, target: &Target, found: Found) {
    let open = draft.view.open_trial(target);
    let header = &mut draft.configuration(target).header;
    header.trials = found.trials;
    header.fenced = found.fenced;
    header.trial = open;
    header.synced = found.term;
    header.resync_refused = None;
    header.met = true;
    header.adopted();
}

pub(super) fn set_part(
    draft: &mut Draft<'_>,
    index: Index,
    target: &Target,
    status: PartStatus,
    reason: Option<Reason>,
) {
    if let Some(part) = draft.part(index, target) {
        part.status = status;
        part.reason = reason;
    }
}

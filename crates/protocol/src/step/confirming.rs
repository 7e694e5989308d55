//! Trials: a transaction that every device accepts before any of them keeps it.
//!
//! ```text
//!   transaction   Committed ────────────► Confirming ──────► Applied
//!   part          Pending ─► Accepted                  ─► Applied
//!   device        Set with a timer      (all accepted) confirm
//! ```
//!
//! Until the one write that says Confirming the only way is back: the turn, and a cancel to each device
//! that may have it. After it the only way is on: what a device has lost meanwhile, a resync brings.

use lockstep_types::{Index, Target, Term, Timestamp};

use super::outcome::settle;
use super::recording::set_part;
use super::{applied, undone};
use crate::draft::Draft;
use crate::record::{PartStatus, Transaction, Trials};
use crate::view::View;

/// Whether a transaction that is being decided is to be tried first: each of its devices can do that and
/// has nothing of an earlier trial. What goes beyond one write is applied without.
pub(super) fn is_trial(view: &View, transaction: &Transaction) -> bool {
    let mut least = Trials::Always;
    for target in transaction.targets.keys() {
        let header = view.header(target);
        least = least.min(if header.trial.is_some() { Trials::Never } else { header.trials });
    }
    let needed = if transaction.targets.len() > 1 { Trials::Shared } else { Trials::Always };
    let may_turn = transaction.is_atomic() && !transaction.is_revert();
    may_turn && !transaction.wide && least >= needed
}

/// The device has it on trial. With the last one to say so, there is no way back.
pub(crate) fn accepted(draft: &mut Draft<'_>, index: Index, target: &Target, now: Timestamp) {
    set_part(draft, index, target, PartStatus::Accepted, None);
    settle(draft, index, now);
}

/// The device is about to be read again, and what it has on trial is in the way: it has to be taken back,
/// and sent again after that.
pub(crate) fn taken_back(draft: &mut Draft<'_>, index: Index, target: &Target) {
    set_part(draft, index, target, PartStatus::Pending, None);
}

/// The device kept the trial, or took it back, as the record said; or had none any more, and is read
/// again.
pub(crate) fn settled(
    draft: &mut Draft<'_>,
    index: Index,
    target: &Target,
    had_it: bool,
    now: Timestamp,
) {
    let view = draft.view;
    if view.confirm_head(target) == Some(index) {
        applied(draft, index, target, now);
    } else {
        undone(draft, index, target, None, now);
    }
    let header = &mut draft.configuration(target).header;
    if had_it {
        header.trial = None;
    } else {
        header.synced = Term::ZERO;
    }
}

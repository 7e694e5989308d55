//! What a device has becomes what is wanted of it. Nothing is sent.

use lockstep_types::{Configuration as Tree, Delta, Index, Target, Term};

use super::anew::decide_anew;
use super::recording::{Found, in_line};
use crate::draft::Draft;
use crate::record::{Mark, Part, PartStatus, Proposal, Status, Transaction};

/// What is adopted of a device.
#[derive(Clone, Debug)]
pub(crate) struct Adopted {
    /// What was found out about the device that was read.
    pub(crate) found: Found,
    /// Everything it had when it was first met; later, what was changed behind our back.
    pub(crate) delta: Delta,
    /// Whether that is all of it: then the device is in line.
    pub(crate) all: bool,
    /// How many queued entries are decided anew at the most.
    pub(crate) anew: usize,
}

/// The entry is its own outcome: it was decided by whoever changed the device.
pub(crate) fn adopt(draft: &mut Draft<'_>, index: Index, target: &Target, adopted: Adopted) {
    let Some(entry) = draft.transaction(index) else { return };
    settle(entry, target);
    let on_top = entry.kind.writes();
    if on_top {
        above(draft, index, target, &adopted.delta);
    } else {
        below(draft, index, target, &adopted.delta);
    }
    if !adopted.all {
        return;
    }
    in_line(draft, target, adopted.found);
    if !(on_top || draft.view.applied(target).is_empty()) {
        // It was read more than once, and may have lost meanwhile what was recorded before.
        draft.configuration(target).header.synced = Term::ZERO;
    }
}

fn settle(entry: &mut Transaction, target: &Target) {
    entry.status = Status::Applied;
    entry.decided = Some(entry.submitted);
    entry.finished = Some(entry.submitted);
    let applied = Part { status: PartStatus::Applied, ..Part::default() };
    entry.targets = [(target.clone(), applied)].into_iter().collect();
}

/// What was queued or is open comes to lie on top of what the device had all along. It may not be valid
/// there (rule 9).
fn below(draft: &mut Draft<'_>, index: Index, target: &Target, delta: &Delta) {
    let view = draft.view;
    let later: Vec<Index> = view.apply_queue(target).collect();
    let waits = !later.is_empty() || view.commit_head(target).is_some() || view.is_held(target);
    // Just before the first of them: what stood earlier is told from there.
    let place = later.first().map_or(index, |first| Index::new(first.get().saturating_sub(1)));
    draft.disturb(target);
    let own = delta.written_by(index);
    let committed = decide_anew(draft, place, target, &later, |_| own.clone());
    let staged = draft.configuration(target);
    staged.commit(committed);
    staged.applied = own;
    if !later.is_empty() {
        staged.header.recheck = Some(Index::ZERO);
    }
    if !waits {
        staged.header.committed.index = index;
        staged.header.applied.index = index;
    }
    put(draft, index, target, delta, &Tree::new());
}

/// Nothing is under way, so both sides are alike.
fn above(draft: &mut Draft<'_>, index: Index, target: &Target, delta: &Delta) {
    let before = draft.view.committed(target);
    let staged = draft.configuration(target);
    staged.commit(delta.written_by(index));
    staged.applied = delta.written_by(index);
    staged.header.committed = Mark { index, revision: index };
    staged.header.applied = Mark { index, revision: index };
    put(draft, index, target, delta, &before);
}

fn put(draft: &mut Draft<'_>, index: Index, target: &Target, delta: &Delta, before: &Tree) {
    let undo = before.before(delta);
    let proposal = Proposal { delta: delta.clone(), undo, ..Proposal::default() };
    draft.put_proposal(index, target, proposal);
}

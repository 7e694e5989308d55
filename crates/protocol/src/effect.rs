//! What a transaction does to a tree when it is put on top of it, and when it is taken out.
//!
//! A change sets what its delta says, and so do a Restore and what is adopted. A Rollback takes its change out of the chain of writers; taking
//! the Rollback out puts the change back, unless that was withdrawn meanwhile and must stay out.

use lockstep_types::{Configuration as Tree, Delta, Index, Patch, Path, Target};

use crate::record::{Kind, PartStatus, Proposal, Transaction};
use crate::view::View;

/// The change whose units a transaction touches.
pub(crate) fn source(transaction: &Transaction) -> Index {
    match transaction.kind {
        Kind::Rollback { of, .. } => of,
        _ => transaction.index,
    }
}

fn proposal<'v>(
    view: &'v View,
    transaction: &Transaction,
    target: &Target,
) -> Option<&'v Proposal> {
    view.proposal(source(transaction), target)
}

/// The units of `tree` that change when `transaction` is put on top.
pub(crate) fn with(view: &View, transaction: &Transaction, target: &Target, tree: &Tree) -> Patch {
    let Some(proposal) = proposal(view, transaction, target) else {
        return Patch::default();
    };
    match transaction.kind {
        Kind::Rollback { of, .. } => tree.without(of, &proposal.undo),
        _ => proposal.delta.written_by(transaction.index),
    }
}

/// The units of `tree` that change when `transaction` is taken out.
pub(crate) fn without(
    view: &View,
    transaction: &Transaction,
    target: &Target,
    tree: &Tree,
) -> Patch {
    let Some(proposal) = proposal(view, transaction, target) else {
        return Patch::default();
    };
    match transaction.kind {
        // What a device had when it was first met lies below everything.
        Kind::Adopt { first: true } => Patch::default(),
        Kind::Rollback { .. } if has_nothing_to_send(view, transaction, target) => Patch::default(),
        Kind::Rollback { of, .. } => proposal.delta.written_by(of),
        _ => tree.without(transaction.index, &proposal.undo),
    }
}

/// Rule 10: the Rollback of a change that was withdrawn on `target` has nothing to do there.
pub(crate) fn has_nothing_to_send(view: &View, transaction: &Transaction, target: &Target) -> bool {
    match transaction.kind {
        Kind::Rollback { of, .. } => {
            view.transaction(of).is_some_and(|change| change.part(target) == PartStatus::Withdrawn)
        }
        _ => false,
    }
}

/// The paths a transaction touches on a target.
pub(crate) fn paths<'v>(
    view: &'v View,
    transaction: &Transaction,
    target: &Target,
) -> impl Iterator<Item = &'v Path> + use<'v> {
    proposal(view, transaction, target).into_iter().flat_map(|proposal| proposal.delta.paths())
}

/// What a device is to hold at the paths of `transaction` once it has it.
pub(crate) fn applied(view: &View, transaction: &Transaction, target: &Target) -> Delta {
    let tree = view.applied(target);
    let tree = tree.patched(&with(view, transaction, target, &tree));
    at(view, transaction, target, &tree)
}

/// What a device is to hold at the paths of `transaction` once it is undone.
pub(crate) fn undone(view: &View, transaction: &Transaction, target: &Target) -> Delta {
    let tree = view.applied(target);
    let tree = tree.patched(&undo_patch(view, transaction, target, &tree));
    at(view, transaction, target, &tree)
}

/// The units of the applied tree that change when `transaction` is undone: none where it was never
/// recorded.
pub(crate) fn undo_patch(
    view: &View,
    transaction: &Transaction,
    target: &Target,
    applied: &Tree,
) -> Patch {
    if transaction.part(target) == PartStatus::Applied {
        without(view, transaction, target, applied)
    } else {
        Patch::default()
    }
}

/// What a decision or a turn changes of what is committed on one target.
#[derive(Debug)]
pub(crate) struct Moved {
    /// The units that change.
    pub(crate) committed: Patch,
    /// The latest live change afterwards.
    pub(crate) revision: Index,
}

/// What it comes to on `target` that a transaction was decided, whose undo is recorded there.
pub(crate) fn committed(view: &View, transaction: &Transaction, target: &Target) -> Moved {
    let committed = with(view, transaction, target, &view.committed(target));
    Moved { committed, revision: revision_with(view, transaction, target) }
}

/// The latest live change of `target` once a transaction is decided.
pub(crate) fn revision_with(view: &View, transaction: &Transaction, target: &Target) -> Index {
    match transaction.kind {
        Kind::Rollback { of, .. } => revision_without(view, target, of),
        _ => transaction.index,
    }
}

/// What it comes to on `target` that an atomic transaction turned.
pub(crate) fn turned(view: &View, transaction: &Transaction, target: &Target) -> Moved {
    let committed = without(view, transaction, target, &view.committed(target));
    let revision = match transaction.kind {
        Kind::Rollback { of, .. } => {
            let latest = revision_without(view, target, of);
            let stays_out = has_nothing_to_send(view, transaction, target);
            if stays_out { latest } else { latest.max(of) }
        }
        _ => revision_without(view, target, transaction.index),
    };
    Moved { committed, revision }
}

/// The latest live change of a target, leaving one out.
pub(crate) fn revision_without(view: &View, target: &Target, gone: Index) -> Index {
    view.live(target).find(|index| *index != gone).unwrap_or(Index::ZERO)
}

fn at(view: &View, transaction: &Transaction, target: &Target, tree: &Tree) -> Delta {
    paths(view, transaction, target).map(|path| (path.clone(), tree.get(path).cloned())).collect()
}

//! What a transaction does to a tree when it is put on top of it, and when it is taken out.
//!
//! A change sets what its delta says, and so does a Restore. A Rollback takes its change out of the chain of writers; taking
//! the Rollback out puts the change back, unless that was withdrawn meanwhile and must stay out.

use lockstep_types::{Configuration as Tree, Delta, Index, Patch, Path, Target};

use crate::record::{Kind, PartStatus, Proposal, Transaction};
use crate::view::View;

/// The change whose units a transaction touches.
pub(crate) fn source(transaction: &Transaction) -> Index {
    match transaction.kind {
        Kind::Change | Kind::Restore { .. } => transaction.index,
        Kind::Rollback { of, .. } => of,
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
        Kind::Change | Kind::Restore { .. } => proposal.delta.written_by(transaction.index),
        Kind::Rollback { of, .. } => tree.without(of, &proposal.undo),
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
        Kind::Change | Kind::Restore { .. } => tree.without(transaction.index, &proposal.undo),
        Kind::Rollback { .. } if has_nothing_to_send(view, transaction, target) => Patch::default(),
        Kind::Rollback { of, .. } => proposal.delta.written_by(of),
    }
}

/// Rule 10: the Rollback of a change that was withdrawn on `target` has nothing to do there.
pub(crate) fn has_nothing_to_send(view: &View, transaction: &Transaction, target: &Target) -> bool {
    match transaction.kind {
        Kind::Change | Kind::Restore { .. } => false,
        Kind::Rollback { of, .. } => {
            view.transaction(of).is_some_and(|change| change.part(target) == PartStatus::Withdrawn)
        }
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

fn at(view: &View, transaction: &Transaction, target: &Target, tree: &Tree) -> Delta {
    paths(view, transaction, target).map(|path| (path.clone(), tree.get(path).cloned())).collect()
}

//! The withdrawal: a queued proposal leaves one target as if it had never been there.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration as Tree, Index, Patch, Path, Target, Term, Timestamp};

use super::outcome::settle;
use crate::draft::Draft;
use crate::effect::{self, revision_without};
use crate::record::{Kind, PartStatus, Proposal, Reason, Transaction};
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
        decide_anew(draft, index, target, &behind)
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

/// The entries behind `gone` come to what they would have come to without it. None of them was ever
/// sent. Gives what changes in the committed values.
fn decide_anew(draft: &mut Draft<'_>, gone: Index, target: &Target, behind: &[Index]) -> Patch {
    let view = draft.view;
    let (committed, mut anew) = (view.committed(target), BTreeMap::<Index, Proposal>::new());
    let queue: Vec<_> = behind.iter().filter_map(|later| view.transaction(*later)).collect();
    let mut tree = committed.clone();
    for later in queue.iter().rev() {
        tree = tree.patched(&effect::without(view, later, target, &tree));
    }
    let mut touched = BTreeSet::<Path>::new();
    if let Some(proposal) = view.proposal(gone, target) {
        tree = tree.patched(&tree.without(gone, &proposal.undo));
        touched.extend(proposal.undo.units.keys().cloned());
    }
    let mut stood = Stood { view, target, gone, trees: [(gone, tree.clone())].into() };
    for later in queue {
        let index = later.index;
        match later.kind {
            Kind::Change | Kind::Restore { .. } => {
                let Some(old) = view.proposal(index, target) else { continue };
                let delta = match later.kind {
                    Kind::Restore { to } => tree.diff(&stood.after(to)),
                    _ => old.edit.resolve(&tree, old.delta.paths()),
                };
                let new = Proposal { edit: old.edit.clone(), undo: tree.before(&delta), delta };
                touched.extend(old.delta.paths().chain(new.delta.paths()).cloned());
                tree = tree.patched(&new.delta.written_by(index));
                if new != *old {
                    anew.insert(index, new);
                }
            }
            Kind::Rollback { of, .. } => {
                let undo = anew.get(&of).or(view.proposal(of, target)).map(|p| &p.undo);
                if let Some(undo) = undo {
                    tree = tree.patched(&tree.without(of, undo));
                }
            }
        }
        stood.trees.insert(index, tree.clone());
    }
    for (index, proposal) in anew {
        draft.put_proposal(index, target, proposal);
    }
    let changed = touched.into_iter().map(|path| (tree.unit(&path), path));
    changed
        .filter(|(unit, path)| committed.unit(path) != *unit)
        .map(|(unit, path)| (path, unit))
        .collect()
}

/// How the target stood after an entry, had the one that is gone never been there.
struct Stood<'v> {
    view: &'v View,
    target: &'v Target,
    gone: Index,
    /// From the one that is gone on.
    trees: BTreeMap<Index, Tree>,
}

impl Stood<'_> {
    fn after(&self, index: Index) -> Tree {
        let known = self.trees.range(..=index).next_back().map(|(_, tree)| tree.clone());
        known.unwrap_or_else(|| {
            let before = self.trees.get(&self.gone).cloned().unwrap_or_default();
            self.view.before(self.target, self.gone, index, before)
        })
    }
}

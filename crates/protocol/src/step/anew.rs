//! What entries come to that are not recorded yet, once something else stands below them.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration as Tree, Edit, Index, Patch, Path, Target};

use crate::draft::Draft;
use crate::effect;
use crate::record::{Kind, Proposal, Transaction};
use crate::view::View;

/// The entries `above` a place in the log come to what they would have come to, had there stood below them
/// what `below` makes of the tree. None of them was ever sent, unless it is the head, whose units a resync
/// has to look at anyway. Gives what changes in the committed values.
pub(super) fn decide_anew(
    draft: &mut Draft<'_>,
    place: Index,
    target: &Target,
    above: &[Index],
    below: impl FnOnce(&Tree) -> Patch,
) -> Patch {
    let view = draft.view;
    let committed = view.committed(target);
    let queue: Vec<_> = above.iter().filter_map(|later| view.transaction(*later)).collect();
    let mut tree = committed.clone();
    for later in queue.iter().rev() {
        tree = tree.patched(&effect::without(view, later, target, &tree));
    }
    let changed = below(&tree);
    let mut touched: BTreeSet<Path> = changed.iter().map(|(path, _)| path.clone()).collect();
    tree = tree.patched(&changed);
    let mut anew =
        Anew { view, target, place, trees: [(place, tree)].into(), proposals: [].into() };
    for later in queue {
        touched.extend(anew.decide(later));
    }
    let Anew { trees, proposals, .. } = anew;
    for (index, proposal) in proposals {
        draft.put_proposal(index, target, proposal);
    }
    let Some((_, tree)) = trees.into_iter().next_back() else { return Patch::default() };
    let changed = touched.into_iter().map(|path| (tree.unit(&path), path));
    changed
        .filter(|(unit, path)| committed.unit(path) != *unit)
        .map(|(unit, path)| (path, unit))
        .collect()
}

/// Entries that are decided anew.
struct Anew<'v> {
    view: &'v View,
    target: &'v Target,
    place: Index,
    /// How the target stands after each entry, from the place on.
    trees: BTreeMap<Index, Tree>,
    /// What differs from before.
    proposals: BTreeMap<Index, Proposal>,
}

impl Anew<'_> {
    /// Decides the next entry. Gives the units it had to do with, before or now.
    fn decide(&mut self, later: &Transaction) -> Vec<Path> {
        let tree = self.trees.values().next_back().cloned().unwrap_or_default();
        let index = later.index;
        let mut touched = Vec::new();
        let after = if let Kind::Rollback { of, .. } = later.kind {
            let change = self.proposals.get(&of).or(self.view.proposal(of, self.target));
            change.map_or(tree.clone(), |change| tree.patched(&tree.without(of, &change.undo)))
        } else if let Some(old) = self.view.proposal(index, self.target) {
            let delta = match later.kind {
                Kind::Restore { to } => tree.diff(&self.after(to)),
                _ => old.edit.resolve(&tree, old.delta.paths().chain(cleared(&tree, &old.edit))),
            };
            let new = Proposal { edit: old.edit.clone(), undo: tree.before(&delta), delta };
            touched.extend(old.delta.paths().chain(new.delta.paths()).cloned());
            let after = tree.patched(&new.delta.written_by(index));
            if new != *old {
                self.proposals.insert(index, new);
            }
            after
        } else {
            tree
        };
        self.trees.insert(index, after);
        touched
    }

    /// How the target stood after an entry, had it been so.
    fn after(&self, index: Index) -> Tree {
        let known = self.trees.range(..=index).next_back().map(|(_, tree)| tree.clone());
        known.unwrap_or_else(|| {
            let before = self.trees.get(&self.place).cloned().unwrap_or_default();
            self.view.before(self.target, self.place, index, before)
        })
    }
}

/// What stands in the subtrees that an edit clears.
fn cleared<'t>(tree: &'t Tree, edit: &'t Edit) -> impl Iterator<Item = &'t Path> {
    let standing = edit.clear.iter().flat_map(|clear| tree.under(clear));
    standing.filter(|(_, unit)| unit.content.is_some()).map(|(path, _)| path)
}

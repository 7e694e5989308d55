//! Where regions begin in a configuration.

use lockstep_types::{Configuration, Element, Path};

use super::region::begins;
use crate::change::find::{exists, live, prefix};
use crate::locate::Located;
use crate::schema::{Id, ROOT};
use crate::set::ModelSet;

/// A place where a region begins.
pub(super) struct Anchor {
    pub(super) id: Id,
    pub(super) path: Path,
    /// Whether all of it is below what was asked for.
    pub(super) inside: bool,
}

impl ModelSet {
    /// The regions that hold something of what a path stands for.
    pub(super) fn anchors(&self, tree: &Configuration, at: &Located) -> Vec<Anchor> {
        let length = at.path.elements().len();
        let many = at.path.elements().iter().any(|element| element.name() == "...");
        let mut found = Vec::new();
        if many {
            found.push(Anchor { id: ROOT, path: Path::root(), inside: false });
            self.begin_below(tree, &Path::root(), 0, false, &mut found);
            return found;
        }
        // What is above the last level on which all begin regions is in none of interest.
        let steps: Vec<&[Id]> = at.steps().collect();
        let begin = |ids: &&[Id]| ids.iter().all(|id| begins(self.schema().node(*id)));
        let nearest = steps.iter().rposition(begin).map_or(0, |depth| depth + 1);
        if nearest == 0 {
            found.push(Anchor { id: ROOT, path: Path::root(), inside: length == 0 });
        }
        for depth in nearest.max(1)..length {
            let ids = steps.get(depth - 1).copied().unwrap_or_default();
            if ids.iter().any(|id| begins(self.schema().node(*id))) {
                self.begin_above(tree, &prefix(&at.path, depth), ids, &mut found);
            }
        }
        self.begin_below(tree, &at.path, length.saturating_sub(1), true, &mut found);
        found
    }

    /// The regions that begin at exactly what a path above stands for.
    fn begin_above(&self, tree: &Configuration, path: &Path, ids: &[Id], found: &mut Vec<Anchor>) {
        let keys = path.last().map_or(0, |last| last.keys().len());
        let open = |id: &Id| keys < self.schema().node(*id).keys.len();
        if let ([id], false) = (ids, path.is_pattern() || ids.iter().any(open)) {
            if exists(tree, path) {
                found.push(Anchor { id: *id, path: path.clone(), inside: false });
            }
            return;
        }
        let depth = path.elements().len();
        let start = found.len();
        for (unit, _) in tree.under(path).filter(|(_, unit)| live(unit).is_some()) {
            let known = found.get(start..).and_then(<[_]>::last);
            if known.is_some_and(|known: &Anchor| known.path.is_prefix_of(unit)) {
                continue;
            }
            let path = prefix(unit, depth);
            let id = self.schema().find(&path);
            if let Some(id) = id.filter(|id| self.is_anchor(*id, &path)) {
                found.push(Anchor { id, path, inside: false });
            }
        }
    }

    /// The regions that begin at or below what a path stands for, where nothing of its first
    /// elements does.
    fn begin_below(
        &self,
        tree: &Configuration,
        path: &Path,
        from: usize,
        inside: bool,
        found: &mut Vec<Anchor>,
    ) {
        let mut last: &[Element] = &[];
        // The nodes down to the last unit, as far as the models know them.
        let mut ids: Vec<Id> = Vec::new();
        for (unit, _) in tree.under(path).filter(|(_, unit)| live(unit).is_some()) {
            let ours = unit.elements();
            let same = ours.iter().zip(last).take_while(|(a, b)| a == b).count();
            ids.truncate(same);
            for (depth, element) in ours.iter().enumerate().skip(ids.len()) {
                let above = ids.last().copied().unwrap_or(ROOT);
                let Some(id) = self.schema().child(above, element.name()) else { break };
                ids.push(id);
                let keyed = element.keys().len() == self.schema().node(id).keys.len();
                if depth >= from.max(same) && keyed && begins(self.schema().node(id)) {
                    found.push(Anchor { id, path: prefix(unit, depth + 1), inside });
                }
            }
            last = ours;
        }
    }

    fn is_anchor(&self, id: Id, path: &Path) -> bool {
        let keys = path.last().map_or(0, |last| last.keys().len());
        begins(self.schema().node(id)) && keys == self.schema().node(id).keys.len()
    }
}

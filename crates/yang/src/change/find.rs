//! Finding nodes in a configuration: whether they are there, and all of a kind.

use lockstep_types::{Configuration, Content, Path, Unit};

use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

/// The path of the first elements.
pub(crate) fn prefix(path: &Path, length: usize) -> Path {
    if length >= path.elements().len() {
        return path.clone();
    }
    path.elements().iter().take(length).cloned().collect()
}

/// The first unit at or below a path that makes something exist, as the order of a list does not.
pub(super) fn first<'a>(tree: &'a Configuration, path: &Path) -> Option<(&'a Path, &'a Content)> {
    tree.under(path).find_map(|(path, unit)| Some((path, live(unit)?)))
}

/// What a unit makes exist. An order does not: it says where entries are, not that there are any.
pub(crate) fn live(unit: &Unit) -> Option<&Content> {
    unit.content.as_ref().filter(|content| !matches!(content, Content::Order(_)))
}

/// Whether anything is set at or below a path.
pub(crate) fn exists(tree: &Configuration, path: &Path) -> bool {
    first(tree, path).is_some()
}

impl ModelSet {
    /// The path of a child.
    pub(super) fn below(&self, at: &Path, child: Id) -> Path {
        self.schema().below(at, child)
    }

    /// The paths of the entries of a list that a path or pattern stands for, in their order.
    pub(super) fn entries(&self, tree: &Configuration, pattern: &Path) -> Vec<Path> {
        let depth = pattern.elements().len();
        let mut found: Vec<Path> = Vec::new();
        for (path, _) in tree.under(pattern).filter(|(_, unit)| live(unit).is_some()) {
            let known = found.last().is_some_and(|last| last.is_prefix_of(path));
            if !known {
                found.push(prefix(path, depth));
            }
        }
        found
    }

    /// The paths of all nodes of a kind that are below a node which is there, those that are there by
    /// default included. A leaf without default that is not set is left out.
    pub(super) fn instances(&self, tree: &Configuration, from: Id, at: &Path, to: Id) -> Vec<Path> {
        let lineage = self.schema().lineage(to);
        let above = if from == ROOT { 0 } else { self.rules().part(from).depth };
        let way = lineage.get(above..).unwrap_or_default();
        let end = self.schema().node(to);
        if end.is_leaf() && !end.is_key() && !self.rules().part(to).implicit {
            let pattern = way.iter().fold(at.clone(), |path, id| self.below(&path, *id));
            let live = tree.under(&pattern).filter(|(_, unit)| unit.content.is_some());
            return live.map(|(path, _)| path.clone()).collect();
        }
        let mut found = vec![at.clone()];
        for id in way {
            let next = found.iter().flat_map(|at| self.down(tree, at, *id));
            found = next.collect();
        }
        found
    }

    fn down(&self, tree: &Configuration, at: &Path, id: Id) -> Vec<Path> {
        let path = self.below(at, id);
        match self.schema().node(id).kind {
            Kind::List => self.entries(tree, &path),
            Kind::Container { presence: true } if !exists(tree, &path) => Vec::new(),
            _ => vec![path],
        }
    }
}

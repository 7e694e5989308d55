//! All leaves of a list that rules far away may be broken by, found in one pass.
//!
//! Whoever takes an interface away asks after each kind of leaf that may refer to it, in every other
//! interface; so the list is read once for all of them.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Path};

use super::find::prefix;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

/// What is known of the lists of a configuration.
pub(super) struct Census<'a> {
    set: &'a ModelSet,
    tree: &'a Configuration,
    /// What is in each, by kind.
    lists: BTreeMap<Path, BTreeMap<Id, Vec<Path>>>,
}

impl<'a> Census<'a> {
    pub(super) fn new(set: &'a ModelSet, tree: &'a Configuration) -> Self {
        Self { set, tree, lists: BTreeMap::new() }
    }

    /// As [`ModelSet::instances`].
    pub(super) fn instances(&mut self, from: Id, at: &Path, to: Id) -> Vec<Path> {
        let (set, tree) = (self.set, self.tree);
        let list = set.rules().part(to).far.then(|| self.open_list(from, at, to)).flatten();
        let Some(list) = list else { return set.instances(tree, from, at, to) };
        let found = self.lists.entry(list).or_insert_with_key(|list| read(set, tree, list));
        found.get(&to).cloned().unwrap_or_default()
    }

    /// The first list on the way, all entries of which are meant.
    fn open_list(&self, from: Id, at: &Path, to: Id) -> Option<Path> {
        let lineage = self.set.schema().lineage(to);
        let above = if from == ROOT { 0 } else { self.set.rules().part(from).depth };
        let mut path = prefix(at, above);
        for id in lineage.get(above..)? {
            path = self.set.below(&path, *id);
            if self.set.schema().node(*id).kind == Kind::List {
                return Some(path);
            }
        }
        None
    }
}

fn read(set: &ModelSet, tree: &Configuration, list: &Path) -> BTreeMap<Id, Vec<Path>> {
    let mut found: BTreeMap<Id, Vec<Path>> = BTreeMap::new();
    for (path, unit) in tree.under(list) {
        let named = path.last().is_some_and(|last| set.rules().far_names.contains(last.name()));
        if !named || unit.content.is_none() {
            continue;
        }
        let id = set.schema().find(path).filter(|id| set.rules().part(*id).far);
        if let Some(id) = id {
            found.entry(id).or_default().push(path.clone());
        }
    }
    found
}

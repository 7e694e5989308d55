//! What the rules in question read.

use std::collections::BTreeSet;

use lockstep_types::Path;

use super::Gather;
use super::follow::Search;
use crate::change::find::prefix;
use crate::change::scope::Questions;
use crate::rules::{Extent, Read, Step};
use crate::schema::{Id, Kind};

impl Gather<'_> {
    /// Everything that the rules in question read.
    pub(in crate::change) fn all(&mut self, questions: &Questions) {
        for path in &questions.own {
            self.own(path);
        }
        for path in &questions.inside {
            self.inside(path);
        }
        for ((parent, list), changed) in &questions.lists {
            self.list(parent, *list, changed);
        }
        self.complete(questions);
    }

    /// Where entries are compared, each that is in has to have its unique values, whatever it is in
    /// for.
    pub(super) fn complete(&mut self, questions: &Questions) {
        let set = self.set;
        let compared = |((_, list), changed): &(&(Path, Id), &BTreeSet<Path>)| {
            !changed.is_empty() && !set.rules().part(*list).uniques.is_empty()
        };
        let lists: Vec<_> = questions.lists.iter().filter(compared).map(|(list, _)| list).collect();
        loop {
            let before = self.part.len();
            for (parent, list) in &lists {
                let path = set.below(parent, *list);
                let depth = path.elements().len();
                let inside = self.part.keys().filter(|unit| path.covers(unit));
                let entries: BTreeSet<Path> = inside.map(|unit| prefix(unit, depth)).collect();
                for entry in entries.iter().filter(|entry| **entry != path) {
                    for leaf in set.rules().part(*list).uniques.concat() {
                        self.leaf_of(*list, entry, leaf);
                    }
                }
            }
            if self.part.len() == before {
                return;
            }
        }
    }

    pub(super) fn own(&mut self, path: &Path) {
        let set = self.set;
        let Some(id) = set.schema().find(path) else { return };
        let part = set.rules().part(id);
        if part.rules.is_empty() && !part.instance {
            return;
        }
        let node = set.schema().node(id);
        let settable = node.is_leaf() && !node.is_key() && !part.implicit;
        if settable && self.result.get(path).is_none() {
            return;
        }
        self.presence(path);
        part.rules.iter().for_each(|rule| self.pull(*rule, path));
    }

    /// What may be missing in a node, or be chosen twice.
    pub(super) fn inside(&mut self, path: &Path) {
        let set = self.set;
        let Some(id) = set.schema().find(path) else { return };
        self.presence(path);
        for child in set.schema().node(id).children.iter() {
            let node = set.schema().node(*child);
            if node.config && (set.rules().part(*child).mandatory || !node.cases.is_empty()) {
                let below = set.below(path, *child);
                self.note(*child, &below);
                self.include_existence(&below);
            }
        }
    }

    pub(super) fn list(&mut self, parent: &Path, list: Id, changed: &BTreeSet<Path>) {
        let set = self.set;
        let part = set.rules().part(list);
        let path = set.below(parent, list);
        self.presence(parent);
        self.note(list, &path);
        if set.schema().node(list).kind == Kind::LeafList {
            return self.include(&path);
        }
        if part.min > 0 || part.max.is_some() {
            let entries = set.entries(self.result, &path);
            // Libyang stops to count at the least there has to be, if there is no most.
            let enough = part.max.is_none() && entries.len() >= part.min as usize;
            let count = if enough { part.min as usize } else { entries.len() };
            entries.iter().take(count).for_each(|entry| self.include_existence(entry));
        }
        if !changed.is_empty() && !part.uniques.is_empty() {
            for entry in set.alike(self.result, list, &path, changed) {
                self.include_existence(&entry);
                for leaf in part.uniques.concat() {
                    self.leaf_of(list, &entry, leaf);
                }
            }
        }
    }

    /// A leaf below an entry, with no list on the way.
    pub(super) fn leaf_of(&mut self, list: Id, entry: &Path, leaf: Id) {
        let depth = self.set.rules().part(list).depth;
        let way = self.set.schema().lineage(leaf).into_iter().skip(depth);
        let steps = way.map(|id| Step { id, keys: Vec::new() }).collect();
        let place = crate::rules::Place { base: list, steps };
        let read = Read { place, extent: Extent::Value };
        let search = Search { read: &read, of: entry, wanted: None };
        self.down(&search, list, entry, &read.place.steps);
    }
}

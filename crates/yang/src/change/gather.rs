//! The part of a configuration that rules read.

mod follow;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Path};

use super::find::{exists, first, prefix};
use super::order;
use super::scope::Questions;
use crate::rules::{Extent, Nature, Read, Step};
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

use follow::Search;

/// A part in the making.
pub(crate) struct Gather<'a> {
    pub(super) set: &'a ModelSet,
    pub(super) result: &'a Configuration,
    part: BTreeMap<Path, Content>,
    /// The rules whose reads are in, with the node they are of.
    pulled: BTreeSet<(usize, Path)>,
    /// A rule turned out to read more than is known.
    unbounded: bool,
    /// The modules at the top that the rules read something of, be it there by default.
    modules: BTreeSet<&'a str>,
    /// Something is read of what is at the top, in whatever module.
    top: bool,
    /// The least depth of a node that a rule looks from.
    highest: usize,
    /// A rule reads keys.
    keyed: bool,
}

impl<'a> Gather<'a> {
    pub(crate) fn new(set: &'a ModelSet, result: &'a Configuration) -> Self {
        let (part, pulled) = (BTreeMap::new(), BTreeSet::new());
        let modules = BTreeSet::new();
        let (unbounded, top, highest, keyed) = (false, false, usize::MAX, false);
        Self { set, result, part, pulled, unbounded, modules, top, highest, keyed }
    }

    /// Everything that the rules in question read.
    pub(super) fn all(&mut self, questions: &Questions) {
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
    fn complete(&mut self, questions: &Questions) {
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

    /// What decides on what is there by default in a region: its own conditions and choices.
    pub(crate) fn region(&mut self, at: &Path, conditional: &[(Path, Id)]) {
        // The region itself is there, so its conditions hold.
        let there = self.set.schema().find(at).map(|id| self.set.schema().node(id).kind);
        match there {
            Some(Kind::List) => drop(self.part.insert(at.clone(), Content::Entry)),
            Some(Kind::Container { presence: true }) => {
                self.part.insert(at.clone(), Content::Presence);
            }
            _ => {}
        }
        for (below, id) in conditional {
            self.note(*id, &at.join(below));
        }
    }

    /// All that is in so far, seen from a node; none if that does not tell all there is to its
    /// rules.
    pub(crate) fn look(&self, at: &Path) -> Option<Vec<(Path, Content)>> {
        let depth = at.elements().len();
        if self.keyed || self.highest < depth {
            return None;
        }
        let seen = |(path, content): (&Path, &Content)| {
            let below = path.elements().iter().skip(depth).cloned().collect();
            at.is_prefix_of(path).then(|| (below, content.clone()))
        };
        self.part.iter().map(seen).collect()
    }

    /// The part, and whether it is of one module alone, so that libyang need not look at others;
    /// none if only the whole will do.
    pub(crate) fn finish(mut self) -> Option<(Configuration, bool)> {
        order::keep(self.set, self.result, &mut self.part);
        let alone = !self.top && !self.part.is_empty() && self.modules.len() == 1;
        (!self.unbounded).then(|| (self.part.into_iter().collect(), alone))
    }

    /// Something in the module that the path is in is read.
    fn module(&mut self, path: &Path) {
        let set = self.set;
        let first = path.elements().first();
        match first.and_then(|first| set.schema().child(ROOT, first.name())) {
            Some(id) => drop(self.modules.insert(&set.schema().node(id).module)),
            None => self.top = true,
        }
    }

    /// A unit, if it is set, and what the conditions above it read.
    pub(super) fn include(&mut self, path: &Path) {
        let Some(content) = self.result.get(path) else { return };
        if self.part.contains_key(path) {
            return;
        }
        self.part.insert(path.clone(), content.clone());
        self.module(path);
        let mut id = ROOT;
        for (depth, element) in path.elements().iter().enumerate() {
            let Some(child) = self.set.schema().child(id, element.name()) else { return };
            id = child;
            if self.set.rules().part(id).has_when {
                self.conditions(id, &prefix(path, depth + 1));
            }
        }
        // One that names nothing would make libyang give up.
        if self.set.rules().part(id).instance {
            for named in self.set.named(self.result, path).into_iter().flatten() {
                self.presence(&named);
            }
        }
    }

    /// A node that is set or has something set below it.
    pub(super) fn include_existence(&mut self, path: &Path) {
        if let Some((path, _)) = first(self.result, path) {
            self.include(path);
        }
    }

    /// What a node that is there by default is in: the next entry or presence container above.
    fn include_anchor(&mut self, path: &Path) {
        self.module(path);
        let Some(id) = self.set.schema().find(path) else { return };
        let lineage = self.set.schema().lineage(id);
        let anchors = |id: &Id| {
            let kind = self.set.schema().node(*id).kind;
            matches!(kind, Kind::List | Kind::Container { presence: true })
        };
        let above = lineage.len().saturating_sub(1);
        if let Some(depth) = lineage.iter().take(above).rposition(anchors) {
            self.include_existence(&prefix(path, depth + 1));
        }
    }

    fn include_all(&mut self, path: &Path) {
        let units: Vec<Path> = self.result.under(path).map(|(path, _)| path.clone()).collect();
        units.iter().for_each(|path| self.include(path));
    }

    fn conditions(&mut self, id: Id, path: &Path) {
        let set = self.set;
        for rule in &set.rules().part(id).rules {
            if set.rules().rules[*rule].nature == Nature::When {
                self.pull(*rule, path);
            }
        }
    }

    /// What decides whether a node is there by default: its condition, and what is chosen.
    fn note(&mut self, id: Id, path: &Path) {
        let set = self.set;
        if set.rules().part(id).has_when {
            self.conditions(id, path);
        }
        let Some((choice, _)) = set.schema().node(id).cases.first() else { return };
        let Some(parent) = path.parent() else { return };
        for member in set.schema().members(*choice) {
            self.include_existence(&set.below(&parent, member));
        }
    }

    /// The same for all nodes down to this one.
    fn note_all(&mut self, path: &Path) {
        let mut id = ROOT;
        for (depth, element) in path.elements().iter().enumerate() {
            let Some(child) = self.set.schema().child(id, element.name()) else { return };
            id = child;
            let has_when = self.set.rules().part(id).has_when;
            if has_when || !self.set.schema().node(id).cases.is_empty() {
                self.note(id, &prefix(path, depth + 1));
            }
        }
    }

    /// A node, wherever it comes from, as it is.
    fn presence(&mut self, path: &Path) {
        self.module(path);
        self.note_all(path);
        if exists(self.result, path) {
            self.include_existence(path);
        } else {
            self.include_anchor(path);
        }
    }

    fn own(&mut self, path: &Path) {
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
    fn inside(&mut self, path: &Path) {
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

    fn list(&mut self, parent: &Path, list: Id, changed: &BTreeSet<Path>) {
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
    fn leaf_of(&mut self, list: Id, entry: &Path, leaf: Id) {
        let depth = self.set.rules().part(list).depth;
        let way = self.set.schema().lineage(leaf).into_iter().skip(depth);
        let steps = way.map(|id| Step { id, keys: Vec::new() }).collect();
        let place = crate::rules::Place { base: list, steps };
        let read = Read { place, extent: Extent::Value };
        let search = Search { read: &read, of: entry, wanted: None };
        self.down(&search, list, entry, &read.place.steps);
    }

    /// What a rule of a node reads.
    fn pull(&mut self, rule: usize, path: &Path) {
        if !self.pulled.insert((rule, path.clone())) {
            return;
        }
        let set = self.set;
        let rule = &set.rules().rules[rule];
        let Some(reads) = &rule.reads else {
            self.unbounded = true;
            return;
        };
        for read in reads {
            let wanted = match read.extent {
                Extent::Target => set.texts(self.result, rule.at, path),
                Extent::Existence | Extent::Value => None,
            };
            self.highest = self.highest.min(set.rules().part(read.place.base).depth);
            self.keyed |= set.reads_keys(read);
            let search = Search { read, of: path, wanted };
            let base = prefix(path, set.rules().part(read.place.base).depth);
            self.down(&search, read.place.base, &base, &read.place.steps);
        }
    }
}

impl ModelSet {
    /// Whether the values of keys may be part of what is read.
    fn reads_keys(&self, read: &Read) -> bool {
        let keyed = |step: &Step| !step.keys.is_empty() || self.schema().node(step.id).is_key();
        let whole = read.extent == Extent::Value && !self.schema().node(read.place.end()).is_leaf();
        whole || read.place.steps.iter().any(keyed)
    }
}

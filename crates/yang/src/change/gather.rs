//! The part of a configuration that rules read.

mod ask;
mod follow;
mod include;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Path};

use super::find::{makes_exist, prefix};
use super::order;
use crate::rules::{Extent, Read, Step};
use crate::schema::{Id, Kind};
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

    /// What decides on what is there by default in a region: its own conditions and choices.
    pub(crate) fn region(&mut self, at: &Path, conditional: &[(Path, Id)]) {
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

    /// What shows libyang that a region is there, if it has conditions: it decides on none inside what it
    /// has not seen the conditions of. They hold, so they are no part of how the region looks; gives
    /// whether they bring in nothing of the region either.
    pub(crate) fn uphold(&mut self, at: &Path, conditional: &[(Path, Id)]) -> bool {
        if !conditional.iter().any(|(_, id)| self.set.rules().part(*id).has_when) {
            return true;
        }
        let inside = |part: &BTreeMap<Path, Content>| {
            part.keys().filter(|path| at.is_prefix_of(path)).count()
        };
        let before = inside(&self.part);
        self.conditions_down(at);
        inside(&self.part) == before
    }

    /// All that is in so far, seen from a node; none if that does not tell all there is to its
    /// rules.
    pub(crate) fn look(&mut self, at: &Path) -> Option<Vec<(Path, Content)>> {
        let depth = at.elements().len();
        if self.keyed || self.highest < depth {
            return None;
        }
        order::keep(self.set, self.result, &mut self.part);
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
        // Where nothing is there, there is no module that libyang would look at.
        let there = self.part.values().any(makes_exist);
        let alone = !self.top && there && self.modules.len() == 1;
        (!self.unbounded).then(|| (self.part.into_iter().collect(), alone))
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

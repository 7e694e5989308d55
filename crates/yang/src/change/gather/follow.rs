//! From the node of a rule to what it reads, step by step.

use lockstep_types::{Element, Path};

use super::super::find::exists;
use super::Gather;
use crate::rules::{Extent, Read, Step};
use crate::schema::{Id, Kind, ROOT};

/// What is looked for: a read of a rule's node, and for a leafref the values it has.
pub(super) struct Search<'r> {
    pub(super) read: &'r Read,
    pub(super) of: &'r Path,
    pub(super) wanted: Option<Vec<String>>,
}

impl Gather<'_> {
    /// Follows the steps of a read down from a node.
    pub(super) fn down(&mut self, search: &Search<'_>, id: Id, at: &Path, steps: &[Step]) {
        let Some((step, rest)) = steps.split_first() else {
            return self.end(search, id, at);
        };
        let path = self.set.below(at, step.id);
        match self.set.schema().node(step.id).kind {
            Kind::List => self.down_list(search, at, step, rest),
            Kind::Container { presence: true } if !exists(self.result, &path) => {}
            _ => {
                self.note(step.id, &path);
                self.down(search, step.id, &path, rest);
            }
        }
    }

    fn down_list(&mut self, search: &Search<'_>, at: &Path, step: &Step, rest: &[Step]) {
        let set = self.set;
        let node = set.schema().node(step.id);
        let mut keys = set.keys_wanted(self.result, step, search.of);
        // A leafref to a key names the entries it may mean.
        let last =
            rest.first().filter(|last| rest.len() == 1 && set.schema().node(last.id).is_key());
        let targets = match (&search.wanted, last) {
            (Some(wanted), Some(key)) => {
                let name = &set.schema().node(key.id).name;
                wanted.iter().map(|text| vec![(name.clone(), text.clone())]).collect()
            }
            _ => vec![Vec::new()],
        };
        for target in targets {
            let mut all = std::mem::take(&mut keys);
            keys.clone_from(&all);
            all.extend(target);
            let Some(element) = element(node.step.clone(), &all) else { continue };
            let path = at.child(element);
            let is_one = path.last().is_some_and(|last| last.keys().len() == node.keys.len());
            if is_one {
                if exists(self.result, &path) {
                    self.note(step.id, &path);
                    self.down(search, step.id, &path, rest);
                }
            } else if self.is_plain(step.id, rest) {
                self.scan(search, &path, rest);
            } else {
                for entry in set.entries(self.result, &path) {
                    self.note(step.id, &entry);
                    self.down(search, step.id, &entry, rest);
                }
            }
        }
    }

    /// Whether the steps lead to a leaf that is there only where it is set, with nothing on the way
    /// that decides on it.
    fn is_plain(&self, list: Id, rest: &[Step]) -> bool {
        let Some(end) = rest.last().map(|step| step.id) else { return false };
        let set = self.set;
        let free =
            |id: Id| set.schema().node(id).cases.is_empty() && !set.rules().part(id).has_when;
        let leaf = set.schema().node(end);
        let explicit = leaf.is_leaf() && !leaf.is_key() && !set.rules().part(end).implicit;
        explicit && free(list) && rest.iter().all(|step| free(step.id) && step.keys.is_empty())
    }

    fn scan(&mut self, search: &Search<'_>, list: &Path, rest: &[Step]) {
        let pattern = rest.iter().fold(list.clone(), |path, step| self.set.below(&path, step.id));
        let found: Vec<Path> = self.result.under(&pattern).map(|(path, _)| path.clone()).collect();
        let end = search.read.place.end();
        found.iter().for_each(|path| self.end(search, end, path));
    }

    /// The node that a read leads to.
    fn end(&mut self, search: &Search<'_>, id: Id, path: &Path) {
        let set = self.set;
        let node = set.schema().node(id);
        if node.is_key() {
            let entry = path.parent().unwrap_or_default();
            return self.include_existence(&entry);
        }
        if node.is_leaf() {
            let implicit = set.rules().part(id).implicit;
            return match self.result.get(path) {
                // Left out, one that has a default would have that instead.
                Some(_) if !implicit && !self.is_wanted(search, id, path) => {}
                Some(_) => self.include(path),
                None if implicit => self.include_anchor(path),
                None => {}
            };
        }
        if id == ROOT {
            self.top = true;
            self.unbounded |= search.read.extent == Extent::Value;
            return;
        }
        if exists(self.result, path) {
            self.include_existence(path);
        } else if set.rules().part(id).implicit {
            self.include_anchor(path);
        }
        if search.read.extent == Extent::Value {
            self.include_all(path);
            self.defaults_below(id, path);
        }
    }

    /// The conditions and choices of what is below a node, all of which is read.
    pub(super) fn defaults_below(&mut self, id: Id, path: &Path) {
        let set = self.set;
        for child in set.schema().node(id).children.iter() {
            if !set.schema().node(*child).config {
                continue;
            }
            for instance in set.instances(self.result, id, path, *child) {
                self.note(*child, &instance);
                self.defaults_below(*child, &instance);
            }
        }
    }

    fn is_wanted(&self, search: &Search<'_>, id: Id, path: &Path) -> bool {
        let Some(wanted) = &search.wanted else { return true };
        let found = self.set.texts(self.result, id, path);
        found.is_none_or(|found| found.iter().any(|text| wanted.contains(text)))
    }
}

fn element(bare: Option<Element>, keys: &[(String, String)]) -> Option<Element> {
    keys.iter().try_fold(bare?, |element, (key, value)| element.with_key(key, value).ok())
}

//! Leaves one by one: those in force at a path, what a change makes of them, and what a device
//! reports of its state.
//!
//! A leaf is in force if it is set, or not set and there by default. The keys of an entry are leaves
//! too. Presence containers are told beside them, since no leaf says that they are there.

mod report;

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Configuration, Content, Delta, Path, Value};

use crate::change::find::exists;
use crate::defaults::begins;
use crate::error::PathError;
use crate::scalar::Form;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

/// What becomes of each leaf.
type News = BTreeMap<Path, Option<Content>>;

impl ModelSet {
    /// A path or pattern as configurations have it.
    pub fn canonical_path(&self, path: &Path) -> Result<Path, PathError> {
        self.locate(path).map(|located| located.path)
    }

    /// The module that defines what is at a canonical path.
    pub fn module_of(&self, path: &Path) -> Option<&str> {
        self.schema().find(path).map(|id| self.schema().node(id).module.as_str())
    }

    /// Every leaf, leaf-list and presence container that is in force at and below what a path stands
    /// for.
    pub fn leaves(
        &self,
        tree: &Configuration,
        path: &Path,
    ) -> Result<Vec<(Path, Content)>, PathError> {
        let located = self.locate(path)?;
        let mut found = self.defaults(tree, &located);
        // A key is no unit; it is known from the entry it is in.
        let keys = located.ends().iter().any(|id| self.schema().node(*id).is_key());
        let above = located.path.parent().filter(|_| keys);
        for (at, unit) in tree.under(above.as_ref().unwrap_or(&located.path)) {
            match &unit.content {
                None | Some(Content::Order(_)) => {}
                Some(Content::Entry) => found.extend(self.keys_of(at)),
                Some(content) => found.push((at.clone(), content.clone())),
            }
        }
        found.retain(|(at, _)| located.path.covers(at));
        Ok(found)
    }

    /// What becomes of leaves, presence containers and entries when `before` becomes `after`. All units
    /// that differ have to be among the `touched`; whatever else is, changes nothing.
    ///
    /// The cost follows what differs and what that can have an effect on, as for
    /// [`ModelSet::validate_change`].
    pub fn changes<'a>(
        &self,
        before: &Configuration,
        after: &Configuration,
        touched: impl IntoIterator<Item = &'a Path>,
    ) -> Delta {
        let differs = |path: &&Path| before.get(path) != after.get(path);
        let touched: BTreeSet<&Path> = touched.into_iter().filter(differs).collect();
        let mut news = News::new();
        for path in &touched {
            self.changed(before.get(path), after.get(path), path, &mut news);
        }
        if touched.is_empty() || self.changed_by_default(before, after, &touched, &mut news) {
            return news.into_iter().collect();
        }
        // Where a condition cannot be bounded only the whole tells.
        let (was, is) = (self.with_defaults(before), self.with_defaults(after));
        let mut news = News::new();
        for (path, _) in was.diff(&is) {
            self.changed(was.get(&path), is.get(&path), &path, &mut news);
        }
        news.into_iter().collect()
    }

    /// What is told of one unit.
    fn changed(&self, was: Option<&Content>, is: Option<&Content>, path: &Path, news: &mut News) {
        match (was, is) {
            // The order of entries is in no leaf.
            (Some(Content::Order(_)), _) | (_, Some(Content::Order(_))) => return,
            (Some(Content::Entry), _) | (_, Some(Content::Entry)) => {
                let keys = self.keys_of(path).into_iter();
                news.extend(keys.map(|(path, key)| (path, is.is_some().then_some(key))));
            }
            _ => {}
        }
        news.insert(path.clone(), is.cloned());
    }

    /// What is there by default, or no longer. False: only the whole tells.
    fn changed_by_default(
        &self,
        before: &Configuration,
        after: &Configuration,
        touched: &BTreeSet<&Path>,
        news: &mut News,
    ) -> bool {
        let Some(nodes) = self.stirred(before, after, touched) else { return false };
        let regions: BTreeSet<(Id, Path)> =
            nodes.iter().chain(touched.iter().copied()).flat_map(|p| self.regions_of(p)).collect();
        for (id, at) in regions {
            let (Some(was), Some(is)) =
                (self.in_force(before, id, &at), self.in_force(after, id, &at))
            else {
                return false;
            };
            let paths: BTreeSet<&Path> = was.keys().chain(is.keys()).collect();
            for path in paths {
                let was = was.get(path).or_else(|| before.get(path));
                let is = is.get(path).or_else(|| after.get(path));
                if was == is {
                    news.remove(path);
                } else {
                    news.insert(path.clone(), is.cloned());
                }
            }
        }
        true
    }

    /// The region that a node is in, and the one that begins at it.
    fn regions_of(&self, path: &Path) -> Vec<(Id, Path)> {
        let (mut id, mut above, mut own) = (ROOT, (ROOT, 0), None);
        let length = path.elements().len();
        for (depth, element) in (1..).zip(path.elements()) {
            let Some(child) = self.schema().child(id, element.name()) else { break };
            id = child;
            let node = self.schema().node(id);
            if begins(node) && element.keys().len() == node.keys.len() {
                if depth == length { own = Some((id, depth)) } else { above = (id, depth) }
            }
        }
        let at =
            |(id, depth): (Id, usize)| (id, path.elements().iter().take(depth).cloned().collect());
        [Some(above), own].into_iter().flatten().map(at).collect()
    }

    /// The leaves of a region that may be there by default, with what is in force; none if only the
    /// whole configuration tells.
    fn in_force(&self, tree: &Configuration, id: Id, at: &Path) -> Option<BTreeMap<Path, Content>> {
        if id != ROOT && !exists(tree, at) {
            return Some(BTreeMap::new());
        }
        let defaults = self.region_defaults(tree, id, at)?;
        let in_force = |(below, content): &(Path, Content)| {
            let path = at.join(below);
            let content = tree.get(&path).unwrap_or(content).clone();
            (path, content)
        };
        Some(defaults.iter().map(in_force).collect())
    }

    /// The key leaves of an entry.
    fn keys_of(&self, entry: &Path) -> Vec<(Path, Content)> {
        let Some((id, last)) = self.schema().find(entry).zip(entry.last()) else {
            return Vec::new();
        };
        let node = self.schema().node(id);
        if node.kind != Kind::List {
            return Vec::new();
        }
        let leaf = |key: &Id| {
            let text = last.key(&self.schema().node(*key).name)?;
            let json = self.key_json(*key, text, Form::Ietf);
            let value = self.value(*key, &json).unwrap_or_else(|_| Value::string(text));
            Some((self.schema().below(entry, *key), Content::Leaf(value)))
        };
        node.keys.iter().filter_map(leaf).collect()
    }
}

//! What is at a path, with the defaults that are in use.

mod fill;

use std::collections::BTreeSet;

use lockstep_types::{Configuration, Content, Element, Path, Value};
use serde_json::Value as Json;

use crate::error::PathError;
use crate::render::{Branch, Renderer};
use crate::scalar::Form;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

impl ModelSet {
    /// Every node that the path stands for and that has data, each with its concrete path and its
    /// value. Leaves at their default are part of it. Empty: there is no data.
    pub fn get(
        &self,
        tree: &Configuration,
        path: &Path,
        form: Form,
    ) -> Result<Vec<(Path, Json)>, PathError> {
        let located = self.locate(path)?;
        let filled = self.filled(tree, &located);
        // A key is no unit; it is known from the entry it is in.
        let keys = located.ends().iter().any(|id| self.schema().node(*id).is_key());
        let above = located.path.parent().filter(|_| keys);
        let units = filled.under(above.as_ref().unwrap_or(&located.path));
        let units = units.filter_map(|(path, unit)| Some((path, unit.content.as_ref()?)));
        let branch: Branch<'_> = units.collect();
        let mut search = Search { set: self, form, found: Vec::new(), seen: BTreeSet::new() };
        search.walk(located.path.elements(), ROOT, &branch, &Path::root());
        Ok(outermost(search.found))
    }
}

struct Search<'a> {
    set: &'a ModelSet,
    form: Form,
    found: Vec<(Path, Json)>,
    /// Where the search was, with how much of the pattern left: `...` leads to one place in many
    /// ways.
    seen: BTreeSet<(usize, Path)>,
}

impl Search<'_> {
    /// Follows the pattern down from a node.
    fn walk(&mut self, pattern: &[Element], id: Id, branch: &Branch<'_>, at: &Path) {
        if !self.seen.insert((pattern.len(), at.clone())) {
            return;
        }
        let Some((wanted, rest)) = pattern.split_first() else {
            return self.take(id, branch, at);
        };
        let many = wanted.name() == "...";
        if many {
            self.walk(rest, id, branch, at);
            if rest.is_empty() {
                return;
            }
        }
        let rest = if many { pattern } else { rest };
        let key = self.key_leaves(id, at).into_iter();
        for (element, content) in key {
            if many || accepts(wanted, &element) {
                let branch = Branch { content: Some(&content), ..Branch::default() };
                self.down(rest, id, &element, &branch, at);
            }
        }
        for (element, below) in &branch.below {
            if many || accepts(wanted, element) {
                self.down(rest, id, element, below, at);
            }
        }
    }

    fn down(&mut self, rest: &[Element], id: Id, element: &Element, below: &Branch<'_>, at: &Path) {
        let Some(child) = self.set.schema().child(id, element.name()) else { return };
        // The order of a list is no node, nor is a list without its keys.
        let is_list = self.set.schema().node(child).kind == Kind::List;
        if is_list && element.keys().is_empty() {
            return;
        }
        self.walk(rest, child, below, &at.child(element.clone()));
    }

    /// The keys of an entry, which are no units of their own.
    fn key_leaves(&self, id: Id, at: &Path) -> Vec<(Element, Content)> {
        let Some(entry) = at.last() else { return Vec::new() };
        let schema = self.set.schema();
        let leaf = |key: &Id| {
            let text = entry.key(&schema.node(*key).name)?;
            let json = self.set.key_json(*key, text, Form::Ietf);
            let value = self.set.value(*key, &json).unwrap_or_else(|_| Value::string(text));
            Some((Element::new(&schema.node(*key).element).ok()?, Content::Leaf(value)))
        };
        schema.node(id).keys.iter().filter_map(leaf).collect()
    }

    fn take(&mut self, id: Id, branch: &Branch<'_>, at: &Path) {
        let document = Renderer::new(self.set, self.form).node(id, branch, at);
        self.found.extend(document.map(|document| (at.clone(), document.into_json())));
    }
}

/// What is not part of something else that was found.
fn outermost(mut found: Vec<(Path, Json)>) -> Vec<(Path, Json)> {
    let paths: BTreeSet<Path> = found.iter().map(|(path, _)| path.clone()).collect();
    found.retain(|(path, _)| !path.ancestors().any(|above| paths.contains(&above)));
    found
}

/// Whether an element is one that the pattern stands for.
fn accepts(wanted: &Element, element: &Element) -> bool {
    let name = wanted.name() == "*" || wanted.name() == element.name();
    name && wanted
        .keys()
        .iter()
        .all(|(key, value)| element.key(key).is_some_and(|found| value == "*" || value == found))
}

//! What is at a path, with the defaults that are in use.

use std::collections::BTreeSet;
use std::iter;

use lockstep_types::{Configuration, Content, Element, Path, Value};
use serde_json::Value as Json;

use crate::error::PathError;
use crate::locate::Located;
use crate::render::{Branch, Renderer, Unit};
use crate::scalar::Form;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

/// What is shown of a configuration, and in which form. A [`Form`] alone shows everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Show {
    /// How values and names are written.
    pub form: Form,
    /// How many levels below what was asked for; 0: all. At 1 these are the leaves and leaf-lists
    /// right below it.
    pub depth: usize,
    /// Only what these modules define. The way down to it, with its keys, is shown in any case.
    /// Empty: whatever defines it.
    pub modules: BTreeSet<String>,
    /// With the leaves that are at their default.
    pub defaults: bool,
}

impl From<Form> for Show {
    fn from(form: Form) -> Self {
        Self { form, depth: 0, modules: BTreeSet::new(), defaults: true }
    }
}

impl ModelSet {
    /// Every node that the path stands for and that has data to show, each with its concrete path
    /// and its value. Empty: there is no data.
    pub fn get(
        &self,
        tree: &Configuration,
        path: &Path,
        show: impl Into<Show>,
    ) -> Result<Vec<(Path, Json)>, PathError> {
        let written = self.get_text(tree, &self.locate(path)?, &show.into()).into_iter();
        // What was written here can be read.
        Ok(written.map(|(path, text)| (path, text.parse().unwrap_or_default())).collect())
    }

    /// Whether a path is that of one leaf, which is set: nothing is there by default beside it.
    fn is_set_leaf(&self, tree: &Configuration, at: &Located) -> bool {
        let one = matches!(at.ends(), [id] if self.schema().node(*id).is_leaf());
        one && tree.get(&at.path).is_some()
    }

    /// The same, with each value as it is written down.
    pub fn get_text(
        &self,
        tree: &Configuration,
        located: &Located,
        show: &Show,
    ) -> Vec<(Path, String)> {
        let by_default = show.defaults && !self.is_set_leaf(tree, located);
        let mut defaults = if by_default { self.standards(tree, located) } else { Vec::new() };
        defaults.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        // A key is no unit; it is known from the entry it is in.
        let keys = located.ends().iter().any(|id| self.schema().node(*id).is_key());
        let above = located.path.parent().filter(|_| keys);
        let units = tree.under(above.as_ref().unwrap_or(&located.path));
        let units = units.filter_map(|(path, unit)| Some((path, unit.content.as_ref()?)));
        let mut units = merged(units, &defaults);
        units.retain(|(path, _)| self.is_of(path, show));
        let branch = Branch::root(&units);
        let many = located.path.elements().iter().any(|element| element.name() == "...");
        let mut search = Search { set: self, show, found: Vec::new(), many, seen: BTreeSet::new() };
        search.walk(located.path.elements(), ROOT, branch, &Path::root());
        if many { outermost(search.found) } else { search.found }
    }

    /// Whether a unit is of a module that is shown.
    fn is_of(&self, path: &Path, show: &Show) -> bool {
        let of = |id: Id| show.modules.contains(&self.schema().node(id).module);
        show.modules.is_empty() || self.schema().find(path).is_none_or(of)
    }
}

/// What is set, and between it what is there by default: both in order. Where something is set, that counts.
fn merged<'u>(
    set: impl Iterator<Item = Unit<'u>>,
    defaults: &'u [(Path, Content)],
) -> Vec<Unit<'u>> {
    let mut units = Vec::with_capacity(set.size_hint().0 + defaults.len());
    let mut defaults = defaults.iter().map(|(path, content)| (path, content)).peekable();
    for unit in set {
        units.extend(iter::from_fn(|| defaults.next_if(|(path, _)| *path < unit.0)));
        defaults.next_if(|(path, _)| *path == unit.0);
        units.push(unit);
    }
    units.extend(defaults);
    units
}

struct Search<'a> {
    set: &'a ModelSet,
    show: &'a Show,
    found: Vec<(Path, String)>,
    /// Whether there is `...` in the pattern, which leads to one place in many ways.
    many: bool,
    /// Where the search was then, with how much of the pattern left.
    seen: BTreeSet<(usize, Path)>,
}

impl Search<'_> {
    /// Follows the pattern down from a node.
    fn walk(&mut self, pattern: &[Element], id: Id, branch: Branch<'_>, at: &Path) {
        if self.many && !self.seen.insert((pattern.len(), at.clone())) {
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
                let path = at.child(element.clone());
                let unit = [(&path, &content)];
                self.down(rest, id, &element, Branch::leaf(&unit), at);
            }
        }
        for (element, below) in branch.below() {
            if many || accepts(wanted, element) {
                self.down(rest, id, element, below, at);
            }
        }
    }

    fn down(&mut self, rest: &[Element], id: Id, element: &Element, below: Branch<'_>, at: &Path) {
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
            Some((schema.node(*key).step.clone()?, Content::Leaf(value)))
        };
        schema.node(id).keys.iter().filter_map(leaf).collect()
    }

    fn take(&mut self, id: Id, branch: Branch<'_>, at: &Path) {
        let mut renderer = Renderer::new(self.set, self.show.form);
        if self.show.depth > 0 {
            renderer = renderer.down_to(at.elements().len().saturating_add(self.show.depth));
        }
        self.found.extend(renderer.written(id, branch).map(|text| (at.clone(), text)));
    }
}

/// What is not part of something else that was found, as with `...` it may be.
fn outermost(mut found: Vec<(Path, String)>) -> Vec<(Path, String)> {
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

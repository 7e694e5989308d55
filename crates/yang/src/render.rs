//! Units into JSON.

mod document;
mod encode;

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Content, Element, Keys, Path, Value};

pub(crate) use document::Document;

use crate::change::find::makes_exist;
use crate::scalar::Form;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

/// Units as a tree, by the elements of their paths.
#[derive(Debug, Default)]
pub(crate) struct Branch<'a> {
    pub(crate) content: Option<&'a Content>,
    pub(crate) below: BTreeMap<&'a Element, Branch<'a>>,
}

impl Branch<'_> {
    /// Whether anything in it exists.
    fn is_live(&self) -> bool {
        self.content.is_some_and(makes_exist) || self.below.values().any(Branch::is_live)
    }
}

impl<'a> FromIterator<(&'a Path, &'a Content)> for Branch<'a> {
    fn from_iter<T: IntoIterator<Item = (&'a Path, &'a Content)>>(units: T) -> Self {
        let mut root = Self::default();
        for (path, content) in units {
            let mut branch = &mut root;
            for element in path.elements() {
                branch = branch.below.entry(element).or_default();
            }
            branch.content = Some(content);
        }
        root
    }
}

impl ModelSet {
    /// A whole configuration in the form that libyang reads. What the models have no place for is
    /// left out and listed.
    pub(crate) fn document(&self, tree: &Configuration, strange: &mut Vec<Path>) -> String {
        let branch: Branch<'_> = tree.iter().collect();
        let mut renderer = Renderer::new(self, Form::Ietf);
        let document = renderer.node(ROOT, &branch, &Path::root());
        strange.append(&mut renderer.strange);
        document.map_or_else(|| "{}".to_owned(), |document| document.text())
    }
}

/// Writes units in one form, and keeps what the models do not know.
pub(crate) struct Renderer<'a> {
    set: &'a ModelSet,
    form: Form,
    /// How many elements the paths of the lowest nodes have that are shown.
    lowest: usize,
    /// Where units stand that the models have no place for.
    pub(crate) strange: Vec<Path>,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(set: &'a ModelSet, form: Form) -> Self {
        Self { set, form, lowest: usize::MAX, strange: Vec::new() }
    }

    /// The same, with nothing whose path has more elements.
    pub(crate) fn down_to(self, lowest: usize) -> Self {
        Self { lowest, ..self }
    }

    /// The value at a node; none if there is nothing.
    pub(crate) fn node(&mut self, id: Id, branch: &Branch<'_>, at: &Path) -> Option<Document> {
        match (self.set.schema().node(id).kind, branch.content) {
            (Kind::Leaf { .. }, Some(Content::Leaf(value))) => Some(self.leaf(id, value)),
            (Kind::LeafList, Some(Content::LeafList(values))) => {
                let values = values.iter().map(|value| self.leaf(id, value));
                Some(Document::Array(values.collect()))
            }
            (Kind::Container { presence: true }, Some(Content::Presence))
            | (Kind::List, Some(Content::Entry)) => {
                Some(Document::Object(self.inside(id, branch, at, true)))
            }
            (Kind::List, None) if !branch.is_live() => None,
            (Kind::Container { .. } | Kind::Root | Kind::List, None) => {
                let inside = self.inside(id, branch, at, true);
                (!inside.is_empty()).then_some(Document::Object(inside))
            }
            _ => {
                self.strange.push(at.clone());
                None
            }
        }
    }

    fn leaf(&self, id: Id, value: &Value) -> Document {
        Document::Value(self.set.json(id, value, self.form))
    }

    /// The members below a node, the keys of an entry first.
    fn inside(
        &mut self,
        id: Id,
        branch: &Branch<'_>,
        at: &Path,
        top: bool,
    ) -> Vec<(String, Document)> {
        let mut members = self.keys(id, at.last(), top);
        let mut lists: BTreeMap<&str, Vec<(&Element, &Branch<'_>)>> = BTreeMap::new();
        for (element, below) in &branch.below {
            lists.entry(element.name()).or_default().push((*element, below));
        }
        for (name, found) in lists {
            let Some(child) = self.set.schema().child(id, name) else {
                self.strange.extend(found.iter().map(|(element, _)| at.child((*element).clone())));
                continue;
            };
            let node = self.set.schema().node(child);
            if !node.is_leaf() && at.elements().len() + 1 >= self.lowest {
                continue;
            }
            let value = match (node.kind, found.as_slice()) {
                (Kind::List, _) => self.list(child, &found, at),
                (_, [(element, below)]) => self.child(child, element, below, at),
                (_, _) => {
                    self.strange.extend(found.iter().map(|(e, _)| at.child((*e).clone())));
                    None
                }
            };
            members.extend(value.map(|value| (self.name(id, child, top), value)));
        }
        members
    }

    fn child(
        &mut self,
        id: Id,
        element: &Element,
        branch: &Branch<'_>,
        at: &Path,
    ) -> Option<Document> {
        let path = at.child(element.clone());
        match self.set.schema().node(id).kind {
            Kind::Container { presence } => {
                let there = presence && branch.content == Some(&Content::Presence);
                if branch.content.is_some() && !there {
                    self.strange.push(path.clone());
                }
                let inside = self.inside(id, branch, &path, false);
                (there || !inside.is_empty()).then_some(Document::Object(inside))
            }
            _ => self.node(id, branch, &path),
        }
    }

    /// The entries of a list, in its order.
    fn list(&mut self, id: Id, found: &[(&Element, &Branch<'_>)], at: &Path) -> Option<Document> {
        let mut order: &[Keys] = &[];
        let mut entries = Vec::new();
        for (element, branch) in found {
            let path = at.child((*element).clone());
            match branch.content {
                Some(Content::Order(keys)) if element.keys().is_empty() => order = keys,
                None if !branch.is_live() => {}
                Some(Content::Entry) | None if self.is_entry(id, element) => {
                    let inside = self.inside(id, branch, &path, false);
                    entries.push((element.keys(), Document::Object(inside)));
                }
                _ => self.strange.push(path),
            }
        }
        sort(&mut entries, order);
        let entries: Vec<Document> = entries.into_iter().map(|(_, entry)| entry).collect();
        (!entries.is_empty()).then_some(Document::Array(entries))
    }

    fn is_entry(&self, list: Id, element: &Element) -> bool {
        let keys = &self.set.schema().node(list).keys;
        keys.len() == element.keys().len()
            && element.keys().keys().all(|key| self.set.key(list, key).is_some())
    }

    fn keys(&self, list: Id, element: Option<&Element>, top: bool) -> Vec<(String, Document)> {
        let Some(element) = element else { return Vec::new() };
        let keys = self.set.schema().node(list).keys.iter();
        let member = |key: &Id| {
            let text = element.key(&self.set.schema().node(*key).name)?;
            let json = self.set.key_json(*key, text, self.form);
            Some((self.name(list, *key, top), Document::Value(json)))
        };
        keys.filter_map(member).collect()
    }

    /// The name of a member: with its module where a reader could not know it.
    pub(crate) fn name(&self, parent: Id, child: Id, top: bool) -> String {
        let node = self.set.schema().node(child);
        let same = parent != ROOT && self.set.schema().node(parent).module == node.module;
        match self.form {
            Form::Json => node.element.clone(),
            Form::Ietf if same && !top => node.name.clone(),
            Form::Ietf => node.qualified(),
        }
    }
}

/// As the order says; what it does not name comes after, by its keys.
fn sort(entries: &mut [(&Keys, Document)], order: &[Keys]) {
    let places: BTreeMap<&Keys, usize> = order.iter().zip(0..).collect();
    if !places.is_empty() {
        entries.sort_by_key(|(keys, _)| places.get(keys).copied().unwrap_or(usize::MAX));
    }
}

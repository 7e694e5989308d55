//! Units into JSON: written down as they come, in the order of their paths.

mod branch;
mod encode;
mod text;

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Content, Element, Keys, Path, Value};

pub(crate) use branch::{Branch, Unit};
use text::{quoted, separated};

use crate::scalar::Form;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

impl ModelSet {
    /// A whole configuration in the form that libyang reads. What the models have no place for is
    /// left out and listed.
    pub(crate) fn document(&self, tree: &Configuration, strange: &mut Vec<Path>) -> String {
        let units: Vec<Unit<'_>> = tree.iter().collect();
        let mut renderer = Renderer::new(self, Form::Ietf);
        let document = renderer.written(ROOT, Branch::root(&units));
        strange.append(&mut renderer.strange);
        document.unwrap_or_else(|| "{}".to_owned())
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

/// The entries of a list, each as long as it lasts: one element after the other, with what is below.
type Run<'b, 'u> = &'b [(&'u Element, Branch<'u>)];

impl<'a> Renderer<'a> {
    pub(crate) fn new(set: &'a ModelSet, form: Form) -> Self {
        Self { set, form, lowest: usize::MAX, strange: Vec::new() }
    }

    /// The same, with nothing whose path has more elements.
    pub(crate) fn down_to(self, lowest: usize) -> Self {
        Self { lowest, ..self }
    }

    /// The value at a node as text; none if there is nothing.
    pub(crate) fn written(&mut self, id: Id, branch: Branch<'_>) -> Option<String> {
        let mut out = String::new();
        self.node(id, branch, &mut out).then_some(out)
    }

    /// Writes the value at a node. Whether there is one; otherwise nothing was written.
    fn node(&mut self, id: Id, branch: Branch<'_>, out: &mut String) -> bool {
        match (self.set.schema().node(id).kind, branch.content()) {
            (Kind::Leaf { .. }, Some(Content::Leaf(value))) => {
                self.set.write(id, value, self.form, out);
                true
            }
            (Kind::LeafList, Some(Content::LeafList(values))) => self.leaf_list(id, values, out),
            (Kind::Container { presence: true }, Some(Content::Presence))
            | (Kind::List, Some(Content::Entry)) => self.object(id, branch, true, true, out),
            (Kind::List, None) if !branch.is_live() => false,
            (Kind::Container { .. } | Kind::Root | Kind::List, None) => {
                self.object(id, branch, true, false, out)
            }
            _ => {
                self.strange.push(branch.path());
                false
            }
        }
    }

    fn leaf_list(&self, id: Id, values: &[Value], out: &mut String) -> bool {
        out.push('[');
        for (place, value) in values.iter().enumerate() {
            separated(out, place > 0);
            self.set.write(id, value, self.form, out);
        }
        out.push(']');
        true
    }

    /// Writes an object; an empty one only where it is there by itself.
    fn object(
        &mut self,
        id: Id,
        branch: Branch<'_>,
        top: bool,
        there: bool,
        out: &mut String,
    ) -> bool {
        let begun = out.len();
        out.push('{');
        let is_empty = !self.inside(id, branch, top, out);
        if is_empty && !there {
            out.truncate(begun);
            return false;
        }
        out.push('}');
        true
    }

    /// Writes the members below a node, the keys of an entry first: libyang wants them there, or its errors lose them.
    /// Whether there are any.
    fn inside(&mut self, id: Id, branch: Branch<'_>, top: bool, out: &mut String) -> bool {
        let mut any = self.keys(id, branch.last(), top, out);
        let mut run = Vec::new();
        let mut below = branch.below().peekable();
        while let Some(first) = below.next() {
            let name = first.0.name();
            run.clear();
            run.push(first);
            while let Some(next) = below.next_if(|(element, _)| element.name() == name) {
                run.push(next);
            }
            any |= self.member(id, (name, &run), (top, any), out);
        }
        any
    }

    /// Writes one member: all that has the same name. Whether there is anything.
    fn member(
        &mut self,
        parent: Id,
        (name, run): (&str, Run<'_, '_>),
        (top, follows): (bool, bool),
        out: &mut String,
    ) -> bool {
        let Some(child) = self.set.schema().child(parent, name) else {
            self.strange.extend(run.iter().map(|(_, branch)| branch.path()));
            return false;
        };
        let node = self.set.schema().node(child);
        if !node.is_leaf() && run[0].1.depth() >= self.lowest {
            return false;
        }
        let begun = out.len();
        separated(out, follows);
        self.name(parent, child, top, out);
        out.push(':');
        let written = match (node.kind, run) {
            (Kind::List, _) => self.list(child, run, out),
            (_, [(_, branch)]) => self.child(child, *branch, out),
            (_, _) => {
                self.strange.extend(run.iter().map(|(_, branch)| branch.path()));
                false
            }
        };
        if !written {
            out.truncate(begun);
        }
        written
    }

    fn child(&mut self, id: Id, branch: Branch<'_>, out: &mut String) -> bool {
        let Kind::Container { presence } = self.set.schema().node(id).kind else {
            return self.node(id, branch, out);
        };
        let there = presence && branch.content() == Some(&Content::Presence);
        if branch.content().is_some() && !there {
            self.strange.push(branch.path());
        }
        self.object(id, branch, false, there, out)
    }

    /// Writes the entries of a list, in its order.
    fn list(&mut self, id: Id, run: Run<'_, '_>, out: &mut String) -> bool {
        let mut order: &[Keys] = &[];
        let mut entries = Vec::new();
        out.push('[');
        let first = out.len();
        for (element, branch) in run {
            match branch.content() {
                Some(Content::Order(keys)) if element.keys().is_empty() => order = keys,
                None if !branch.is_live() => {}
                Some(Content::Entry) | None if self.is_entry(id, element) => {
                    let follows = out.len() > first;
                    separated(out, follows);
                    let begun = out.len();
                    self.object(id, *branch, false, true, out);
                    entries.push((element.keys(), begun..out.len()));
                }
                _ => self.strange.push(branch.path()),
            }
        }
        if !order.is_empty() {
            arrange(out, first, entries.as_mut_slice(), order);
        }
        out.push(']');
        !entries.is_empty()
    }

    fn is_entry(&self, list: Id, element: &Element) -> bool {
        let keys = &self.set.schema().node(list).keys;
        keys.len() == element.keys().len()
            && element.keys().keys().all(|key| self.set.key(list, key).is_some())
    }

    /// Writes the keys of an entry. Whether there are any.
    fn keys(&self, list: Id, element: Option<&Element>, top: bool, out: &mut String) -> bool {
        let Some(element) = element else { return false };
        let begun = out.len();
        for key in &self.set.schema().node(list).keys {
            let Some(text) = element.key(&self.set.schema().node(*key).name) else { continue };
            let follows = out.len() > begun;
            separated(out, follows);
            self.name(list, *key, top, out);
            out.push(':');
            self.set.write_key(*key, text, self.form, out);
        }
        out.len() > begun
    }

    /// Writes the name of a member: with its module where a reader could not know it.
    fn name(&self, parent: Id, child: Id, top: bool, out: &mut String) {
        let node = self.set.schema().node(child);
        out.push('"');
        match self.form {
            Form::Json => out.push_str(&node.element),
            Form::Ietf if self.is_plain(parent, child, top) => out.push_str(&node.name),
            Form::Ietf => {
                out.push_str(&node.module);
                out.push(':');
                out.push_str(&node.name);
            }
        }
        out.push('"');
    }

    fn is_plain(&self, parent: Id, child: Id, top: bool) -> bool {
        let module = |id: Id| &self.set.schema().node(id).module;
        parent != ROOT && !top && module(parent) == module(child)
    }

    /// The name of a member by itself.
    pub(crate) fn named(&self, parent: Id, child: Id, top: bool) -> String {
        let mut name = String::new();
        self.name(parent, child, top, &mut name);
        name.trim_matches('"').to_owned()
    }
}

/// Puts what was written from `first` on into another order: as it says; what it does not name comes after, by its keys.
fn arrange(
    out: &mut String,
    first: usize,
    entries: &mut [(&Keys, std::ops::Range<usize>)],
    order: &[Keys],
) {
    let places: BTreeMap<&Keys, usize> = order.iter().zip(0..).collect();
    entries.sort_by_key(|(keys, _)| places.get(keys).copied().unwrap_or(usize::MAX));
    let mut arranged = String::with_capacity(out.len() - first);
    for (_, place) in entries {
        let follows = !arranged.is_empty();
        separated(&mut arranged, follows);
        arranged.push_str(&out[place.clone()]);
    }
    out.truncate(first);
    out.push_str(&arranged);
}

impl ModelSet {
    /// Writes the value of a leaf.
    fn write(&self, id: Id, value: &Value, form: Form, out: &mut String) {
        match value {
            Value::String(text) | Value::Enum(text) => quoted(text, out),
            Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            value => text::json(&self.json(id, value, form), out),
        }
    }

    /// Writes the value of a key.
    fn write_key(&self, id: Id, text: &str, form: Form, out: &mut String) {
        if self.is_text(id) {
            quoted(text, out);
        } else {
            text::json(&self.key_json(id, text, form), out);
        }
    }
}

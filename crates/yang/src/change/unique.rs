//! Values by which things are found: those of leaves, of keys that expressions ask for, of unique
//! leaves.

use std::collections::BTreeSet;

use lockstep_types::{Configuration, Content, Path, Value};

use super::find::prefix;
use crate::instance;
use crate::rules::{Source, Step};
use crate::scalar::{Form, key_text};
use crate::schema::{Base, Id};
use crate::set::ModelSet;

impl ModelSet {
    /// The values of a leaf or leaf-list as texts; none if there may be others by default.
    pub(super) fn texts(&self, tree: &Configuration, id: Id, path: &Path) -> Option<Vec<String>> {
        let node = self.schema().node(id);
        if node.is_key() {
            let entry = path.parent()?;
            return Some(vec![entry.last()?.key(&node.name)?.to_owned()]);
        }
        let text = |value: &Value| self.text(id, value);
        match tree.get(path) {
            Some(Content::Leaf(value)) => Some(vec![text(value)]),
            Some(Content::LeafList(values)) => Some(values.iter().map(text).collect()),
            _ if self.rules().part(id).implicit => None,
            _ => Some(Vec::new()),
        }
    }

    /// A value as libyang writes it.
    pub(crate) fn text(&self, id: Id, value: &Value) -> String {
        key_text(&self.json(id, value, Form::Ietf))
    }

    /// The keys that a step asks for, as far as they are known; seen from the node of its rule.
    pub(super) fn keys_wanted(
        &self,
        tree: &Configuration,
        step: &Step,
        of: &Path,
    ) -> Vec<(String, String)> {
        let wanted = |(key, source): &(String, Source)| {
            let leaf = self.key(step.id, key)?;
            let base = self.schema().node(leaf).base.filter(|base| is_simple(*base))?;
            let text = match source {
                Source::Text(text) => text.clone(),
                Source::Leaf(place) => {
                    let end = place.end();
                    if self.schema().node(end).base != Some(base) {
                        return None;
                    }
                    let from = prefix(of, self.rules().part(place.base).depth);
                    let path = place.steps.iter().fold(from, |at, step| self.below(&at, step.id));
                    let texts = self.texts(tree, end, &path)?;
                    texts.into_iter().next()?
                }
            };
            let text = self.key_value(leaf, &text).unwrap_or(text);
            Some((key.clone(), text))
        };
        step.keys.iter().filter_map(wanted).collect()
    }

    /// The nodes that the instance-identifiers of a leaf name; none if that is not known for each.
    pub(super) fn named(&self, tree: &Configuration, path: &Path) -> Option<Vec<Path>> {
        let values = match tree.get(path)? {
            Content::Leaf(value) => std::slice::from_ref(value),
            Content::LeafList(values) => values,
            _ => return None,
        };
        let one = |value: &Value| {
            let theirs = match value {
                Value::InstanceIdentifier(path) => path.clone(),
                value => instance::read(&value.to_string()).ok()?,
            };
            let (path, id, whole) = self.place_of(&theirs);
            let node = self.schema().node(id);
            (whole && node.kind != crate::schema::Kind::LeafList).then_some(path)
        };
        values.iter().map(one).collect()
    }

    /// The entries of a list that changed, and those that may have the same unique values as one of
    /// them; and so many more that there are three, for libyang goes another way with two.
    pub(super) fn alike(
        &self,
        tree: &Configuration,
        list: Id,
        path: &Path,
        changed: &BTreeSet<Path>,
    ) -> Vec<Path> {
        let entries = self.entries(tree, path);
        let uniques = &self.rules().part(list).uniques;
        let tuples = |entry: &Path| -> Vec<Vec<Option<Vec<String>>>> {
            let leaf = |leaf: &Id| self.texts(tree, *leaf, &self.leaf_path(list, entry, *leaf));
            uniques.iter().map(|leaves| leaves.iter().map(leaf).collect()).collect()
        };
        let new: Vec<_> = entries.iter().filter(|e| changed.contains(*e)).map(&tuples).collect();
        let is_alike = |entry: &Path| {
            let own = tuples(entry);
            new.iter().any(|new| new.iter().zip(&own).any(|(a, b)| may_equal(a, b)))
        };
        let taken: Vec<bool> =
            entries.iter().map(|entry| changed.contains(entry) || is_alike(entry)).collect();
        let mut more = 3_usize.saturating_sub(taken.iter().filter(|taken| **taken).count());
        let mut kept = Vec::new();
        for (entry, taken) in entries.into_iter().zip(taken) {
            if taken {
                kept.push(entry);
            } else if more > 0 {
                more -= 1;
                kept.push(entry);
            }
        }
        kept
    }

    fn leaf_path(&self, list: Id, entry: &Path, leaf: Id) -> Path {
        let way = self.schema().lineage(leaf).into_iter().skip(self.rules().part(list).depth);
        way.fold(entry.clone(), |path, id| self.below(&path, id))
    }
}

/// Whether the values may be the same, where one that is not known may be anything.
fn may_equal(a: &[Option<Vec<String>>], b: &[Option<Vec<String>>]) -> bool {
    let same = |(a, b): (&Option<Vec<String>>, &Option<Vec<String>>)| match (a, b) {
        (Some(a), Some(b)) => !a.is_empty() && a == b,
        (Some(known), None) | (None, Some(known)) => !known.is_empty(),
        (None, None) => true,
    };
    a.iter().zip(b).all(same)
}

/// Whether equal values of the type have equal texts, and the text of a literal is that of a value.
fn is_simple(base: Base) -> bool {
    match base {
        Base::Int
        | Base::Int64
        | Base::Uint
        | Base::Uint64
        | Base::Bool
        | Base::String
        | Base::Enum => true,
        Base::Decimal64
        | Base::Bits
        | Base::Binary
        | Base::IdentityRef
        | Base::Empty
        | Base::InstanceIdentifier
        | Base::Union => false,
    }
}

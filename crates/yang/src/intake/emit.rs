//! Units from a draft and its values.

use std::collections::BTreeSet;

use lockstep_types::{Content, Element, Keys, Path, Value};
use serde_json::Value as Json;

use super::{Draft, Entry, Units, misfit};
use crate::error::DataError;
use crate::locate::Located;
use crate::scalar::key_text;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

struct Emit<'a> {
    set: &'a ModelSet,
    values: &'a [Option<Json>],
    units: Units,
    entries: BTreeSet<Path>,
}

/// The units of a draft that stands at a place, those above it first.
pub(super) fn units(
    set: &ModelSet,
    at: &Located,
    drafts: &[Draft],
    values: &[Option<Json>],
    outside: Vec<String>,
) -> Result<Units, DataError> {
    let units = Units { outside, ..Units::default() };
    let mut emit = Emit { set, values, units, entries: BTreeSet::new() };
    emit.above(at);
    let inner = set.schema().node(at.id()).kind;
    // A draft of anything but an entry or everything is the node at the place itself.
    let itself = !(inner == Kind::Root || inner == Kind::List && at.is_entry());
    let parent = if itself { at.path.parent().unwrap_or_default() } else { at.path.clone() };
    drafts.iter().try_for_each(|draft| emit.draft(draft, &parent))?;
    Ok(emit.units)
}

impl Emit<'_> {
    /// What exists as soon as anything below it is set. The node at the place itself belongs to
    /// the draft, unless it is an entry.
    fn above(&mut self, at: &Located) {
        for (path, id) in at.lineage() {
            let is_itself = path == at.path && !at.is_entry();
            match self.set.schema().node(id).kind {
                Kind::List if !is_itself => self.exists(id, path),
                Kind::Container { presence: true } if !is_itself => {
                    self.units.set.push((path, Content::Presence));
                }
                _ => {}
            }
        }
        for (path, id) in at.lineage() {
            let parent = path.parent().unwrap_or_default();
            self.rivals(id, &parent);
        }
    }

    fn exists(&mut self, list: Id, entry: Path) {
        if self.set.schema().node(list).user_ordered
            && let (Some(list), Some(last)) = (entry.list(), entry.last())
        {
            self.units.order.push((list, last.keys().clone()));
        }
        self.units.set.push((entry, Content::Entry));
    }

    fn rivals(&mut self, id: Id, parent: &Path) {
        let schema = self.set.schema();
        let rivals = schema.rivals(id).map(|rival| schema.below(parent, rival));
        self.units.rivals.extend(rivals);
    }

    fn draft(&mut self, draft: &Draft, at: &Path) -> Result<(), DataError> {
        let before = self.units.set.len();
        let id = match draft {
            Draft::Leaf { id, slot } => self.leaf(*id, *slot, at)?,
            Draft::LeafList { id, slots } => self.leaf_list(*id, slots, at)?,
            Draft::Container { id, inside } => self.container(*id, inside, at)?,
            Draft::List { id, entries } => self.list(*id, entries, at)?,
        };
        if self.units.set.len() > before && !self.set.schema().node(id).cases.is_empty() {
            self.rivals(id, at);
        }
        Ok(())
    }

    fn path(&self, id: Id, at: &Path) -> Path {
        self.set.schema().below(at, id)
    }

    fn value(&self, id: Id, slot: usize, path: &Path) -> Result<Option<Value>, DataError> {
        let Some(Some(json)) = self.values.get(slot) else { return Ok(None) };
        let wrong =
            |message: String| DataError::Values(vec![misfit(path.clone(), json, message.into())]);
        self.set.value(id, json).map(Some).map_err(wrong)
    }

    fn leaf(&mut self, id: Id, slot: usize, at: &Path) -> Result<Id, DataError> {
        let path = self.path(id, at);
        if let Some(value) = self.value(id, slot, &path)? {
            self.units.set.push((path, Content::Leaf(value)));
        }
        Ok(id)
    }

    fn leaf_list(&mut self, id: Id, slots: &[usize], at: &Path) -> Result<Id, DataError> {
        let path = self.path(id, at);
        let values = slots.iter().filter_map(|slot| self.value(id, *slot, &path).transpose());
        let mut values: Vec<Value> = values.collect::<Result<_, _>>()?;
        if !self.set.schema().node(id).user_ordered {
            values.sort();
        }
        if !values.is_empty() {
            self.units.set.push((path, Content::LeafList(values.into())));
        }
        Ok(id)
    }

    fn container(&mut self, id: Id, inside: &[Draft], at: &Path) -> Result<Id, DataError> {
        let path = if id == ROOT { at.clone() } else { self.path(id, at) };
        if self.set.schema().node(id).kind == (Kind::Container { presence: true }) {
            self.units.set.push((path.clone(), Content::Presence));
        }
        inside.iter().try_for_each(|draft| self.draft(draft, &path))?;
        Ok(id)
    }

    fn list(&mut self, id: Id, entries: &[Entry], at: &Path) -> Result<Id, DataError> {
        for entry in entries {
            let Some(element) = self.element(id, entry) else { continue };
            let path = at.child(element);
            if !self.entries.insert(path.clone()) {
                return Err(DataError::Duplicate { path });
            }
            self.exists(id, path.clone());
            entry.inside.iter().try_for_each(|draft| self.draft(draft, &path))?;
        }
        Ok(id)
    }

    /// The element of an entry; none if one of its keys was left out.
    fn element(&self, list: Id, entry: &Entry) -> Option<Element> {
        let node = self.set.schema().node(list);
        let mut keys = Keys::new();
        for (key, slot) in node.keys.iter().zip(&entry.keys) {
            let value = self.values.get(*slot)?.as_ref()?;
            keys.insert(self.set.schema().node(*key).name.clone(), key_text(value));
        }
        let bare = node.step.clone()?;
        keys.into_iter().try_fold(bare, |element, (key, value)| element.with_key(key, value).ok())
    }
}

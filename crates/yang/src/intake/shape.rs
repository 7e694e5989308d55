//! The shape of JSON, held against the models.

use std::collections::BTreeSet;

use lockstep_types::{Element, Path};
use serde_json::{Map, Value as Json};

use super::{Draft, Intake, Misfit, Slot};
use crate::error::{DataError, Shape};
use crate::locate::{Located, bare};
use crate::nearest::nearest;
use crate::schema::{Id, Kind, ROOT};

pub(super) type Members<'a> = &'a Map<String, Json>;

impl<'a> Intake<'a> {
    /// What stands at the place that was named.
    pub(super) fn start(&mut self, at: &Located, json: &'a Json) -> Result<Vec<Draft>, DataError> {
        let id = at.id();
        let node = self.set.schema().node(id);
        if !node.config {
            return Err(DataError::ReadOnly { path: at.path.clone() });
        }
        match node.kind {
            Kind::Root => self.members(id, object(&at.path, json)?, &at.path),
            Kind::List if at.is_entry() => self.entry_inside(id, object(&at.path, json)?, at),
            Kind::Leaf { key: true } => {
                // The value has to be what the path says; the entry is all that is set.
                let parent = at.path.parent().unwrap_or_default();
                self.key_agrees(id, json, &parent).map(|()| Vec::new())
            }
            _ => self.node(id, json, &at.path).map(|draft| vec![draft]),
        }
    }

    /// The same for a whole configuration in its canonical form.
    pub(super) fn start_raw(
        &mut self,
        at: &Located,
        json: &'a Json,
    ) -> Result<Vec<Draft>, DataError> {
        self.members(ROOT, object(&at.path, json)?, &at.path)
    }

    /// A node, whose own path is `at`.
    fn node(&mut self, id: Id, json: &'a Json, at: &Path) -> Result<Draft, DataError> {
        match self.set.schema().node(id).kind {
            Kind::Leaf { .. } => Ok(Draft::Leaf { id, slot: self.scalar(id, json, at)? }),
            Kind::LeafList => {
                let values = array(at, json)?.iter();
                let slots =
                    values.map(|json| self.scalar(id, json, at)).collect::<Result<_, _>>()?;
                Ok(Draft::LeafList { id, slots })
            }
            Kind::List => {
                let entries = array(at, json)?.iter();
                let entries = entries.filter_map(|json| self.fit(|it| it.entry(id, json, at)));
                Ok(Draft::List { id, entries: entries.collect::<Result<_, _>>()? })
            }
            Kind::Container { .. } | Kind::Root => {
                let inside = self.members(id, object(at, json)?, at)?;
                Ok(Draft::Container { id, inside })
            }
            Kind::Any => Err(DataError::Unsupported { path: at.clone() }),
        }
    }

    /// Puts a single value aside.
    pub(super) fn scalar(&mut self, id: Id, json: &'a Json, at: &Path) -> Result<usize, DataError> {
        let found = match json {
            Json::Null => return Err(DataError::Null { path: at.clone() }),
            Json::Object(_) => Some(found(json)),
            Json::Array(items) if items.as_slice() != [Json::Null] => Some(found(json)),
            _ => None,
        };
        if let Some(found) = found {
            return Err(DataError::Shape { path: at.clone(), expected: Shape::Scalar, found });
        }
        let (sent, json) = (json, self.set.prepare(id, json.clone(), self.source));
        self.slots.push(Slot { id, json, sent, path: at.clone() });
        Ok(self.slots.len() - 1)
    }

    /// The members of an object, but for the keys of a list entry.
    pub(super) fn members(
        &mut self,
        id: Id,
        members: Members<'a>,
        at: &Path,
    ) -> Result<Vec<Draft>, DataError> {
        let mut drafts = Vec::new();
        let mut seen = BTreeSet::new();
        for (name, json) in members {
            let draft = self.fit(|it| it.member(id, name, json, at, &mut seen));
            drafts.extend(draft.transpose()?.flatten());
        }
        Ok(drafts)
    }

    /// What a part comes to; none if it does not fit and is left out.
    fn fit<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, DataError>,
    ) -> Option<Result<T, DataError>> {
        match part(self) {
            Err(error) if self.misfit == Misfit::LeaveOut => {
                self.leave_out(error);
                None
            }
            result => Some(result),
        }
    }

    fn leave_out(&mut self, error: DataError) {
        match error {
            DataError::ReadOnly { .. } => {}
            DataError::Unknown { path, name, .. } => {
                let root = if path.is_root() { String::new() } else { path.to_string() };
                self.outside.push(format!("{root}/{name}"));
            }
            error => self.outside.push(error.to_string()),
        }
    }

    fn member(
        &mut self,
        id: Id,
        name: &str,
        json: &'a Json,
        at: &Path,
        seen: &mut BTreeSet<Id>,
    ) -> Result<Option<Draft>, DataError> {
        let child = self.child(id, name, at)?;
        let node = self.set.schema().node(child);
        let path = self.set.schema().below(at, child);
        if !seen.insert(child) {
            return Err(DataError::Duplicate { path });
        }
        if node.is_key() {
            return Ok(None);
        }
        if !node.config {
            return Err(DataError::ReadOnly { path });
        }
        self.node(child, json, &path).map(Some)
    }

    fn child(&self, id: Id, name: &str, at: &Path) -> Result<Id, DataError> {
        let schema = self.set.schema();
        // A name that several modules have is that of the parent's module, as RFC 7951 says.
        let own = || schema.child(id, &format!("{}:{name}", schema.node(id).module));
        schema.child(id, name).or_else(own).ok_or_else(|| {
            let (path, modules) = (at.clone(), schema.modules_of(id, name));
            let name = name.to_owned();
            if modules.is_empty() {
                // Nobody is told of what is left out, and of that there may be much.
                let told = self.misfit != Misfit::LeaveOut;
                let known = schema.below_named(id).filter(|_| told);
                let nearest = nearest(bare(&name), known);
                DataError::Unknown { path, name, nearest }
            } else {
                DataError::Ambiguous { path, name, modules }
            }
        })
    }
}

/// The path of a child. Names of the models are never empty.
pub(super) fn child_path(at: &Path, name: &str) -> Path {
    Element::new(name).map_or_else(|_| at.clone(), |element| at.child(element))
}

pub(super) fn object<'j>(at: &Path, json: &'j Json) -> Result<Members<'j>, DataError> {
    let path = at.clone();
    let wrong = || DataError::Shape { path, expected: Shape::Object, found: found(json) };
    json.as_object().ok_or_else(wrong)
}

fn array<'j>(at: &Path, json: &'j Json) -> Result<&'j [Json], DataError> {
    let path = at.clone();
    let wrong = || DataError::Shape { path, expected: Shape::Array, found: found(json) };
    json.as_array().map(Vec::as_slice).ok_or_else(wrong)
}

fn found(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

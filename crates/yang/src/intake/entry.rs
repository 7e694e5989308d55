//! List entries and their keys.

use lockstep_types::{Element, Path};
use serde_json::Value as Json;

use super::shape::{Members, child_path, object};
use super::{Draft, Entry, Intake, misfit};
use crate::error::DataError;
use crate::locate::Located;
use crate::scalar::{Source, key_text};
use crate::schema::Id;

impl<'a> Intake<'a> {
    /// An entry among others of its list, which has to bring its keys.
    pub(super) fn entry(
        &mut self,
        list: Id,
        json: &'a Json,
        at: &Path,
    ) -> Result<Entry, DataError> {
        let members = object(at, json)?;
        let schema = self.set.schema();
        let mut keys = Vec::new();
        let mut shown = at.last().map(|last| Element::new(last.name()));
        for key in &schema.node(list).keys {
            let node = schema.node(*key);
            let given = members.get(&node.element).or_else(|| members.get(&node.qualified()));
            let Some(value) = given else {
                return Err(DataError::MissingKey { path: at.clone(), key: node.name.clone() });
            };
            shown = shown.map(|element| element?.with_key(&node.name, key_text(value)));
            keys.push(self.scalar(*key, value, &schema.below(at, *key))?);
        }
        let parent = at.parent().unwrap_or_default();
        let here = match shown {
            Some(Ok(element)) => parent.child(element),
            _ => at.clone(),
        };
        Ok(Entry { keys, inside: self.members(list, members, &here)? })
    }

    /// What is inside the entry that the path names. The keys may be left out, for the path has
    /// them.
    pub(super) fn entry_inside(
        &mut self,
        list: Id,
        members: Members<'a>,
        at: &Located,
    ) -> Result<Vec<Draft>, DataError> {
        for key in self.set.schema().node(list).keys.clone() {
            let node = self.set.schema().node(key);
            let given = members.get(&node.element).or_else(|| members.get(&node.qualified()));
            if let Some(value) = given {
                self.key_agrees(key, value, &at.path)?;
            }
        }
        self.members(list, members, &at.path)
    }

    /// Whether a key in the value is what the path of the entry says.
    pub(super) fn key_agrees(&self, key: Id, json: &Json, entry: &Path) -> Result<(), DataError> {
        let name = &self.set.schema().node(key).name;
        let prepared = match json {
            Json::Null => return Err(DataError::Null { path: child_path(entry, name) }),
            // From here on it is only compared, so that the two cannot differ by their form alone.
            Json::String(_) => self.set.prepare(key, json.clone(), Source::Text),
            _ => self.set.prepare(key, json.clone(), self.source),
        };
        let canonical = self.set.canonical(&[(key, prepared)]).map_err(|bad| {
            let wrong =
                bad.into_iter().map(|(_, wrong)| misfit(child_path(entry, name), json, wrong));
            DataError::Values(wrong.collect())
        })?;
        let found = canonical.first().map(key_text).unwrap_or_default();
        let wanted = entry.last().and_then(|element| element.key(name));
        if wanted == Some(found.as_str()) {
            return Ok(());
        }
        Err(DataError::WrongKey { path: entry.clone(), key: name.clone(), found })
    }
}

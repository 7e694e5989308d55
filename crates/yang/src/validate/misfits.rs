//! Values that are not of their types, found one by one.
//!
//! They can only stand in a configuration that was made for other models.

use lockstep_types::{Configuration, Content, Element, Path};
use serde_json::Value as Json;

use super::{Violation, told};
use crate::scalar::{Form, Wrong};
use crate::schema::Id;
use crate::set::ModelSet;

impl ModelSet {
    /// Every leaf and every key of an entry whose value its type does not have.
    pub(super) fn misfits(&self, tree: &Configuration) -> Vec<Violation> {
        let mut paths = Vec::new();
        let mut values = Vec::new();
        for (path, content) in tree.iter() {
            for (at, id, json) in self.values_of(path, content) {
                paths.push(at);
                values.push((id, json));
            }
        }
        let bad = self.canonical(&values).err().unwrap_or_default();
        let violation = |(place, wrong): (usize, Wrong)| {
            let (path, (_, json)) = (paths.get(place)?.clone(), values.get(place)?);
            let Wrong { message, app_tag } = wrong;
            Some(Violation { path, message, app_tag, value: Some(told(json)) })
        };
        bad.into_iter().filter_map(violation).collect()
    }

    /// The single values that a unit is made of. What is not in the models has none.
    fn values_of(&self, path: &Path, content: &Content) -> Vec<(Path, Id, Json)> {
        let Some(id) = self.schema().find(path) else { return Vec::new() };
        let node = self.schema().node(id);
        let leaf = |value| (path.clone(), id, self.json(id, value, Form::Ietf));
        match content {
            Content::Leaf(value) if node.is_leaf() => vec![leaf(value)],
            Content::LeafList(values) if node.is_leaf() => values.iter().map(leaf).collect(),
            Content::Entry => self.key_values(id, path),
            _ => Vec::new(),
        }
    }

    fn key_values(&self, list: Id, entry: &Path) -> Vec<(Path, Id, Json)> {
        let Some(element) = entry.last() else { return Vec::new() };
        let key = |key: &Id| {
            let name = &self.schema().node(*key).name;
            let json = self.key_json(*key, element.key(name)?, Form::Ietf);
            Some((entry.child(Element::new(name).ok()?), *key, json))
        };
        self.schema().node(list).keys.iter().filter_map(key).collect()
    }
}

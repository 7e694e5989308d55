//! One unit as JSON.

use lockstep_types::{Content, Element, Keys, Path};
use serde_json::Value as Json;

use super::Renderer;
use crate::error::PathError;
use crate::scalar::Form;
use crate::schema::Kind;
use crate::set::ModelSet;

impl ModelSet {
    /// The content of one unit as JSON: a leaf as its value, a leaf-list as an array, an entry as
    /// an object of its keys, a presence container as an empty object, an order as an array of
    /// such objects.
    pub fn encode(&self, path: &Path, content: &Content, form: Form) -> Result<Json, PathError> {
        let at = self.locate_one(path)?;
        let renderer = Renderer::new(self, form);
        let (id, node) = (at.id(), self.schema().node(at.id()));
        let entry = |element: Option<&Element>| {
            let keys = node.keys.iter().filter_map(|key| {
                let text = element?.key(&self.schema().node(*key).name)?;
                Some((renderer.named(id, *key, true), self.key_json(*key, text, form)))
            });
            Json::Object(keys.collect())
        };
        match (node.kind, content) {
            (Kind::Leaf { .. }, Content::Leaf(value)) => Ok(self.json(id, value, form)),
            (Kind::LeafList, Content::LeafList(values)) => {
                Ok(values.iter().map(|value| self.json(id, value, form)).collect())
            }
            (Kind::List, Content::Entry) if at.is_entry() => Ok(entry(at.path.last())),
            (Kind::Container { presence: true }, Content::Presence) => {
                Ok(Json::Object(serde_json::Map::new()))
            }
            (Kind::List, Content::Order(order)) if !at.is_entry() => {
                let elements = order.iter().map(|keys| with_keys(at.path.last(), keys));
                Ok(elements.map(|element| entry(element.as_ref())).collect())
            }
            _ => Err(PathError::Content { path: path.clone() }),
        }
    }
}

fn with_keys(list: Option<&Element>, keys: &Keys) -> Option<Element> {
    let bare = list?.clone();
    keys.iter().try_fold(bare, |element, (key, value)| element.with_key(key, value).ok())
}

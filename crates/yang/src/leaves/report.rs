//! What a device reports of its state, leaf by leaf.

use lockstep_types::{Content, Path, Value};
use serde_json::Value as Json;

use crate::scalar::{Source, key_text};
use crate::schema::{Base, Id, Kind};
use crate::set::ModelSet;

impl ModelSet {
    /// The leaves and leaf-lists of state in JSON that a device reports at a path. What the models do
    /// not know, or not with that value, is left out, and so are entries of lists without keys, which
    /// no path can name.
    pub fn state_leaves(&self, path: &Path, json: &Json) -> Vec<(Path, Content)> {
        let mut found = Vec::new();
        if let Ok(at) = self.locate_one(path) {
            Report { set: self, found: &mut found }.node(at.id(), &at.path, json);
        }
        found
    }
}

struct Report<'a> {
    set: &'a ModelSet,
    found: &'a mut Vec<(Path, Content)>,
}

impl Report<'_> {
    fn node(&mut self, id: Id, at: &Path, json: &Json) {
        let node = self.set.schema().node(id);
        if !node.state {
            return;
        }
        match (node.kind, json) {
            (Kind::Leaf { .. }, value) => self.leaf(id, at, value),
            (Kind::LeafList, Json::Array(values)) => self.leaf_list(id, at, values),
            (Kind::List, Json::Array(entries)) => {
                entries.iter().for_each(|entry| self.entry(id, at, entry));
            }
            (Kind::Root | Kind::Container { .. } | Kind::List, Json::Object(members)) => {
                for (name, value) in members {
                    if let Some(child) = self.set.child_named(id, name) {
                        self.node(child, &self.set.schema().below(at, child), value);
                    }
                }
            }
            _ => {}
        }
    }

    /// An entry of the list at a path without its keys.
    fn entry(&mut self, id: Id, list: &Path, entry: &Json) {
        let keys = &self.set.schema().node(id).keys;
        let Some((last, above)) = list.elements().split_last().filter(|_| !keys.is_empty()) else {
            return;
        };
        let named = keys.iter().try_fold(last.clone(), |element, key| {
            let node = self.set.schema().node(*key);
            let json = entry.get(&node.name).or_else(|| entry.get(node.qualified()))?;
            let json = self.set.prepare(*key, json.clone(), Source::Lenient);
            let canonical = self.set.canonical_one(*key, &json).unwrap_or(json);
            element.with_key(&node.name, key_text(&canonical)).ok()
        });
        if let Some(named) = named {
            let at = above.iter().cloned().chain([named]).collect();
            self.node(id, &at, entry);
        }
    }

    fn leaf(&mut self, id: Id, at: &Path, json: &Json) {
        if let Some(value) = self.value(id, json) {
            self.found.push((at.clone(), Content::Leaf(value)));
        }
    }

    fn leaf_list(&mut self, id: Id, at: &Path, values: &[Json]) {
        let values: Option<Vec<_>> = values.iter().map(|json| self.value(id, json)).collect();
        self.found.extend(values.map(|values| (at.clone(), Content::LeafList(values.into()))));
    }

    /// A value as the device has it: what a type allows it knows best, so only the type of the wire is
    /// made that of the models.
    fn value(&self, id: Id, json: &Json) -> Option<Value> {
        let node = self.set.schema().node(id);
        if node.config {
            return None;
        }
        match (node.base, json) {
            (Some(Base::Union), Json::Bool(truth)) => Some(Value::Bool(*truth)),
            (Some(Base::Union), Json::Number(number)) => {
                let signed = || number.as_i64().map(Value::Int);
                number.as_u64().map(Value::Uint).or_else(signed)
            }
            (Some(Base::Union), Json::String(text)) => Some(Value::string(&**text)),
            // Without its module, as plain JSON has it.
            (Some(Base::IdentityRef), Json::String(text)) if !text.contains(':') => {
                Some(Value::string(&**text))
            }
            _ => {
                let json = self.set.prepare(id, json.clone(), Source::Lenient);
                self.set.value(id, &json).ok()
            }
        }
    }
}

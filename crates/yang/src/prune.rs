//! JSON with some of it masked or left out.

use lockstep_types::{Element, Path};
use serde_json::{Map, Value as Json};

use crate::scalar::{Source, key_text};
use crate::schema::{Id, Kind};
use crate::set::ModelSet;

/// What becomes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Keep,
    /// Something else is shown in its place.
    Mask,
    /// It is left out.
    Drop,
}

impl ModelSet {
    /// A value at a path, without what is to be left out of it, and with `mask` in place of what is to be
    /// masked. `judge` is asked for leaves, leaf-lists and anydata, and for what is there by itself: entries
    /// and presence containers. The keys of an entry are part of its path, and shown with it. What the models
    /// do not know is left out. None: nothing is left.
    pub fn prune(
        &self,
        path: &Path,
        json: Json,
        mask: &Json,
        judge: &dyn Fn(&Path) -> Fate,
    ) -> Option<Json> {
        let at = self.locate_one(path).ok()?;
        Prune { set: self, mask, judge }.node(at.id(), &at.path, json)
    }
}

struct Prune<'a> {
    set: &'a ModelSet,
    mask: &'a Json,
    judge: &'a dyn Fn(&Path) -> Fate,
}

impl Prune<'_> {
    fn node(&self, id: Id, at: &Path, json: Json) -> Option<Json> {
        match (self.set.schema().node(id).kind, json) {
            (Kind::Leaf { .. } | Kind::LeafList | Kind::Any, json) => match (self.judge)(at) {
                Fate::Keep => Some(json),
                Fate::Mask => Some(self.masked(&json)),
                Fate::Drop => None,
            },
            (Kind::List, Json::Array(entries)) => {
                let entries = entries.into_iter().filter_map(|entry| {
                    let at = self.entry(id, at, &entry)?;
                    self.members(id, &at, entry)
                });
                let entries: Vec<Json> = entries.collect();
                (!entries.is_empty()).then_some(Json::Array(entries))
            }
            (_, json) => self.members(id, at, json),
        }
    }

    /// A leaf-list stays one, and does not tell how many values it has.
    fn masked(&self, json: &Json) -> Json {
        match json {
            Json::Array(_) => Json::Array(vec![self.mask.clone()]),
            _ => self.mask.clone(),
        }
    }

    fn members(&self, id: Id, at: &Path, json: Json) -> Option<Json> {
        let Json::Object(members) = json else { return None };
        let (mut left, mut keys) = (Map::new(), Map::new());
        for (name, value) in members {
            let Some(child) = self.set.child_named(id, &name) else { continue };
            if self.set.schema().node(child).is_key() {
                keys.insert(name, value);
            } else if let Some(value) = self.node(child, &self.set.schema().below(at, child), value)
            {
                left.insert(name, value);
            }
        }
        let by_itself = match self.set.schema().node(id).kind {
            Kind::List | Kind::Container { presence: true } => (self.judge)(at) != Fate::Drop,
            _ => false,
        };
        if left.is_empty() && !by_itself {
            return None;
        }
        keys.extend(left);
        Some(Json::Object(keys))
    }

    /// The path of an entry; none where a key is missing, so that nobody could say what is in it.
    fn entry(&self, id: Id, list: &Path, entry: &Json) -> Option<Path> {
        let (last, above) = list.elements().split_last()?;
        let mut keys = self.set.schema().node(id).keys.iter();
        let named = keys.try_fold(last.clone(), |element: Element, key| {
            let node = self.set.schema().node(*key);
            let json = entry.get(&node.name).or_else(|| entry.get(node.qualified()))?;
            let json = self.set.prepare(*key, json.clone(), Source::Lenient);
            let canonical = self.set.trial(*key, &json).unwrap_or(json);
            element.with_key(&node.name, key_text(&canonical)).ok()
        });
        named.map(|named| above.iter().cloned().chain([named]).collect())
    }
}

//! State as a device reports it, laid over configuration.

use lockstep_types::Path;
use serde_json::{Map, Value as Json};

use crate::error::PathError;
use crate::render::Renderer;
use crate::scalar::Form;
use crate::schema::{Id, Kind};
use crate::set::ModelSet;

impl ModelSet {
    /// A value with what a device reports of its state there laid over it: state is the device's word,
    /// configuration is not, and what the models do not know is left out. Both are relative to the
    /// path and in the same form; `None` where there is nothing.
    pub fn overlay(
        &self,
        path: &Path,
        config: Option<Json>,
        state: &Json,
        form: Form,
    ) -> Result<Option<Json>, PathError> {
        let id = self.locate_one(path)?.id();
        let names = Renderer::new(self, form);
        Ok(Overlay { set: self, names }.node(id, config, state, true))
    }
}

struct Overlay<'a> {
    set: &'a ModelSet,
    names: Renderer<'a>,
}

impl Overlay<'_> {
    fn node(&self, id: Id, config: Option<Json>, state: &Json, top: bool) -> Option<Json> {
        let node = self.set.schema().node(id);
        match (node.kind, state) {
            (Kind::Leaf { .. } | Kind::LeafList | Kind::Any, _) if node.config => config,
            (Kind::Leaf { .. } | Kind::LeafList | Kind::Any, _) => Some(state.clone()),
            (_, Json::Object(state)) => self.members(id, config, state, top),
            _ => config,
        }
    }

    fn members(
        &self,
        id: Id,
        config: Option<Json>,
        state: &Map<String, Json>,
        top: bool,
    ) -> Option<Json> {
        let there = config.is_some();
        let mut members = match config {
            Some(Json::Object(members)) => members,
            _ => Map::new(),
        };
        for (name, value) in state {
            let Some(child) = self.child(id, name) else { continue };
            let node = self.set.schema().node(child);
            let name = self.names.name(id, child, top);
            let before = members.remove(&name);
            let after = match node.kind {
                Kind::Leaf { key: true } => before.or_else(|| Some(value.clone())),
                Kind::List => self.entries(child, before, value),
                _ => self.node(child, before, value, false),
            };
            members.extend(after.map(|after| (name, after)));
        }
        (there || !members.is_empty()).then_some(Json::Object(members))
    }

    /// Entries with the same keys are the same; those that only the device has come last.
    fn entries(&self, id: Id, config: Option<Json>, state: &Json) -> Option<Json> {
        let Json::Array(state) = state else { return config };
        let mut entries = match config {
            Some(Json::Array(entries)) => entries,
            _ => Vec::new(),
        };
        for entry in state {
            let keys = self.keys(id, entry);
            let same = entries.iter_mut().find(|e| keys.is_some() && self.keys(id, e) == keys);
            match same {
                Some(same) => {
                    let before = Some(same.take());
                    *same = self.node(id, before, entry, false).unwrap_or_default();
                }
                None => entries.extend(self.node(id, None, entry, false)),
            }
        }
        (!entries.is_empty()).then_some(Json::Array(entries))
    }

    /// The keys of an entry, as texts: a number may be written either way. None where one is missing,
    /// or the list has no keys.
    fn keys(&self, list: Id, entry: &Json) -> Option<Vec<String>> {
        let keys = &self.set.schema().node(list).keys;
        let text = |key: &Id| {
            let node = self.set.schema().node(*key);
            match entry.get(&node.name).or_else(|| entry.get(node.qualified()))? {
                Json::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            }
        };
        keys.iter().map(text).collect::<Option<Vec<_>>>().filter(|keys| !keys.is_empty())
    }

    /// The child of this name, which may be qualified or not.
    fn child(&self, parent: Id, name: &str) -> Option<Id> {
        let schema = self.set.schema();
        let own = || schema.child(parent, &format!("{}:{name}", schema.node(parent).module));
        schema.child(parent, name).or_else(own)
    }
}

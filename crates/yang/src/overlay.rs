//! State as a device reports it, laid over configuration.

use lockstep_types::Path;
use serde_json::{Map, Value as Json};

use crate::error::PathError;
use crate::get::Show;
use crate::render::Renderer;
use crate::schema::{Id, Kind};
use crate::set::ModelSet;

impl ModelSet {
    /// A value with what a device reports of its state there laid over it: state is the device's word,
    /// configuration is not, and what the models do not know is left out. Both are relative to the
    /// path and in the same form; `None` where there is nothing. State is limited as `show` says.
    pub fn overlay(
        &self,
        path: &Path,
        config: Option<Json>,
        state: &Json,
        show: impl Into<Show>,
    ) -> Result<Option<Json>, PathError> {
        let show = show.into();
        let id = self.locate_one(path)?.id();
        let names = Renderer::new(self, show.form);
        let levels = if show.depth == 0 { usize::MAX } else { show.depth };
        Ok(Overlay { set: self, names, show: &show }.node(id, config, state, levels, true))
    }

    /// The child of this name, which may be qualified or not.
    pub(crate) fn child_named(&self, parent: Id, name: &str) -> Option<Id> {
        let schema = self.schema();
        let own = || schema.child(parent, &format!("{}:{name}", schema.node(parent).module));
        schema.child(parent, name).or_else(own)
    }
}

struct Overlay<'a> {
    set: &'a ModelSet,
    names: Renderer<'a>,
    show: &'a Show,
}

impl Overlay<'_> {
    fn node(
        &self,
        id: Id,
        config: Option<Json>,
        state: &Json,
        levels: usize,
        top: bool,
    ) -> Option<Json> {
        let node = self.set.schema().node(id);
        match (node.kind, state) {
            (Kind::Leaf { .. } | Kind::LeafList | Kind::Any, _) if node.config => config,
            (Kind::Leaf { .. } | Kind::LeafList | Kind::Any, _) if !self.is_shown(id) => None,
            (Kind::Leaf { .. } | Kind::LeafList | Kind::Any, _) => Some(state.clone()),
            (_, Json::Object(state)) => self.members(id, config, state, levels, top),
            _ => config,
        }
    }

    fn members(
        &self,
        id: Id,
        config: Option<Json>,
        state: &Map<String, Json>,
        levels: usize,
        top: bool,
    ) -> Option<Json> {
        let there = config.is_some();
        let mut members = match config {
            Some(Json::Object(members)) => members,
            _ => Map::new(),
        };
        for (name, value) in state {
            let Some(child) = self.set.child_named(id, name) else { continue };
            let node = self.set.schema().node(child);
            if levels == 1 && !node.is_leaf() && node.kind != Kind::Any {
                continue;
            }
            let name = self.names.named(id, child, top);
            let before = members.remove(&name);
            let after = match node.kind {
                Kind::Leaf { key: true } => before.or_else(|| Some(value.clone())),
                Kind::List => self.entries(child, before, value, levels - 1),
                _ => self.node(child, before, value, levels - 1, false),
            };
            members.extend(after.map(|after| (name, after)));
        }
        (there || !members.is_empty()).then_some(Json::Object(members))
    }

    /// Entries with the same keys are the same; those that only the device has come last.
    fn entries(&self, id: Id, config: Option<Json>, state: &Json, levels: usize) -> Option<Json> {
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
                    *same = self.node(id, before, entry, levels, false).unwrap_or_default();
                }
                None => entries.extend(self.node(id, None, entry, levels, false)),
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

    /// Whether a leaf is of a module that is shown.
    fn is_shown(&self, id: Id) -> bool {
        let modules = &self.show.modules;
        modules.is_empty() || modules.contains(&self.set.schema().node(id).module)
    }
}

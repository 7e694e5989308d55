//! Answers limited to some levels, or to some modules.

use lockstep_types::{Element, Path};
use lockstep_yang::{Kind, ModelSet};
use serde_json::{Map, Value as Json};

use crate::shown;

/// What an answer is limited to.
pub(super) struct Limits<'a> {
    pub(super) models: &'a ModelSet,
    /// So many levels below the path; 0: all.
    pub(super) depth: u32,
    /// Only these modules; none: all.
    pub(super) modules: Vec<String>,
}

impl Limits<'_> {
    /// What is left of the value at a path; none: nothing.
    pub(super) fn apply(&self, path: &Path, value: Json) -> Option<Json> {
        if self.depth == 0 && self.modules.is_empty() {
            return Some(value);
        }
        let levels = if self.depth == 0 { u32::MAX } else { self.depth };
        self.node(&shown::without_keys(path), value, levels)
    }

    /// `path` has no keys: it is a place in the models.
    fn node(&self, path: &Path, value: Json, levels: u32) -> Option<Json> {
        match value {
            Json::Object(members) => self.members(path, members, levels).map(Json::Object),
            value => shown::is_of(self.models, path, &self.modules).then_some(value),
        }
    }

    fn members(
        &self,
        path: &Path,
        members: Map<String, Json>,
        levels: u32,
    ) -> Option<Map<String, Json>> {
        let mut left = Map::new();
        let mut wanted = false;
        for (name, value) in members {
            let Ok(element) = Element::new(&name) else { continue };
            let child = path.child(element);
            let kind = self.models.check(&child).map(|node| node.kind);
            if let Ok(Kind::Leaf | Kind::LeafList | Kind::Any) = kind {
                let ours = shown::is_of(self.models, &child, &self.modules);
                wanted |= ours;
                // A key of another module stays, so that its entry has a name.
                if ours || self.is_list(path) {
                    left.insert(name, value);
                }
                continue;
            }
            let below = match value {
                _ if levels <= 1 => None,
                Json::Array(entries) => self.entries(&child, entries, levels - 1),
                value => self.node(&child, value, levels - 1),
            };
            wanted |= below.is_some();
            left.extend(below.map(|below| (name, below)));
        }
        // Without a limit on modules what is empty was so before, or is too deep.
        (wanted || self.modules.is_empty()).then_some(left)
    }

    fn entries(&self, path: &Path, entries: Vec<Json>, levels: u32) -> Option<Json> {
        let left = entries.into_iter().filter_map(|entry| self.node(path, entry, levels));
        let left: Vec<_> = left.collect();
        (!left.is_empty()).then_some(Json::Array(left))
    }

    /// Whether what is directly in here may be a key.
    fn is_list(&self, path: &Path) -> bool {
        self.models.check(path).is_ok_and(|node| node.kind == Kind::List)
    }
}

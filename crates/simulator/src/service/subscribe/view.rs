//! What stands at the paths of a subscription, leaf by leaf.

use std::collections::BTreeMap;

use lockstep_types::{Configuration, Content, Element, Path};
use lockstep_yang::{Form, ModelSet};
use serde_json::Value as Json;

use crate::shown::{self, Picture};

/// Which leaves are wanted.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) path: Path,
    /// So many levels below the path; 0: all.
    pub(super) depth: u32,
    /// Of these modules; none: of all.
    pub(super) modules: Vec<String>,
    pub(super) configuration_only: bool,
}

/// What stands somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// A unit: leaves and leaf-lists are told, presence containers too, as they are nowhere else.
    Unit(Content),
    /// The key of an entry, which is no unit. Its value is in the path.
    Key,
    /// A list entry. It is known by its keys, and is remembered so that its end is told in one word.
    Entry,
}

/// By path.
pub(super) type View = BTreeMap<Path, Seen>;

/// What stands where the filter looks.
pub(super) fn look(models: &ModelSet, picture: &Picture, filter: &Filter) -> View {
    let shown = picture.shown(models);
    let mut view = View::new();
    gather(&shown.configured, filter, &mut view);
    if !filter.configuration_only {
        gather(&shown.state, filter, &mut view);
    }
    if !filter.modules.is_empty() {
        view.retain(|path, seen| {
            *seen == Seen::Entry || shown::is_of(models, path, &filter.modules)
        });
    }
    view
}

fn gather(tree: &Configuration, filter: &Filter, view: &mut View) {
    // A key is in the entry above it.
    let above = filter.path.parent().unwrap_or_else(Path::root);
    for (path, unit) in tree.under(&above) {
        match &unit.content {
            Some(Content::Entry) => {
                let keys = path.last().into_iter().flat_map(|entry| entry.keys().keys());
                for key in keys.filter_map(|key| Element::new(key).ok()) {
                    filter.take(path.child(key), Seen::Key, view);
                }
                filter.take(path.clone(), Seen::Entry, view);
            }
            // The order of entries has no place in an answer.
            Some(Content::Order(_)) | None => {}
            Some(content) => filter.take(path.clone(), Seen::Unit(content.clone()), view),
        }
    }
}

impl Filter {
    fn take(&self, path: Path, seen: Seen, view: &mut View) {
        if self.path.covers(&path) && (self.depth == 0 || self.levels(&path) <= self.depth) {
            view.insert(path, seen);
        }
    }

    /// How far below the path something is.
    fn levels(&self, path: &Path) -> u32 {
        let elements = path.elements();
        let at = |length: usize| {
            let above: Path = elements.iter().take(length).cloned().collect();
            above.matches(&self.path)
        };
        let node = (0..=elements.len()).rev().find(|length| at(*length)).unwrap_or(0);
        u32::try_from(elements.len() - node).unwrap_or(u32::MAX)
    }
}

/// The value at a path, if it is one that is told.
pub(super) fn value(models: &ModelSet, path: &Path, seen: &Seen, form: Form) -> Option<Json> {
    match seen {
        Seen::Entry => None,
        Seen::Unit(content) => models.encode(path, content, form).ok(),
        Seen::Key => {
            let keys = models.encode(&path.parent()?, &Content::Entry, form).ok()?;
            let name = path.last()?.name().to_owned();
            let keys = keys.as_object()?.iter();
            let bare = |key: &str| key.rsplit_once(':').map_or(key == name, |(_, key)| key == name);
            keys.into_iter().find(|(key, _)| bare(key)).map(|(_, value)| value.clone())
        }
    }
}

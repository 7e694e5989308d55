//! The defaults that are in use.
//!
//! Which they are, libyang says; but what it says of one place holds for every place that looks the
//! same, so it is asked once for each look:
//!
//! ```text
//!   configuration                 region          what decides on the defaults in it
//!   /                             ───────────►    conditions and choices of the region, and
//!   ├ interface[name=a]           ───────────►    what they read (crate::change)
//!   │ └ unit[index=0]             ───────────►         │
//!   └ interface[name=b]           ───────────►         ▼
//!                                                 seen before? ── no ──► libyang
//!                                                      └── yes: the same defaults
//! ```
//!
//! A **region** is what comes by itself with an entry, a presence container or the root: everything
//! below it, down to the next entries and presence containers. Two regions of the same node look the
//! same if what decides on their defaults is the same, seen from the region. Where conditions read
//! keys, or look beyond the region, each is asked for by itself; where one cannot be bounded, the
//! whole configuration.

mod anchors;
mod region;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use lockstep_types::{Configuration, Content, Path, Unit};
use serde_json::Value as Json;

use crate::change::gather::Gather;
use crate::libyang;
use crate::locate::Located;
use crate::schema::{Id, ROOT};
use crate::set::ModelSet;

pub(crate) use region::{Region, begins};

/// Units that are there by default.
pub(crate) type Units = Vec<(Path, Content)>;
/// What a region looks like to those who decide on its defaults, and the defaults; all paths from
/// the region down.
pub(crate) type Looks = BTreeMap<(Id, Units), Arc<Units>>;

/// So many looks are remembered, of so many units at most.
const LOOKS: usize = 4096;
const LARGE: usize = 32;

impl ModelSet {
    /// The same configuration with every leaf and leaf-list that is there by default.
    pub fn with_defaults(&self, tree: &Configuration) -> Configuration {
        let mut filled = tree.clone();
        let Ok(everything) = self.locate(&Path::root()) else { return filled };
        for (path, content) in self.defaults(tree, &everything) {
            filled.assign(path, Unit { content: Some(content), ..Unit::NEVER });
        }
        filled
    }

    /// What is there by default and not set, of what a path stands for.
    pub(crate) fn defaults(&self, tree: &Configuration, at: &Located) -> Units {
        let mut found = self.standards(tree, at);
        found.retain(|(path, _)| tree.get(path).is_none());
        found
    }

    /// What there would be by default of what a path stands for, if nothing were set; of what is set, some may be
    /// missing.
    pub(crate) fn standards(&self, tree: &Configuration, at: &Located) -> Units {
        let mut found = Units::new();
        // Where nothing decides on them, entries of a list have the same.
        let mut plain: Option<(Id, Arc<Units>)> = None;
        for anchor in self.anchors(tree, at) {
            let known = plain.as_ref().filter(|(id, _)| *id == anchor.id);
            let known = known.map(|(_, defaults)| Arc::clone(defaults));
            let defaults = known.or_else(|| self.region_defaults(tree, anchor.id, &anchor.path));
            let Some(defaults) = defaults else {
                return self.defaults_of_whole(tree, &at.path);
            };
            for (below, content) in defaults.iter() {
                let path = anchor.path.join(below);
                if anchor.inside || at.path.covers(&path) {
                    found.push((path, content.clone()));
                }
            }
            if self.region(anchor.id).conditional.is_empty() {
                plain = Some((anchor.id, defaults));
            }
        }
        found
    }

    /// The defaults of one region; none if only the whole configuration tells.
    pub(crate) fn region_defaults(
        &self,
        tree: &Configuration,
        id: Id,
        at: &Path,
    ) -> Option<Arc<Units>> {
        let region = self.region(id);
        if region.leaves.is_empty() {
            return Some(Arc::default());
        }
        let mut gather = Gather::new(self, tree);
        gather.region(at, &region.conditional);
        let look = gather.look(at);
        let is_all = gather.uphold(at, &region.conditional);
        let (part, _) = gather.finish()?;
        let Some(look) = look.filter(|look| is_all && look.len() <= LARGE) else {
            return Some(Arc::new(self.libyang_defaults(&part, id, at)));
        };
        let looks = || self.0.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (id, look);
        if let Some(known) = looks().get(&key) {
            return Some(Arc::clone(known));
        }
        let defaults = Arc::new(self.libyang_defaults(&part, id, at));
        let mut looks = looks();
        if looks.len() >= LOOKS {
            looks.clear();
        }
        looks.insert(key, Arc::clone(&defaults));
        Some(defaults)
    }

    /// What libyang adds in a region to a part of a configuration; paths from the region down.
    fn libyang_defaults(&self, part: &Configuration, id: Id, at: &Path) -> Units {
        let region = self.region(id);
        let depth = at.elements().len();
        let below = |(path, content): (Path, Content)| {
            let leaf = self.schema().find(&path)?;
            let inside = at.is_prefix_of(&path) && region.leaves.contains(&leaf);
            let own = inside && part.get(&path).is_none();
            own.then(|| (path.elements().iter().skip(depth).cloned().collect(), content))
        };
        self.filled(part, at).into_iter().filter_map(below).collect()
    }

    /// Where a condition cannot be bounded.
    fn defaults_of_whole(&self, tree: &Configuration, at: &Path) -> Units {
        let filled = self.filled(tree, at).into_iter();
        filled.filter(|(path, _)| at.covers(path) && tree.get(path).is_none()).collect()
    }

    /// Units with those that libyang adds, of the member at the top that a path is in.
    fn filled(&self, tree: &Configuration, at: &Path) -> Units {
        let text = self.document(tree, &mut Vec::new());
        let filled = libyang::with_defaults(self.context(), &text)
            .map_err(|heard| {
                // Where, and not what: the words quote values.
                let places = heard.iter().filter_map(|one| one.data_path.clone());
                places.collect::<Vec<_>>().join(", ")
            })
            .and_then(|json| {
                let json = self.only(json, at);
                self.intake_canonical(&json).map_err(|error| error.to_string())
            });
        filled.map(|units| units.set).unwrap_or_else(|error| {
            // Only for what was never valid in these models; it is shown as it is.
            tracing::warn!(%error, "no defaults for a configuration that does not fit its models");
            Units::new()
        })
    }

    /// The one member at the top that the path is in, if it names one.
    fn only(&self, json: Json, at: &Path) -> Json {
        let first = at.elements().first();
        let Some(id) = first.and_then(|first| self.schema().child(ROOT, first.name())) else {
            return json;
        };
        let name = self.schema().node(id).qualified();
        let value = json.get(&name).cloned();
        Json::Object(value.map(|value| (name, value)).into_iter().collect())
    }
}

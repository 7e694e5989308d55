//! The defaults that are in use.
//!
//! Which they are, libyang says. It is given no more than the answer can depend on: what is at the
//! path and the entries above it, and what the conditions (`when`) and choices there read. Only where
//! the path stands for several nodes with such, it has to see the whole configuration.

use std::sync::PoisonError;

use lockstep_types::{Configuration, Path, Unit};
use serde_json::Value as Json;

use crate::libyang;
use crate::locate::Located;
use crate::render::{Branch, Renderer};
use crate::scalar::Form;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

/// As many configurations as are kept with their defaults. One is as large as a device, so few.
const KEPT: usize = 4;

impl ModelSet {
    /// The same configuration with every leaf and leaf-list that is there by default.
    pub fn with_defaults(&self, tree: &Configuration) -> Configuration {
        self.fill(tree, &Path::root())
    }

    /// A configuration with its defaults, complete at least for what the path stands for.
    pub(crate) fn filled(&self, tree: &Configuration, at: &Located) -> Configuration {
        if !at.path.is_root() && self.is_local(at) {
            return self.fill(&self.relevant(tree, at), &at.path);
        }
        if let Some(part) = self.reasons(tree, at) {
            return self.fill(&part, &at.path);
        }
        let kept = || self.0.filled.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().iter().find(|(of, _)| of.same_values(tree)).cloned();
        if let Some((_, filled)) = known {
            return filled;
        }
        let filled = self.fill(tree, &Path::root());
        let mut kept = kept();
        kept.push_front((tree.clone(), filled.clone()));
        kept.truncate(KEPT);
        filled
    }

    /// What decides on the defaults of one node and all below it, conditions and choices included;
    /// none if that is not known, or the path stands for several.
    fn reasons(&self, tree: &Configuration, at: &Located) -> Option<Configuration> {
        let several = at.above().any(|(above, ids)| self.is_several(&above, ids));
        if at.path.is_root() || several || self.is_several(&at.path, at.ends()) {
            return None;
        }
        self.below_with_reasons(tree, at.id(), &at.path)
    }

    /// Whether defaults at the path depend on nothing but what is there and above.
    fn is_local(&self, at: &Located) -> bool {
        let schema = self.schema();
        at.ends().iter().all(|end| {
            let above = schema.lineage(*end);
            let free = |node: &crate::schema::Node| !node.when && node.cases.is_empty();
            !schema.node(*end).when_below && above.into_iter().all(|id| free(schema.node(id)))
        })
    }

    /// What is at and below a path or pattern, and the entries and presence containers above it.
    fn relevant(&self, tree: &Configuration, at: &Located) -> Configuration {
        let exists = |id: &Id| {
            let kind = self.schema().node(*id).kind;
            matches!(kind, Kind::List | Kind::Container { presence: true })
        };
        let mut found: Vec<(&Path, &Unit)> = tree.under(&at.path).collect();
        let mut several = false;
        for (above, ids) in at.above() {
            several |= self.is_several(&above, ids);
            if !ids.iter().any(exists) {
                continue;
            }
            let units = tree.under(&above).filter(|(path, _)| path.matches(&above));
            // What exists comes first of what is under it, so one that is named is found at once.
            found.extend(units.take(if several { usize::MAX } else { 1 }));
        }
        let live = |(path, unit): (&Path, &Unit)| Some((path.clone(), unit.content.clone()?));
        found.into_iter().filter_map(live).collect()
    }

    /// Whether the last element of a path may be more than one node.
    fn is_several(&self, path: &Path, ids: &[Id]) -> bool {
        let keys = path.last().map_or(0, |last| last.keys().len());
        let missing = |id: &Id| keys < self.schema().node(*id).keys.len();
        path.is_pattern() || ids.len() > 1 || ids.iter().any(missing)
    }

    fn fill(&self, tree: &Configuration, at: &Path) -> Configuration {
        let text = self.document(tree, &mut Vec::new());
        let filled = libyang::with_defaults(self.context(), &text)
            .map_err(|heard| format!("{heard:?}"))
            .and_then(|json| {
                let json = self.only(json, at);
                self.intake_canonical(&json).map_err(|error| error.to_string())
            });
        match filled {
            Ok(units) => units.into_configuration(),
            // Only for what was never valid in these models; it is shown as it is.
            Err(error) => {
                tracing::warn!(%error, "no defaults for a configuration that does not fit its models");
                tree.clone()
            }
        }
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

    /// A whole configuration in the form that libyang reads. What the models have no place for is
    /// left out and listed.
    pub(crate) fn document(&self, tree: &Configuration, strange: &mut Vec<Path>) -> String {
        let branch: Branch<'_> = tree.iter().collect();
        let mut renderer = Renderer::new(self, Form::Ietf);
        let document = renderer.node(ROOT, &branch, &Path::root());
        strange.append(&mut renderer.strange);
        document.map_or_else(|| "{}".to_owned(), |document| document.text())
    }
}

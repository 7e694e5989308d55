//! What is at a path, with the defaults that are in use.

use std::sync::PoisonError;

use lockstep_types::{Configuration, Content, Element, Path, Value};
use serde_json::Value as Json;

use crate::error::PathError;
use crate::libyang;
use crate::render::{Branch, Renderer};
use crate::scalar::Form;
use crate::schema::{Id, Kind, ROOT};
use crate::set::ModelSet;

impl ModelSet {
    /// Every node that the path stands for and that has data, each with its concrete path and its
    /// value. Leaves at their default are part of it. Empty: there is no data.
    pub fn get(
        &self,
        tree: &Configuration,
        path: &Path,
        form: Form,
    ) -> Result<Vec<(Path, Json)>, PathError> {
        let located = self.locate(path)?;
        let filled = self.filled(tree);
        let branch: Branch<'_> = filled.iter().collect();
        let mut search = Search { set: self, form, found: Vec::new() };
        search.walk(located.path.elements(), ROOT, &branch, &Path::root());
        Ok(search.found)
    }

    /// The configuration with everything that is there by default.
    fn filled(&self, tree: &Configuration) -> Configuration {
        let mut kept = self.0.filled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, filled)) = &*kept
            && of.same_values(tree)
        {
            return filled.clone();
        }
        let filled = self.fill(tree);
        *kept = Some((tree.clone(), filled.clone()));
        filled
    }

    fn fill(&self, tree: &Configuration) -> Configuration {
        let text = self.document(tree, &mut Vec::new());
        let filled = libyang::with_defaults(self.context(), &text)
            .map_err(|heard| format!("{heard:?}"))
            .and_then(|json| self.intake_canonical(&json).map_err(|error| error.to_string()));
        match filled {
            Ok(units) => units.into_configuration(),
            // Only for what was never valid in these models; it is shown as it is.
            Err(error) => {
                tracing::warn!(%error, "no defaults for a configuration that does not fit its models");
                tree.clone()
            }
        }
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

struct Search<'a> {
    set: &'a ModelSet,
    form: Form,
    found: Vec<(Path, Json)>,
}

impl Search<'_> {
    /// Follows the pattern down from a node. A node that the whole pattern stands for is taken
    /// with all that is below it, so nothing is found twice.
    fn walk(&mut self, pattern: &[Element], id: Id, branch: &Branch<'_>, at: &Path) {
        let Some((wanted, rest)) = pattern.split_first() else {
            return self.take(id, branch, at);
        };
        let many = wanted.name() == "...";
        if many {
            let before = self.found.len();
            self.walk(rest, id, branch, at);
            if self.found.len() > before && rest.is_empty() {
                return;
            }
        }
        let rest = if many { pattern } else { rest };
        let key = self.key_leaves(id, at).into_iter();
        for (element, content) in key {
            if many || accepts(wanted, &element) {
                let branch = Branch { content: Some(&content), ..Branch::default() };
                self.down(rest, id, &element, &branch, at);
            }
        }
        for (element, below) in &branch.below {
            if many || accepts(wanted, element) {
                self.down(rest, id, element, below, at);
            }
        }
    }

    fn down(&mut self, rest: &[Element], id: Id, element: &Element, below: &Branch<'_>, at: &Path) {
        let Some(child) = self.set.schema().child(id, element.name()) else { return };
        // The order of a list is no node, nor is a list without its keys.
        let is_list = self.set.schema().node(child).kind == Kind::List;
        if is_list && element.keys().is_empty() {
            return;
        }
        let path = at.child(element.clone());
        if !self.found.iter().any(|(found, _)| found == &path) {
            self.walk(rest, child, below, &path);
        }
    }

    /// The keys of an entry, which are no units of their own.
    fn key_leaves(&self, id: Id, at: &Path) -> Vec<(Element, Content)> {
        let Some(entry) = at.last() else { return Vec::new() };
        let schema = self.set.schema();
        let leaf = |key: &Id| {
            let text = entry.key(&schema.node(*key).name)?;
            let json = self.set.key_json(*key, text, Form::Ietf);
            let value = self.set.value(*key, &json).unwrap_or_else(|_| Value::string(text));
            Some((Element::new(&schema.node(*key).element).ok()?, Content::Leaf(value)))
        };
        schema.node(id).keys.iter().filter_map(leaf).collect()
    }

    fn take(&mut self, id: Id, branch: &Branch<'_>, at: &Path) {
        let document = Renderer::new(self.set, self.form).node(id, branch, at);
        if let Some(document) = document
            && !self.found.iter().any(|(found, _)| found == at)
        {
            self.found.push((at.clone(), document.into_json()));
        }
    }
}

/// Whether an element is one that the pattern stands for.
fn accepts(wanted: &Element, element: &Element) -> bool {
    let name = wanted.name() == "*" || wanted.name() == element.name();
    name && wanted
        .keys()
        .iter()
        .all(|(key, value)| element.key(key).is_some_and(|found| value == "*" || value == found))
}

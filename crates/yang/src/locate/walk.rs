//! Following a path down the models, element by element.

use std::collections::BTreeSet;

use lockstep_types::{Element, Path};
use serde_json::Value as Json;

use super::{Located, MANY, ONE};
use crate::error::PathError;
use crate::nearest::nearest;
use crate::scalar::{Source, key_text};
use crate::schema::{Id, ROOT};
use crate::set::ModelSet;

impl ModelSet {
    /// Finds a path or pattern.
    pub fn locate(&self, path: &Path) -> Result<Located, PathError> {
        let mut steps: Vec<Vec<Id>> = Vec::new();
        let mut elements: Vec<Element> = Vec::new();
        for element in path.elements() {
            let from = steps.last().map_or(&[ROOT][..], Vec::as_slice);
            let found = self.step(path, &elements, from, element)?;
            elements.push(self.canonical_element(path, element, &found)?);
            steps.push(found);
        }
        Ok(Located { path: Path::new(elements), steps })
    }

    fn step(
        &self,
        path: &Path,
        above: &[Element],
        from: &[Id],
        element: &Element,
    ) -> Result<Vec<Id>, PathError> {
        let name = element.name();
        let found: Vec<Id> = match name {
            MANY => self.descendants(from),
            ONE => from.iter().flat_map(|id| self.schema().node(*id).children.clone()).collect(),
            _ => from.iter().filter_map(|id| self.schema().child(*id, name)).collect(),
        };
        if found.is_empty() {
            return Err(self.unknown(path, above, from, name));
        }
        self.with_keys(path, element, found)
    }

    fn unknown(&self, path: &Path, above: &[Element], from: &[Id], name: &str) -> PathError {
        let modules: Vec<String> =
            from.iter().flat_map(|id| self.schema().modules_of(*id, name)).collect();
        let (path, name) = (path.clone(), name.to_owned());
        if modules.is_empty() {
            let nearest =
                nearest(bare(&name), from.iter().flat_map(|id| self.schema().below_named(*id)));
            PathError::Unknown { path, name, parent: above.iter().cloned().collect(), nearest }
        } else {
            PathError::Ambiguous { path, name, modules }
        }
    }

    /// Those of the nodes that have the keys that are given.
    fn with_keys(
        &self,
        path: &Path,
        element: &Element,
        mut found: Vec<Id>,
    ) -> Result<Vec<Id>, PathError> {
        for key in element.keys().keys() {
            let has = |id: &Id| self.key(*id, key).is_some();
            if !found.iter().any(has) {
                let keys = found.iter().flat_map(|id| &self.schema().node(*id).keys);
                let nearest =
                    nearest(bare(key), keys.map(|key| self.schema().node(*key).name.as_str()));
                let (path, name) = (path.clone(), element.name().to_owned());
                return Err(PathError::UnknownKey { path, name, key: key.clone(), nearest });
            }
            found.retain(has);
        }
        Ok(found)
    }

    /// The leaf that is this key of a list.
    pub(crate) fn key(&self, list: Id, name: &str) -> Option<Id> {
        let keys = self.schema().node(list).keys.iter().copied();
        keys.into_iter().find(|key| self.schema().node(*key).name == bare(name))
    }

    /// These nodes and all below, each once.
    fn descendants(&self, from: &[Id]) -> Vec<Id> {
        let mut found: BTreeSet<Id> = BTreeSet::new();
        let mut open = from.to_vec();
        while let Some(id) = open.pop() {
            if found.insert(id) {
                open.extend(self.schema().node(id).children.iter().copied());
            }
        }
        found.into_iter().collect()
    }

    /// The element with its name as our paths have it, and the canonical values of its keys.
    fn canonical_element(
        &self,
        path: &Path,
        element: &Element,
        found: &[Id],
    ) -> Result<Element, PathError> {
        let Some(first) = found.first() else { return Ok(element.clone()) };
        let wild = matches!(element.name(), ONE | MANY);
        let malformed = |_| PathError::Wildcard { path: path.clone() };
        let known = self.schema().node(*first).step.clone().filter(|_| !wild);
        let mut canonical = match known {
            Some(known) => known,
            None => Element::new(element.name()).map_err(malformed)?,
        };
        for (key, value) in element.keys() {
            let value = self.canonical_key(found, key, value).map_err(|message| {
                let (path, key) = (path.clone(), bare(key).to_owned());
                PathError::WrongKey { path, key, message }
            })?;
            canonical = canonical.with_key(bare(key), value).map_err(malformed)?;
        }
        Ok(canonical)
    }

    /// The value of a key in the canonical form that all of these lists give it. Where they differ
    /// it stays as it is, and stands for the entries that have it so.
    fn canonical_key(&self, lists: &[Id], key: &str, value: &str) -> Result<String, String> {
        if value == ONE {
            return Ok(value.to_owned());
        }
        let leaves = lists.iter().filter_map(|list| self.key(*list, key));
        let forms: BTreeSet<_> = leaves.map(|leaf| self.key_value(leaf, value)).collect();
        let mut forms = forms.into_iter();
        match (forms.next(), forms.next()) {
            (Some(only), None) => only,
            _ => Ok(value.to_owned()),
        }
    }

    /// The canonical text of a key.
    pub(crate) fn key_value(&self, leaf: Id, text: &str) -> Result<String, String> {
        let prepared = self.prepare(leaf, Json::from(text), Source::Text);
        if let Some(canonical) = self.trial(leaf, &prepared) {
            return Ok(key_text(&canonical));
        }
        let canonical = self.canonical_one(leaf, &prepared);
        canonical.map(|canonical| key_text(&canonical)).map_err(|wrong| wrong.message)
    }
}

/// A name without its module.
pub(crate) fn bare(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

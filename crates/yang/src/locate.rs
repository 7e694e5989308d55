//! Finding paths in the models.

use lockstep_types::{Element, Path};
use serde_json::Value as Json;

use crate::error::PathError;
use crate::scalar::{Source, key_text};
use crate::schema::{self, Id, ROOT};
use crate::set::ModelSet;

/// Matches any one element as a name, and any value as the value of a key.
pub(crate) const ONE: &str = "*";
/// Matches any number of elements.
const MANY: &str = "...";

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Whether it can be configured. Of a pattern: whether anything it matches can.
    pub config: bool,
    /// Whether it is state or holds some below.
    pub state_below: bool,
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Everything.
    Root,
    /// A container that is only structure.
    Container,
    /// A container whose presence has a meaning.
    Presence,
    /// A list, or some of its entries: not all keys are given.
    List,
    /// One entry of a list.
    Entry,
    /// A leaf.
    Leaf,
    /// A leaf-list.
    LeafList,
    /// `anydata` or `anyxml`, which has no units.
    Any,
    /// A pattern that matches more than one node of the models.
    Several,
}

/// A path in its canonical form, with what it matches in the models.
pub(crate) struct Located {
    pub(crate) path: Path,
    /// For each element the nodes it may be; the last has what the path stands for.
    steps: Vec<Vec<Id>>,
}

impl Located {
    /// The nodes that the path stands for.
    pub(crate) fn ends(&self) -> &[Id] {
        self.steps.last().map_or(&[ROOT], Vec::as_slice)
    }

    /// The one node that a path without wildcards stands for.
    pub(crate) fn id(&self) -> Id {
        self.ends().first().copied().unwrap_or(ROOT)
    }

    /// The nodes from below the root down to the last, each with its path; without wildcards.
    pub(crate) fn lineage(&self) -> impl Iterator<Item = (Path, Id)> {
        let ids = self.steps.iter().filter_map(|ids| ids.first().copied());
        ids.enumerate().map(|(depth, id)| {
            let elements = self.path.elements().iter().take(depth + 1);
            (elements.cloned().collect(), id)
        })
    }

    /// The paths above, from the top down, each with the nodes it may be.
    pub(crate) fn above(&self) -> impl Iterator<Item = (Path, &[Id])> {
        let last = self.steps.len().saturating_sub(1);
        self.steps.iter().take(last).enumerate().map(|(depth, ids)| {
            let elements = self.path.elements().iter().take(depth + 1);
            (elements.cloned().collect(), ids.as_slice())
        })
    }

    /// Whether the path names one entry of a list.
    pub(crate) fn is_entry(&self) -> bool {
        self.path.last().is_some_and(|element| !element.keys().is_empty())
    }
}

impl ModelSet {
    /// Checks that a path, or a pattern, stands in the models.
    pub fn check(&self, path: &Path) -> Result<Node, PathError> {
        let located = self.locate(path)?;
        let nodes = || located.ends().iter().map(|id| self.schema().node(*id));
        let kind = match located.ends() {
            [id] => kind(self.schema().node(*id), located.path.last()),
            _ => Kind::Several,
        };
        let config = nodes().any(|node| node.config);
        Ok(Node { config, state_below: nodes().any(|node| node.state), kind })
    }

    /// Finds a path that names one node: no wildcard, and every key but those of the last element,
    /// which may leave out all.
    pub(crate) fn locate_one(&self, path: &Path) -> Result<Located, PathError> {
        if path.is_pattern() || path.elements().iter().any(|element| element.name() == MANY) {
            return Err(PathError::Wildcard { path: path.clone() });
        }
        let located = self.locate(path)?;
        let last = located.steps.len().saturating_sub(1);
        for (depth, (element, ids)) in path.elements().iter().zip(&located.steps).enumerate() {
            let whole_list = depth == last && element.keys().is_empty();
            let node = self.schema().node(ids.first().copied().unwrap_or(ROOT));
            let has = |key: &&Id| {
                let key = self.schema().node(**key);
                element.keys().keys().any(|name| bare(name) == key.name)
            };
            let missing = node.keys.iter().find(|key| !has(key)).filter(|_| !whole_list);
            if let Some(key) = missing {
                let (list, key) = (node.name.clone(), self.schema().node(*key).name.clone());
                return Err(PathError::MissingKey { path: path.clone(), list, key });
            }
        }
        Ok(located)
    }

    /// Finds a path or pattern.
    pub(crate) fn locate(&self, path: &Path) -> Result<Located, PathError> {
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
            MANY => from.iter().flat_map(|id| self.descendants(*id)).collect(),
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
            PathError::Unknown { path, name, parent: above.iter().cloned().collect() }
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
            found.retain(|id| self.key(*id, key).is_some());
            if found.is_empty() {
                let (path, name) = (path.clone(), element.name().to_owned());
                return Err(PathError::UnknownKey { path, name, key: key.clone() });
            }
        }
        Ok(found)
    }

    /// The leaf that is this key of a list.
    pub(crate) fn key(&self, list: Id, name: &str) -> Option<Id> {
        let keys = self.schema().node(list).keys.iter().copied();
        keys.into_iter().find(|key| self.schema().node(*key).name == bare(name))
    }

    fn descendants(&self, id: Id) -> Vec<Id> {
        let mut found = vec![id];
        let mut place = 0;
        while let Some(id) = found.get(place) {
            found.extend(self.schema().node(*id).children.iter().copied());
            place += 1;
        }
        found
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
        let name = if wild { element.name() } else { &self.schema().node(*first).element };
        let malformed = |_| PathError::Wildcard { path: path.clone() };
        let mut canonical = Element::new(name).map_err(malformed)?;
        for (key, value) in element.keys() {
            let Some(leaf) = self.key(*first, key) else { continue };
            let value = if value == ONE {
                value.clone()
            } else {
                self.key_value(leaf, value).map_err(|message| {
                    let (path, key) = (path.clone(), bare(key).to_owned());
                    PathError::WrongKey { path, key, message }
                })?
            };
            canonical = canonical.with_key(bare(key), value).map_err(malformed)?;
        }
        Ok(canonical)
    }

    /// The canonical text of a key.
    fn key_value(&self, leaf: Id, text: &str) -> Result<String, String> {
        let prepared = self.prepare(leaf, Json::from(text), Source::Text);
        if let Some(canonical) = self.trial(leaf, &prepared) {
            return Ok(key_text(&canonical));
        }
        self.canonical_one(leaf, &prepared).map(|canonical| key_text(&canonical))
    }
}

/// A name without its module.
fn bare(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

fn kind(node: &schema::Node, element: Option<&Element>) -> Kind {
    let given = element.map_or(0, |element| element.keys().len());
    let concrete = element.is_some_and(|element| element.keys().values().all(|key| key != ONE));
    match node.kind {
        schema::Kind::Root => Kind::Root,
        schema::Kind::Container { presence: false } => Kind::Container,
        schema::Kind::Container { presence: true } => Kind::Presence,
        schema::Kind::List if given == node.keys.len() && given > 0 && concrete => Kind::Entry,
        schema::Kind::List => Kind::List,
        schema::Kind::Leaf { .. } => Kind::Leaf,
        schema::Kind::LeafList => Kind::LeafList,
        schema::Kind::Any => Kind::Any,
    }
}

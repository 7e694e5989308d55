//! Finding paths in the models.

mod walk;

use lockstep_types::{Element, Path};

use crate::error::PathError;
use crate::schema::{self, Id, ROOT};
use crate::set::ModelSet;

pub(crate) use walk::bare;

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

/// A path in its canonical form, with what it matches in the models: for whoever needs it more than once.
#[derive(Clone, Debug)]
pub struct Located {
    pub(crate) path: Path,
    /// For each element the nodes it may be; the last has what the path stands for.
    steps: Vec<Vec<Id>>,
}

impl Located {
    /// The path, or the pattern, as configurations have it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The nodes that the path stands for.
    pub(crate) fn ends(&self) -> &[Id] {
        self.steps.last().map_or(&[ROOT], Vec::as_slice)
    }

    /// For each element the nodes it may be.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &[Id]> {
        self.steps.iter().map(Vec::as_slice)
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

    /// Whether the path names one entry of a list.
    pub(crate) fn is_entry(&self) -> bool {
        self.path.last().is_some_and(|element| !element.keys().is_empty())
    }
}

impl ModelSet {
    /// Checks that a path, or a pattern, stands in the models.
    pub fn check(&self, path: &Path) -> Result<Node, PathError> {
        self.locate(path).map(|located| self.node(&located))
    }

    /// What stands at a path, or at all that a pattern matches.
    pub fn node(&self, located: &Located) -> Node {
        let nodes = || located.ends().iter().map(|id| self.schema().node(*id));
        let kind = match located.ends() {
            [id] => kind(self.schema().node(*id), located.path.last()),
            _ => Kind::Several,
        };
        let config = nodes().any(|node| node.config);
        Node { config, state_below: nodes().any(|node| node.state), kind }
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

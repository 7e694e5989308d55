//! What a client asked for, before it is known what stands there.

mod settle;

use serde::{Deserialize, Serialize};

use crate::{Configuration, Content, Delta, Keys, Map, Path, Value};

/// What a client asked of one target: subtrees to clear, then units to set, then what to add.
///
/// It is kept like this until the decision, because a clear reaches whatever stands then, and an
/// addition joins it. So it says what was asked and nothing about what stood, and the same request is
/// the same edit whenever it is made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Everything in the subtrees of these paths goes. Wildcards and elements without their keys
    /// stand for everything they match.
    pub clear: Vec<Path>,
    /// What is set afterwards.
    pub set: Map<Path, Content>,
    /// What is added to what is left; at no path that is set.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub add: Map<Path, Addition>,
}

/// What joins the content of a unit, whatever that is by then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Addition {
    /// Values of a leaf-list. Those it has stay where they are.
    Values {
        /// In their order.
        values: Vec<Value>,
        /// Whether the system orders them; otherwise new ones go to the end.
        sorted: bool,
    },
    /// Entries of a user-ordered list, at the path of the list. Those it has stay where they are, new
    /// ones go to the end.
    Entries(Vec<Keys>),
}

fn is_empty(additions: &Map<Path, Addition>) -> bool {
    additions.is_empty()
}

impl Edit {
    /// The delta on what stands.
    pub fn onto(&self, standing: &Configuration) -> Delta {
        let cleared = self.clear.iter().flat_map(|clear| standing.under(clear));
        let cleared = cleared.filter(|(_, unit)| unit.content.is_some()).map(|(path, _)| path);
        self.resolve(standing, cleared)
    }

    /// The delta on what stands, given every path that may stand besides: an absence for each that is
    /// cleared, then the sets, then what is added. A path may be given more than once, and in any
    /// order.
    pub fn resolve<'a>(
        &self,
        standing: &Configuration,
        besides: impl Iterator<Item = &'a Path>,
    ) -> Delta {
        let cleared = besides.filter(|path| self.clears(path)).map(|path| (path.clone(), None));
        let set = self.set.iter().map(|(path, content)| (path.clone(), Some(content.clone())));
        let mut delta: Delta = cleared.chain(set).collect();
        self.settle(standing, &mut delta);
        delta
    }

    /// Whether the unit at this path is cleared, set or added to.
    pub fn touches(&self, path: &Path) -> bool {
        self.set.contains_key(path) || self.add.contains_key(path) || self.clears(path)
    }

    /// Whether the unit at this path is cleared, though it may be set again.
    pub fn clears(&self, path: &Path) -> bool {
        self.clear.iter().any(|cleared| cleared.covers(path))
    }
}

#[cfg(test)]
mod tests;

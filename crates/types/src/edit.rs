//! What a client asked for, before it is known what stands there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Content, Delta, Path, unique};

/// What a client asked of one target: subtrees to clear, then units to set.
///
/// It is kept like this until the decision, because a clear reaches whatever stands then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// Everything in the subtrees of these paths goes. Wildcards and elements without their keys
    /// stand for everything they match.
    pub clear: Vec<Path>,
    /// What is set afterwards.
    #[serde(deserialize_with = "unique::map")]
    pub set: BTreeMap<Path, Content>,
}

impl Edit {
    /// The explicit delta, given every path that may stand: an absence for each that is cleared,
    /// then the sets. A path may be given more than once, and in any order.
    pub fn resolve<'a>(&self, standing: impl Iterator<Item = &'a Path>) -> Delta {
        let cleared = standing.filter(|path| self.clears(path)).map(|path| (path.clone(), None));
        let set = self.set.iter().map(|(path, content)| (path.clone(), Some(content.clone())));
        cleared.chain(set).collect()
    }

    /// Whether the unit at this path is cleared or set.
    pub fn touches(&self, path: &Path) -> bool {
        self.set.contains_key(path) || self.clears(path)
    }

    /// Whether the unit at this path is cleared, though it may be set again.
    pub fn clears(&self, path: &Path) -> bool {
        self.clear.iter().any(|cleared| cleared.covers(path))
    }
}

//! The model sets of a node: by their names, and by what targets are bound to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use lockstep_types::ModelDigest;
use lockstep_yang::ModelSet;

/// Every model set that a node has. Cheap to clone; they may change while it runs.
#[derive(Clone, Debug, Default)]
pub struct Models(Arc<RwLock<Sets>>);

#[derive(Debug, Default)]
struct Sets {
    named: BTreeMap<String, ModelSet>,
    known: BTreeMap<ModelDigest, ModelSet>,
}

impl Models {
    /// These, by name.
    #[must_use]
    pub fn new(named: BTreeMap<String, ModelSet>) -> Self {
        let models = Self::default();
        models.replace(named, &BTreeSet::new());
        models
    }

    /// The model set with this digest.
    #[must_use]
    pub fn get(&self, digest: &ModelDigest) -> Option<ModelSet> {
        self.read(|sets| sets.known.get(digest).cloned())
    }

    /// The model set of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<ModelSet> {
        self.read(|sets| sets.named.get(name).cloned())
    }

    /// Those that have a name, by it.
    #[must_use]
    pub fn names(&self) -> BTreeMap<String, ModelSet> {
        self.read(|sets| sets.named.clone())
    }

    /// All of them, also those that only a target is still bound to.
    #[must_use]
    pub fn all(&self) -> Vec<ModelSet> {
        self.read(|sets| sets.known.values().cloned().collect())
    }

    /// From now on names stand for these. Of those that were there, what is in use stays.
    pub(crate) fn replace(&self, named: BTreeMap<String, ModelSet>, used: &BTreeSet<ModelDigest>) {
        let mut sets = self.0.write().unwrap_or_else(PoisonError::into_inner);
        sets.known.retain(|digest, _| used.contains(digest));
        sets.named.clear();
        for (name, set) in named {
            // The one that is in use has looked at much already.
            let set = sets.known.entry(set.digest().clone()).or_insert(set).clone();
            sets.named.insert(name, set);
        }
    }

    fn read<T>(&self, of: impl FnOnce(&Sets) -> T) -> T {
        of(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

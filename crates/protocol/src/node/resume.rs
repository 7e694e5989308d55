//! Controllers that wait for the view to show what became of their last write.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::Revision;

use crate::event::Wake;

/// Who waits for which revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Resume {
    of: BTreeMap<Wake, Revision>,
    /// The same, in the order in which they go on.
    at: BTreeSet<(Revision, Wake)>,
}

impl Resume {
    /// The revision that a controller waits for.
    pub(super) fn get(&self, wake: &Wake) -> Option<Revision> {
        self.of.get(wake).copied()
    }

    /// A controller waits for a revision.
    pub(super) fn insert(&mut self, wake: Wake, revision: Revision) {
        if let Some(before) = self.of.insert(wake.clone(), revision) {
            self.at.remove(&(before, wake.clone()));
        }
        self.at.insert((revision, wake));
    }

    /// Those that waited for a revision that was reached, and wait no more.
    pub(super) fn take(&mut self, reached: Revision) -> BTreeSet<Wake> {
        let mut done = BTreeSet::new();
        while self.at.first().is_some_and(|(revision, _)| *revision <= reached)
            && let Some((_, wake)) = self.at.pop_first()
        {
            self.of.remove(&wake);
            done.insert(wake);
        }
        done
    }
}

//! What a write touched of the log.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_protocol::record::Key;
use lockstep_protocol::{Op, View};
use lockstep_types::{Index, Target};

/// The entries that were written, and the targets of which anything was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Every entry.
    pub entries: BTreeSet<Index>,
    /// Every target, with the entries that were written of it.
    pub targets: BTreeMap<Target, BTreeSet<Index>>,
}

impl Written {
    /// As if all of a store had been written at once.
    #[must_use]
    pub fn all(store: &View) -> Self {
        let mut all = Self::default();
        store.transactions().for_each(|entry| all.entry(store, entry.index));
        all
    }

    /// What these operations touched that led from one store to another.
    #[must_use]
    pub fn by(ops: &[Op], before: &View, after: &View) -> Self {
        let mut written = Self::default();
        for op in ops {
            match op.key() {
                Key::Transaction(index) => {
                    // A Rollback may turn out to concern fewer targets than it named.
                    written.entry(before, index);
                    written.entry(after, index);
                }
                Key::Proposal(index, target) | Key::Part(index, target) => {
                    written.entries.insert(index);
                    written.targets.entry(target).or_default().insert(index);
                }
                Key::Configuration(target)
                | Key::Marks(target)
                | Key::Mastership(target)
                | Key::Binding(target) => {
                    written.targets.entry(target).or_default();
                }
                Key::Head | Key::Horizon | Key::Id(_) | Key::Session(_) | Key::Drifted(_) => {}
            }
        }
        written
    }

    fn entry(&mut self, store: &View, index: Index) {
        self.entries.insert(index);
        for target in store.transaction(index).into_iter().flat_map(|entry| entry.targets.keys()) {
            self.targets.entry(target.clone()).or_default().insert(index);
        }
    }
}

//! What brings back what stood before.

use serde::{Deserialize, Serialize};

use crate::{Delta, Index, Map, Path, Unit};

/// What stood before a change, at every path the change touched: one link of the chains of writers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// The unit before, by path.
    pub units: Map<Path, Unit>,
}

impl Undo {
    /// Mends the chain after the change `gone` has left the configuration: whatever this undo would
    /// bring back of it becomes what stood before it. Says whether anything did.
    ///
    /// Called on the undo of every later change that is still there.
    pub fn relink(&mut self, gone: Index, undo_of_gone: &Self) -> bool {
        let mut relinked = false;
        for (path, before) in &undo_of_gone.units {
            if let Some(unit) = self.units.get_mut(path).filter(|unit| unit.writer == gone) {
                *unit = before.clone();
                relinked = true;
            }
        }
        relinked
    }

    /// The contents that this undo brings back, as a change.
    pub fn delta(&self) -> Delta {
        self.units.iter().map(|(path, unit)| (path.clone(), unit.content.clone())).collect()
    }
}

//! A system of which only the store is known, so that a trace is held against the same invariants as
//! the model.

use std::sync::Arc;

use lockstep_protocol::View;
use lockstep_types::Target;

use super::{Commit, System};
use crate::scenario::Scenario;

impl System {
    /// A system whose store is this, and nothing else. The scenario only lends its form.
    #[must_use]
    pub fn observed(store: View, form: &Scenario) -> Self {
        let (targets, script) = (Vec::new(), Vec::new());
        let scenario = Scenario { nodes: 0, targets, script, ..form.clone() };
        let archive = store.clone();
        let mut system = Self { store, archive, ..Self::blank(Arc::new(scenario)) };
        system.read();
        system
    }

    /// The store moves on. The invariants are to look at these targets.
    #[must_use]
    pub fn observe(&self, commit: Commit, targets: Vec<Target>) -> Self {
        let mut next = self.clone();
        next.scenario = Arc::new(Scenario { targets, ..(*self.scenario).clone() });
        next.store = commit.store.clone();
        next.archive = commit.after.clone();
        next.commits = vec![commit];
        // What is read is judged in the revision in which it is read. What was applied then stays so, by Decision.
        next.seen.clear();
        next.read();
        next
    }
}

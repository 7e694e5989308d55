//! Committed values are exactly the fold of the committed changes that were not undone; applied
//! values exactly the fold of the applied ones; and each revision is the latest of them. The fold of
//! what clients asked comes to the same values.

use super::{Step, ledger};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(|store, target| {
        let (committed, applied) =
            (ledger::committed(store, target), ledger::applied(store, target));
        let header = store.header(target);
        let latest =
            |changes: &[lockstep_types::Index]| changes.last().copied().unwrap_or_default();
        store.committed(target) == ledger::fold(store, target, &committed)
            && store.applied(target) == ledger::fold(store, target, &applied)
            && store.committed(target).same_values(&ledger::asked(store, target, &committed))
            && store.applied(target).same_values(&ledger::asked(store, target, &applied))
            && header.committed.revision == latest(&committed)
            && header.applied.revision == latest(&applied)
    })
}

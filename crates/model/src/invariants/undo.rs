//! What a live change would give back is exactly what stood before it: the fold of the live changes
//! below it.

use lockstep_types::Index;

use super::{Step, ledger};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(|store, target| {
        let live = ledger::committed(store, target);
        live.iter().all(|index| {
            let below: Vec<Index> = live.iter().copied().filter(|k| k < index).collect();
            let before = ledger::fold(store, target, &below);
            store.proposal(*index, target).is_some_and(|proposal| {
                proposal.undo.units.iter().all(|(path, unit)| before.unit(path) == *unit)
                    && proposal.delta.paths().eq(proposal.undo.units.keys())
            })
        })
    })
}

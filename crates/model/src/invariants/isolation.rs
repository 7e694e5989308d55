//! Readers are served the visible configuration: never part of an atomic transaction, never one that
//! is still open, never one that is reverted later.

use lockstep_protocol::record::Status;

use super::{Step, ledger};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    let store = &system.archive;
    let exact = step.at_every_target(|store, target| {
        let visible = ledger::fold(store, target, &ledger::visible(store, target));
        store.visible(target) == visible
    });
    let clean = system
        .seen
        .iter()
        .all(|index| store.transaction(*index).is_some_and(|t| t.status == Status::Applied));
    exact && clean
}

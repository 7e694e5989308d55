//! Readers are served the visible configuration: never part of an atomic transaction, never one that
//! is still open, never one that is reverted later.

use lockstep_protocol::record::Status;

use super::Step;
use crate::ledger;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    let store = &system.archive;
    let exact = step.at_every_target(|commit, target| {
        let (store, account) = (&commit.after, commit.ledger().account(target));
        ledger::alike(store, target, &store.visible(target), account.visible().tree())
    });
    let clean = system
        .seen
        .iter()
        .all(|index| store.transaction(*index).is_some_and(|t| t.status == Status::Applied));
    exact && clean
}

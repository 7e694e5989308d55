//! A device that an operator wants left alone is sent nothing by whoever knows.

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    system.sent.iter().filter(|sent| sent.current).all(|sent| {
        // As it stood when the node decided: an order may have come in the same step.
        let before = step.from.map_or(&system.store, |(before, _)| &before.store);
        let paused = |store: &lockstep_protocol::View| store.header(&sent.flight.target).paused;
        !(paused(before) && paused(&system.store))
    })
}

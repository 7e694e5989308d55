//! No device has seen an election id that the store did not give out, and a session is master in the
//! newest term alone.

use lockstep_types::Term;

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    system.devices.iter().all(|(target, device)| {
        let term = system.store.mastership(target).map_or(Term::ZERO, |m| m.term);
        let others = system.scenario.faults.usurpers > 0;
        (others || device.election <= term) && system.store.header(target).synced <= term
    })
}

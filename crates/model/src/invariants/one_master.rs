//! No device has seen an election id that the store did not give out, unless it was somebody else's or is forgotten, and a session is master in the
//! newest term alone. No two sessions or connections have a target in the same term.

use lockstep_types::{Target, Term};

use super::Step;
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    system.scenario.targets.iter().all(|target| {
        let election = system.devices.get(target).map_or(Term::ZERO, |device| device.election);
        let term = system.store.mastership(target).map_or(Term::ZERO, |m| m.term);
        let others = system.scenario.faults.usurpers > 0 || system.scenario.set_back;
        (others || election <= term)
            && system.store.header(target).synced <= term
            && system.commits.iter().all(|commit| is_new_term(commit, target))
    })
}

/// Whoever comes to have a target comes with a new term.
fn is_new_term(commit: &Commit, target: &Target) -> bool {
    let [before, after] = [&commit.before, &commit.after].map(|store| store.mastership(target));
    let Some(after) = after.filter(|after| after.session.is_some()) else { return true };
    let same =
        before.is_some_and(|b| (&b.session, b.connection) == (&after.session, after.connection));
    same || before.is_none_or(|before| before.term < after.term)
}

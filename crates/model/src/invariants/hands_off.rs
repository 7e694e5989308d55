//! A device that has a configuration of its own is sent nothing before that was recorded. What is recorded
//! later without anyone ordering it is what somebody else changed, never what the device lost.

use lockstep_protocol::Ask;
use lockstep_protocol::record::{Drift, Kind, Transaction};
use lockstep_types::Delta;

use super::Step;
use crate::scenario::leaf;
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    let own = system.scenario.own.is_some();
    let unordered = system.scenario.drift == Drift::Adopt && system.scenario.faults.adopts == 0;
    system.sent.iter().filter(|sent| own && sent.current).all(|sent| {
        let met = system.store.header(&sent.flight.target).met;
        met || !matches!(sent.flight.ask, Ask::Set(_))
    }) && system.commits.iter().filter(|_| unordered).all(records_what_was_changed)
}

fn records_what_was_changed(commit: &Commit) -> bool {
    let fresh = |t: &&Transaction| {
        t.kind == Kind::Adopt { first: false } && commit.before.transaction(t.index).is_none()
    };
    let own = Some(leaf("own"));
    let is_own = |delta: &Delta| delta.iter().all(|(_, content)| *content == own);
    let fresh = commit.after.transactions().filter(fresh);
    let mut recorded = fresh.flat_map(|t| t.targets.keys().map(|target| (t.index, target)));
    recorded.all(|(index, target)| {
        commit.after.proposal(index, target).is_some_and(|proposal| is_own(&proposal.delta))
    })
}

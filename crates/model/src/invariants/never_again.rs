//! A value that a device refused as a proposal is never sent to it again, by anything. In the scripts
//! every change writes a path with a value of its own; a Restore, like a Rollback, has none.

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, PartStatus, Reason};
use lockstep_types::{Delta, Target};

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.after.sent.iter().filter(|sent| sent.current).all(|sent| match sent.flight.ask.delta() {
        Some(delta) => !holds_refused(&step.after.store, &sent.flight.target, delta),
        None => true,
    })
}

fn holds_refused(store: &View, target: &Target, sent: &Delta) -> bool {
    let changes = store.transactions().filter(|t| t.kind == Kind::Change);
    let refused = changes.filter(|t| {
        t.targets.get(target).is_some_and(|part| {
            matches!(part.reason, Some(Reason::Refused { .. }))
                && matches!(part.status, PartStatus::Refused | PartStatus::Withdrawn)
        })
    });
    refused.filter_map(|t| store.proposal(t.index, target)).any(|proposal| {
        proposal.delta.sets().any(|(path, content)| {
            sent.get(path).is_some_and(|value| value.as_ref() == Some(content))
        })
    })
}

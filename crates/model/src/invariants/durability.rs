//! What a client was told stays true: an outcome is the outcome, and what was told as decided stays
//! decided.

use lockstep_protocol::View;
use lockstep_protocol::record::Status;
use lockstep_types::Index;

use super::Step;
use crate::system::Told;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    let kept = system.told.values().all(|told| match told {
        Told::Refused => true,
        Told::Status(index, status) => stays_true(&system.store, *index, *status),
    });
    kept && step.from.is_none_or(|(before, _)| {
        before.told.iter().all(|(number, told)| system.told.get(number) == Some(told))
    })
}

fn stays_true(store: &View, index: Index, told: Status) -> bool {
    store.transaction(index).is_some_and(|transaction| {
        if told.is_final() {
            transaction.status == told
        } else {
            told != Status::Pending
                && !matches!(transaction.status, Status::Pending | Status::Rejected)
        }
    })
}

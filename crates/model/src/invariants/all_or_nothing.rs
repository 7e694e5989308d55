//! An atomic transaction ends applied on every target, or its effects are gone from all of them;
//! nothing else commits on its targets in between. A Rollback is always atomic.

use lockstep_protocol::View;
use lockstep_protocol::record::{PartStatus, Status, Transaction};

use super::Step;
use super::decision::leaves_no_trace;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let atomic = |t: &&Transaction| t.is_atomic() || !t.kind.writes();
    step.commits()
        .all(|commit| commit.concerned().filter(atomic).all(|entry| is_kept(&commit.after, entry)))
}

fn is_kept(store: &View, transaction: &Transaction) -> bool {
    let all = |wanted: &[PartStatus]| {
        transaction.targets.values().all(|part| wanted.contains(&part.status))
    };
    let holds = || {
        transaction.targets.keys().all(|target| {
            let header = store.header(target);
            header.holder == Some(transaction.index) && header.committed.index == transaction.index
        })
    };
    match transaction.status {
        Status::Applied => all(&[PartStatus::Applied]),
        Status::Reverted => {
            all(&[PartStatus::Refused, PartStatus::Undone]) && leaves_no_trace(store, transaction)
        }
        Status::Confirming => holds() && all(&[PartStatus::Accepted, PartStatus::Applied]),
        Status::Committed | Status::Reverting => holds(),
        Status::Partial => false,
        Status::Pending | Status::Rejected | Status::Cancelled => all(&[PartStatus::Pending]),
    }
}

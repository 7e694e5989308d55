//! Committed values are exactly the fold of the committed changes that were not undone; applied
//! values exactly the fold of the applied ones; and each revision is the latest of them. The fold of
//! what clients asked comes to the same values.

use lockstep_types::{Configuration as Tree, Index};

use super::Step;
use crate::ledger::{self, Chain};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(|commit, target| {
        let (store, account) = (&commit.after, commit.ledger().account(target));
        let header = store.header(target);
        let is_fold = |values: &Tree, revision: Index, changes: &Chain| {
            ledger::alike(store, target, values, changes.tree())
                && values.same_values(changes.asked())
                && revision == changes.latest()
        };
        is_fold(&store.committed(target), header.committed.revision, account.committed())
            && is_fold(&store.applied(target), header.applied.revision, account.applied())
    })
}

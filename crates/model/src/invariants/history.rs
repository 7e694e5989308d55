//! How a target stood after any entry of the log is the fold of the changes up to there that were not
//! taken out by then: never one that was withdrawn or reverted, whenever that was, and never one that
//! is still open. A Restore asks for just that.

use lockstep_types::Target;

use super::Step;
use crate::ledger;
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(is_exact)
}

/// Looked at where it is not as it was. History goes back entry by entry, so what was reached from an entry that is as it was
/// is as it was, too.
fn is_exact(commit: &Commit, target: &Target) -> bool {
    let (store, account) = (&commit.after, commit.ledger().account(target));
    let known = store.horizon().max(store.header(target).since);
    account.stood_anew().chain([store.head().index]).filter(|index| *index >= known).all(|index| {
        let added_up = account.as_of(index);
        let stood = store.as_of(target, index);
        stood.is_some_and(|stood| ledger::alike(store, target, &stood, added_up.tree()))
    })
}

//! How a target stood after any entry of the log is the fold of the changes up to there that were not
//! taken out by then: never one that was withdrawn or reverted, whenever that was, and never one that
//! is still open. A Restore asks for just that.

use lockstep_protocol::View;
use lockstep_protocol::record::Key;
use lockstep_types::{Index, Target};

use super::{Step, ledger};
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.after.commits.iter().all(|commit| {
        let targets = step.after.scenario.targets.iter();
        let mut moved = targets.filter(|target| has_moved(commit, target));
        moved.all(|target| is_exact(&commit.after, target))
    })
}

/// History changes with the configuration, or not at all.
fn has_moved(commit: &Commit, target: &Target) -> bool {
    let key = Key::Configuration(target.clone());
    commit.before.version(&key) != commit.after.version(&key)
}

fn is_exact(store: &View, target: &Target) -> bool {
    let known = store.horizon().max(store.header(target).since);
    (known.get()..=store.head().index.get()).map(Index::new).all(|index| {
        let counted = ledger::as_of(store, target, index);
        store.as_of(target, index) == Some(ledger::fold(store, target, &counted))
    })
}

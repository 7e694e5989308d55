//! When nothing waits on a target, committed equals applied.

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(|commit, target| {
        let store = &commit.after;
        let waits = store.apply_head(target).is_some() || store.undo_head(target).is_some();
        let tried = store.on_trial(target).is_some();
        waits || tried || store.committed(target) == store.applied(target)
    })
}

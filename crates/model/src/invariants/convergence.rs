//! When nothing is under way any more, every device that is there, and does not refuse it, is
//! synchronised and holds the applied values, which are the committed ones.

use super::Step;
use super::in_step::{is_calm, is_left_alone};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    if !system.is_quiet() {
        return true;
    }
    let there = system.scenario.targets.iter().filter(|target| system.devices[*target].on);
    let there = there.filter(|target| system.store.binding(target).is_some());
    let there = there.filter(|target| !system.store.header(target).paused);
    // What listens to somebody else stays so until an operator has it taken over.
    let there = there.filter(|target| !system.is_usurped(target));
    // A trial that is in the way is ours to take away.
    let willing = there.filter(|target| {
        let refuses = system.store.header(target).resync_refused.is_some();
        !refuses || system.devices[*target].trial.is_some()
    });
    willing.into_iter().all(|target| {
        let (committed, applied) = (system.store.committed(target), system.store.applied(target));
        let same = system.scenario.rewrites
            || is_left_alone(system, target)
            || system.devices[target].values.same_values(&applied);
        is_calm(system, target) && same && committed == applied
    })
}

//! Of a target that was removed nothing stands, nothing waits for its device, and nobody is its master or
//! sends it anything. One that comes by the same name later has no part in what was decided before.

use lockstep_protocol::View;
use lockstep_types::{Index, Target};

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    let before = step.from.map_or(&system.store, |(before, _)| &before.store);
    let unbound = |store: &View, target: &Target| store.binding(target).is_none();
    step.at_every_target(|commit, target| {
        let store = &commit.after;
        (!unbound(store, target) || nothing_stands(store, target)) && is_new(store, target)
    }) && system.sent.iter().filter(|sent| sent.current).all(|sent| {
        let target = &sent.flight.target;
        !(unbound(before, target) && unbound(&system.store, target))
    })
}

fn nothing_stands(store: &View, target: &Target) -> bool {
    let header = store.header(target);
    store.committed(target).is_empty()
        && store.applied(target).is_empty()
        && store.apply_head(target).is_none()
        && store.undo_head(target).is_none()
        && store.master(target).is_none()
        && header.holder.is_none()
}

/// Whatever stands was decided since the target came to be.
fn is_new(store: &View, target: &Target) -> bool {
    let header = store.header(target);
    let later = |index: Index| index > header.since || index == Index::ZERO;
    let (committed, applied) = (store.committed(target), store.applied(target));
    let mut units = committed.units().chain(applied.units());
    units.all(|(_, unit)| later(unit.writer))
        && later(header.committed.revision)
        && later(header.applied.revision)
}

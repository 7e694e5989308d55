//! A synchronised, connected device with nothing under way holds the applied values, except that it
//! may already hold what the head of a queue brings, or shows a unit in a form of its own.

use lockstep_protocol::node::Work;
use lockstep_protocol::record::{Drift, Kind, PartStatus, Transaction};
use lockstep_types::{Configuration as Tree, Content, Path, Target};

use crate::system::System;

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    system.scenario.targets.iter().all(|target| !is_calm(system, target) || holds(system, target))
}

/// Whether the master is connected on the connection of its term, has nothing under way, and the
/// device is synchronised.
pub(super) fn is_calm(system: &System, target: &Target) -> bool {
    let Some(master) = system.store.master(target) else { return false };
    let node = system.nodes.iter().position(|running| {
        running.core.as_ref().is_some_and(|core| Some(core.session()) == master.session.as_ref())
    });
    let Some(node) = node else { return false };
    let Some(core) = &system.nodes[node].core else { return false };
    system.devices[target].on
        && system.hears(node)
        && system.store.is_synchronised(target)
        && system.connection(node, target) == Some(master.connection)
        && core.desk().link(target).is_some_and(|link| link.work == Work::Idle)
        && !system.letters.iter().any(|letter| letter.node == node)
}

fn holds(system: &System, target: &Target) -> bool {
    holds_applied(system, target) && has_trial(system, target)
}

/// What the store says is on trial is so, unless a device may have taken it back by itself.
fn has_trial(system: &System, target: &Target) -> bool {
    let has = system.devices[target].trial.as_ref().map(|trial| trial.index);
    let ran_out = system.left.timers < system.scenario.faults.timers;
    ran_out || system.store.on_trial(target).is_none_or(|index| has == Some(index))
}

fn holds_applied(system: &System, target: &Target) -> bool {
    let applied = system.store.applied(target);
    let device = &system.devices[target].values;
    device.diff(&applied).paths().all(|path| {
        let seen = device.get(path);
        is_on_its_way(system, target, path, seen)
            || is_own_form(system, target, path, seen)
            || is_left_alone(system, target)
            || is_unheard_of(system, target)
    })
}

fn is_on_its_way(system: &System, target: &Target, path: &Path, seen: Option<&Content>) -> bool {
    let store = &system.store;
    let heads = [store.apply_head(target), store.undo_head(target), store.on_trial(target)];
    heads.into_iter().flatten().filter_map(|index| store.transaction(index)).any(|transaction| {
        let (with, without) = both(system, transaction, target);
        let touches = with.paths().any(|p| p == path);
        touches && (with.get(path).is_some_and(|c| c.as_ref() == seen) || without.get(path) == seen)
    })
}

/// What a queue's head brings, and the applied values once it is undone.
pub(super) fn both(
    system: &System,
    transaction: &Transaction,
    target: &Target,
) -> (lockstep_types::Delta, Tree) {
    let store = &system.store;
    let applied = store.applied(target);
    let source = match transaction.kind {
        Kind::Rollback { of, .. } => of,
        _ => transaction.index,
    };
    let Some(proposal) = store.proposal(source, target) else {
        return (lockstep_types::Delta::default(), applied);
    };
    let (with, back) = match transaction.kind {
        Kind::Rollback { .. } => {
            (proposal.undo.delta(), applied.patched(&proposal.delta.written_by(source)))
        }
        _ => (proposal.delta.clone(), applied.patched(&applied.without(source, &proposal.undo))),
    };
    let undone = if transaction.part(target) == PartStatus::Applied { back } else { applied };
    (with, undone)
}

/// Whether somebody else changed the device, and it is left so. Where that was done between a push and the
/// look at what came of it, it passes for the device's own form of what was pushed (rule 8).
pub(super) fn is_left_alone(system: &System, target: &Target) -> bool {
    let marked = system.store.marks(target).is_some_and(|marks| !marks.is_empty());
    let report = system.scenario.drift == Drift::Report;
    system.scenario.faults.tampers > 0 && (report || marked)
}

/// Whether somebody else changed the device, and nobody has come to look at it.
fn is_unheard_of(system: &System, target: &Target) -> bool {
    let cores = system.nodes.iter().filter_map(|running| running.core.as_ref());
    let mut links = cores.filter_map(|core| core.desk().link(target));
    system.devices[target].tampered || links.any(|link| link.drifted)
}

/// Where devices write values in a form of their own, the same value in that form is as good.
fn is_own_form(system: &System, target: &Target, path: &Path, seen: Option<&Content>) -> bool {
    let text = |content: Option<&Content>| format!("{content:?}").to_uppercase();
    system.scenario.rewrites && text(seen) == text(system.store.applied(target).get(path))
}

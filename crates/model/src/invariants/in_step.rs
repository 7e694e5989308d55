//! A synchronised, connected device with nothing under way holds the applied values, except that it
//! may already hold what the head of a queue brings, or shows a unit in a form of its own.

use lockstep_protocol::node::Work;
use lockstep_protocol::record::{Kind, PartStatus, Transaction};
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
    let applied = system.store.applied(target);
    let device = &system.devices[target].values;
    device.diff(&applied).paths().all(|path| {
        let seen = device.get(path);
        is_on_its_way(system, target, path, seen) || is_own_form(system, target, path, seen)
    })
}

fn is_on_its_way(system: &System, target: &Target, path: &Path, seen: Option<&Content>) -> bool {
    let store = &system.store;
    let heads = [store.apply_head(target), store.undo_head(target)];
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
        Kind::Change | Kind::Restore { .. } => transaction.index,
        Kind::Rollback { of, .. } => of,
    };
    let Some(proposal) = store.proposal(source, target) else {
        return (lockstep_types::Delta::default(), applied);
    };
    let (with, back) = match transaction.kind {
        Kind::Change | Kind::Restore { .. } => {
            (proposal.delta.clone(), applied.patched(&applied.without(source, &proposal.undo)))
        }
        Kind::Rollback { .. } => {
            (proposal.undo.delta(), applied.patched(&proposal.delta.written_by(source)))
        }
    };
    let undone = if transaction.part(target) == PartStatus::Applied { back } else { applied };
    (with, undone)
}

/// Where devices write values in a form of their own, the same value in that form is as good.
fn is_own_form(system: &System, target: &Target, path: &Path, seen: Option<&Content>) -> bool {
    let text = |content: Option<&Content>| format!("{content:?}").to_uppercase();
    system.scenario.rewrites && text(seen) == text(system.store.applied(target).get(path))
}

//! A change with a window stays if it is confirmed while that is open, and is taken out if it is not; never
//! both, and what a client was told is confirmed stays so. Nothing comes behind it on its targets before
//! that, and what takes it out does not turn.

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Rule, Status, Transaction, Window, WindowStage};
use lockstep_types::{Index, Target};

use super::Step;
use crate::system::{Commit, EXTENSION, System};

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let system = step.after;
    system.commits.iter().all(|commit| {
        commit.after.transactions().all(|new| {
            let old = commit.before.transaction(new.index).and_then(|old| old.window);
            goes_on(system, commit, old, new) && is_as_it_says(commit, new)
        })
    }) && system.confirmed.iter().all(|index| is_confirmed(&system.archive, *index))
        && (!system.is_quiet() || system.store.windows().all(|(until, _)| system.now <= until))
}

fn is_confirmed(store: &View, index: Index) -> bool {
    let window = store.transaction(index).and_then(|t| t.window);
    window.is_some_and(|window| window.stage == WindowStage::Confirmed)
}

/// How a window goes on: with the outcome of its change, then one way or the other.
fn goes_on(system: &System, commit: &Commit, old: Option<Window>, new: &Transaction) -> bool {
    let before = old.map(|window| window.stage);
    let Some(window) = new.window else { return old.is_none() };
    match (before, window.stage) {
        (None, stage) => {
            commit.before.transaction(new.index).is_none() && stage == WindowStage::Asked
        }
        (Some(old), new) if old == new => true,
        (Some(WindowStage::Asked), WindowStage::Open { until }) => {
            let finished = new.finished.map(|at| at.after(window.length));
            new.status == Status::Applied && Some(until) == finished
        }
        (Some(WindowStage::Open { until }), WindowStage::Open { until: later }) => {
            let asked = system.left.extends < system.scenario.faults.extends;
            let now = until >= system.now && later == system.now.after(EXTENSION);
            asked && (now || !system.scenario.instant)
        }
        // A write that is under way when the window ends may still be the first.
        (Some(WindowStage::Open { until }), WindowStage::Confirmed) => {
            system.now <= until || !system.scenario.instant
        }
        (Some(WindowStage::Open { until }), WindowStage::Reverted) => {
            system.now > until || system.left.cancels < system.scenario.faults.cancels
        }
        _ => false,
    }
}

fn is_as_it_says(commit: &Commit, change: &Transaction) -> bool {
    let store = &commit.after;
    let reverts = store.transactions().filter(
        |t| matches!(t.kind, Kind::Rollback { of, rule: Rule::Window } if of == change.index),
    );
    let reverts: Vec<&Transaction> = reverts.collect();
    let stage = change.window.map(|window| window.stage);
    let taken_out = match (&reverts[..], stage) {
        ([], stage) => stage != Some(WindowStage::Reverted),
        ([revert], Some(WindowStage::Reverted)) => {
            matches!(revert.status, Status::Committed | Status::Applied)
                && revert.targets.keys().eq(change.targets.keys())
        }
        _ => false,
    };
    let open = matches!(stage, Some(WindowStage::Open { .. }));
    taken_out
        && change.targets.keys().all(|target| {
            (!open || commit.ledger().account(target).visible().contains(change.index))
                && (!change.keeps_others_off() || is_last(store, change.index, target))
        })
}

/// Nothing came behind it that has or may yet have an effect.
fn is_last(store: &View, index: Index, target: &Target) -> bool {
    store
        .transactions()
        .filter(|t| t.index > index && t.targets.contains_key(target))
        .all(|t| matches!(t.status, Status::Rejected | Status::Cancelled))
}

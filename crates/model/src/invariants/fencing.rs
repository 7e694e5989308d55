//! A node whose term has passed writes neither the store nor a device.

use lockstep_protocol::View;
use lockstep_protocol::record::PartStatus;

use lockstep_types::{Target, Term};

use crate::ledger;
use crate::system::{Action, Commit, System};

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let Some((before, action)) = step.from else { return true };
    (matches!(action, Action::Flicker(_)) || elections_grow(before, step.after))
        && (!step.after.scenario.honest || only_the_living_send(step.after))
        && device_listens_to_the_newest(before, step.after, action)
        && step.after.commits.iter().all(|commit| {
            step.after.scenario.targets.iter().all(|target| only_the_master_records(commit, target))
        })
}

fn elections_grow(before: &System, after: &System) -> bool {
    after.devices.iter().all(|(target, new)| {
        let old = &before.devices[target];
        !(old.on && new.on) || new.election >= old.election
    })
}

/// A node that counts its lease sends nothing once its session may have ended.
fn only_the_living_send(system: &System) -> bool {
    system.sent.iter().all(|sent| {
        let core = system.nodes[sent.flight.node].core.as_ref();
        core.is_none_or(|core| system.store.is_alive(core.session()))
    })
}

/// Values change only by a request of the newest term that the device has seen.
fn device_listens_to_the_newest(before: &System, after: &System, action: &Action) -> bool {
    let Action::Deliver(at, _) = action else { return true };
    let flight = &before.requests[*at];
    let (old, new) = (&before.devices[&flight.target], &after.devices[&flight.target]);
    old.values == new.values
        || !flight.ask.may_change()
        || flight.term >= old.election
        || after.scenario.unfenced
}

/// What a device did is written by its living master; what was not, by its master or by anyone while
/// there is none.
fn only_the_master_records(commit: &Commit, target: &Target) -> bool {
    if begins_anew(commit, target) {
        return true;
    }
    let (old, new) = (commit.before.header(target), commit.after.header(target));
    let master = commit.before.master(target).and_then(|master| master.session.as_ref());
    let by_master = master.is_some() && master == commit.session.as_ref();
    if speaks_for_the_device(commit, target) {
        return by_master;
    }
    let recorded = old.applied != new.applied || new.synced != old.synced;
    !recorded || by_master || master.is_none() || withdraws(commit, target)
}

/// The target comes, or goes; nothing is said of its device.
fn begins_anew(commit: &Commit, target: &Target) -> bool {
    let (old, new) = (commit.before.header(target), commit.after.header(target));
    old.since != new.since && commit.after.applied(target).is_empty()
}

/// The device was brought in line, or took or refused something.
fn speaks_for_the_device(commit: &Commit, target: &Target) -> bool {
    let (old, new) = (commit.before.header(target), commit.after.header(target));
    let more = |counts: &[PartStatus]| {
        let count = |store: &View| {
            let entries = commit.concerned().filter_map(|entry| store.transaction(entry.index));
            // What takes back a change that was not confirmed does not wait for a device's word.
            let parts = entries.filter(|t| !t.is_revert()).map(|t| t.part(target));
            parts.filter(|part| counts.contains(part)).count()
        };
        count(&commit.after) > count(&commit.before)
    };
    let synced = new.synced != old.synced && new.synced != Term::ZERO;
    let moved = old.applied.index != new.applied.index;
    // What it has on trial it has taken, so whoever records that it keeps it adds nothing to that.
    let took = [PartStatus::Accepted, PartStatus::Applied, PartStatus::Refused];
    synced || more(&[PartStatus::Accepted]) || (moved && more(&took))
}

/// A withdrawal by cancel or recheck may come from any node: it only takes away. Absences that any write may let go of
/// say nothing of the device.
fn withdraws(commit: &Commit, target: &Target) -> bool {
    let (before, after) = (commit.before.applied(target), commit.after.applied(target));
    ledger::alike(&commit.after, target, &before, &after)
        && commit.after.header(target).synced == Term::ZERO
}

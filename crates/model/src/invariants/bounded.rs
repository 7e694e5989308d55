//! A write holds no more than the store takes at once: where that is one target, no write concerns two,
//! however many a transaction has.

use lockstep_protocol::View;
use lockstep_protocol::record::{Key, Kind, Transaction};
use lockstep_types::{Index, Target};

use super::Step;
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let (scenario, commits) = (&step.after.scenario, &step.after.commits);
    let concerned = |commit: &Commit| {
        scenario.targets.iter().filter(|target| is_written(commit, target)).count()
    };
    !scenario.small
        || commits.iter().all(|commit| concerned(commit) <= 1 && puts_little_below(commit))
}

/// What a device had is put below one entry at a time.
fn puts_little_below(commit: &Commit) -> bool {
    let fresh = |t: &&Transaction| {
        t.kind == Kind::Adopt { first: true } && commit.before.transaction(t.index).is_none()
    };
    let Some(adopted) = commit.after.transactions().find(fresh) else { return true };
    let anew = |target: &Target| {
        let moved = |t: &&Transaction| {
            commit.before.proposal(t.index, target) != commit.after.proposal(t.index, target)
        };
        commit.before.transactions().filter(moved).count()
    };
    adopted.targets.keys().all(|target| anew(target) <= 1)
}

fn is_written(commit: &Commit, target: &Target) -> bool {
    let changed = |key: Key| commit.before.version(&key) != commit.after.version(&key);
    let entries = |store: &View| -> Vec<Index> { store.transactions().map(|t| t.index).collect() };
    changed(Key::Configuration(target.clone()))
        || entries(&commit.after).into_iter().any(|index| {
            changed(Key::Proposal(index, target.clone()))
                || changed(Key::Part(index, target.clone()))
        })
}

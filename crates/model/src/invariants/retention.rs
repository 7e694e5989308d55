//! The horizon only grows, and never passes what is within the retention, what may yet be decided, turn or be
//! reverted, nor what an open Rollback or Restore names. Only what lies behind it is forgotten, with its
//! id. How things stood after it, or after any later entry, stays known, and after an earlier one does not.

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Status, Transaction};
use lockstep_types::{Index, Target};

use super::Step;
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let scenario = &step.after.scenario;
    step.after.commits.iter().all(|commit| {
        let whole = &commit.after;
        let horizon = whole.horizon();
        let kept = scenario.keeps.unwrap_or(u64::MAX);
        horizon >= commit.before.horizon()
            && horizon.get() <= whole.head().index.get().saturating_sub(kept)
            && whole.open().all(|open| is_before(horizon, open))
            && whole.transactions().all(|entry| is_known(commit, entry))
            && scenario.targets.iter().all(|target| history_is_known(commit, target))
    })
}

fn is_before(horizon: Index, open: &Transaction) -> bool {
    let settled = open.status == Status::Committed && !open.is_atomic();
    let named = match open.kind {
        Kind::Rollback { of, .. } => of > horizon,
        Kind::Restore { to } => to >= horizon,
        _ => true,
    };
    named && (settled || open.index > horizon)
}

fn is_known(commit: &Commit, entry: &Transaction) -> bool {
    let store = &commit.store;
    let known = store.transaction(entry.index).is_some();
    let passed = entry.index <= store.horizon();
    let may_go = passed && entry.status.is_final();
    !(passed && entry.keeps_others_off())
        && (known || may_go)
        && known == store.named(&entry.id).is_some()
}

fn history_is_known(commit: &Commit, target: &Target) -> bool {
    let horizon = commit.store.horizon().max(commit.store.header(target).since);
    let all = (0..=commit.after.head().index.get()).map(Index::new);
    all.into_iter().all(|index| as_known(&commit.store, &commit.after, target, index, horizon))
}

fn as_known(store: &View, whole: &View, target: &Target, index: Index, horizon: Index) -> bool {
    let stood = store.as_of(target, index);
    stood == whole.as_of(target, index) && stood.is_some() == (index >= horizon)
}

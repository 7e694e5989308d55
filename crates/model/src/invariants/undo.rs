//! What a live change would give back is exactly what stood before it: the fold of the live changes
//! below it. A Rollback takes its change out wherever that is live, and only where it is the latest.

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Rule, Status, Transaction};
use lockstep_types::{Index, Path, Target, Unit};

use super::Step;
use crate::ledger::{self, Chain};
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(gives_back_what_stood)
        && step.commits().all(|commit| {
            let mut decided = commit.concerned().filter(|entry| is_decided(commit, entry));
            decided.all(|entry| takes_out_the_latest(commit, entry))
        })
}

fn gives_back_what_stood(commit: &Commit, target: &Target) -> bool {
    let account = commit.ledger().account(target);
    account.committed_anew().all(|index| {
        let before = account.committed().below(index);
        commit.after.proposal(index, target).is_some_and(|proposal| {
            let is_same = |(path, unit): (&Path, &Unit)| {
                ledger::same(&commit.after, target, &before.unit(path), unit)
            };
            proposal.undo.units.iter().all(is_same)
                && proposal.delta.paths().eq(proposal.undo.units.keys())
        })
    })
}

/// Whether this write committed it.
fn is_decided(commit: &Commit, transaction: &Transaction) -> bool {
    let before = commit.before.transaction(transaction.index);
    transaction.status == Status::Committed && before.is_none_or(|t| t.status == Status::Pending)
}

fn takes_out_the_latest(commit: &Commit, rollback: &Transaction) -> bool {
    let store = &commit.before;
    let Kind::Rollback { of, rule } = rollback.kind else { return true };
    let Some(change) = store.transaction(of) else { return false };
    let named = |target: &&Target| rollback.only.is_empty() || rollback.only.contains(*target);
    change.targets.keys().filter(named).all(|target| {
        let account = commit.ledger_before().account(target);
        let live = account.committed();
        let concerned = rollback.targets.contains_key(target);
        concerned == live.contains(of) && (!concerned || is_latest(store, target, of, rule, live))
    })
}

fn is_latest(store: &View, target: &Target, of: Index, rule: Rule, live: &Chain) -> bool {
    match rule {
        Rule::Target | Rule::Window => live.latest() == of,
        Rule::Path => store.proposal(of, target).is_some_and(|proposal| {
            let committed = store.committed(target);
            let later: Vec<Index> = live.changes_from(of.next()).collect();
            // Whoever clears a path asks that nothing be there, also where nothing is; a Restore asks for all there is.
            let clears = |later: &Index, path: &Path| {
                store.proposal(*later, target).is_some_and(|later| later.edit.clears(path))
            };
            let restores = |later: &Index| {
                store.transaction(*later).is_some_and(|t| matches!(t.kind, Kind::Restore { .. }))
            };
            !later.iter().any(restores)
                && proposal.delta.paths().all(|path| {
                    let cleared = later.iter().any(|later| clears(later, path));
                    committed.unit(path).writer == of && !cleared
                })
        }),
    }
}

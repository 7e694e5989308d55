//! What a live change would give back is exactly what stood before it: the fold of the live changes
//! below it. A Rollback takes its change out wherever that is live, and only where it is the latest.

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Rule, Status, Transaction};
use lockstep_types::{Index, Path, Target};

use super::{Step, ledger};
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(gives_back_what_stood)
        && step.after.commits.iter().all(|commit| {
            let decided = commit.after.transactions().filter(|t| is_decided(commit, t));
            decided.into_iter().all(|t| takes_out_the_latest(&commit.before, t))
        })
}

fn gives_back_what_stood(store: &View, target: &Target) -> bool {
    let live = ledger::committed(store, target);
    live.iter().all(|index| {
        let below: Vec<Index> = live.iter().copied().filter(|k| k < index).collect();
        let before = ledger::fold(store, target, &below);
        store.proposal(*index, target).is_some_and(|proposal| {
            proposal.undo.units.iter().all(|(path, unit)| before.unit(path) == *unit)
                && proposal.delta.paths().eq(proposal.undo.units.keys())
        })
    })
}

/// Whether this write committed it.
fn is_decided(commit: &Commit, transaction: &Transaction) -> bool {
    let before = commit.before.transaction(transaction.index);
    transaction.status == Status::Committed && before.is_none_or(|t| t.status == Status::Pending)
}

fn takes_out_the_latest(store: &View, rollback: &Transaction) -> bool {
    let Kind::Rollback { of, rule } = rollback.kind else { return true };
    let Some(change) = store.transaction(of) else { return false };
    let named = |target: &&Target| rollback.only.is_empty() || rollback.only.contains(*target);
    change.targets.keys().filter(named).all(|target| {
        let live = ledger::committed(store, target);
        let concerned = rollback.targets.contains_key(target);
        concerned == live.contains(&of) && (!concerned || is_latest(store, target, of, rule, &live))
    })
}

fn is_latest(store: &View, target: &Target, of: Index, rule: Rule, live: &[Index]) -> bool {
    match rule {
        Rule::Target | Rule::Window => live.last() == Some(&of),
        Rule::Path => store.proposal(of, target).is_some_and(|proposal| {
            let committed = store.committed(target);
            let later: Vec<_> = live.iter().filter(|later| **later > of).collect();
            // Whoever clears a path asks that nothing be there, also where nothing is.
            let clears = |later: &&Index, path: &Path| {
                store.proposal(**later, target).is_some_and(|later| later.edit.clears(path))
            };
            proposal.delta.paths().all(|path| {
                committed.unit(path).writer == of && !later.iter().any(|later| clears(later, path))
            })
        }),
    }
}

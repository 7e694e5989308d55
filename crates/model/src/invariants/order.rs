//! On each target, transactions are committed in log order and applied in commit order; no index and
//! no term ever goes back, and log time grows.

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Reason, Status, Transaction};
use lockstep_types::{Index, Target, Term};

use super::Step;
use crate::system::Commit;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    step.at_every_target(|commit, target| {
        in_order(commit, target) && forward(&commit.before, &commit.after, target)
    }) && step.commits().all(log_time_grows)
}

fn log_time_grows(commit: &Commit) -> bool {
    let submitted = |index| commit.after.transaction(index).map(|entry| entry.submitted);
    commit.concerned().all(|entry| {
        let earlier = Index::new(entry.index.get().saturating_sub(1));
        submitted(earlier).is_none_or(|earlier| earlier < entry.submitted)
            && submitted(entry.index.next()).is_none_or(|later| entry.submitted < later)
    })
}

fn in_order(commit: &Commit, target: &Target) -> bool {
    let header = commit.after.header(target);
    header.applied.index <= header.committed.index
        && committed_in_order(commit, target)
        && applied_in_order(commit, target)
}

/// What was considered is decided, what was not is pending or was passed over.
fn committed_in_order(commit: &Commit, target: &Target) -> bool {
    let considered = commit.after.header(target).committed.index;
    // What a device had when it was first met lies below everything, so it has no place in this order.
    let ordered = |t: &&Transaction| t.kind != Kind::Adopt { first: true };
    let on_target = commit.concerned().filter(|t| t.targets.contains_key(target));
    on_target.filter(ordered).all(|t| {
        if t.status == Status::Pending {
            t.index > considered
        } else {
            t.index <= considered || passed_over(t)
        }
    })
}

fn passed_over(transaction: &Transaction) -> bool {
    let late = matches!(transaction.reason, Some(Reason::Deadline | Reason::Cancelled));
    matches!(transaction.status, Status::Rejected | Status::Cancelled) && (late || transaction.wide)
}

/// Nothing that is decided waits below what a device has taken or refused.
fn applied_in_order(commit: &Commit, target: &Target) -> bool {
    let account = commit.ledger().account(target);
    account.first_waiting().is_none_or(|waits| account.last_recorded() < Some(waits))
}

fn forward(before: &View, after: &View, target: &Target) -> bool {
    let (old, new) = (before.header(target), after.header(target));
    let term = |store: &View| store.mastership(target).map_or(Term::ZERO, |m| m.term);
    new.committed.index >= old.committed.index
        && new.applied.index >= old.applied.index
        && term(after) >= term(before)
}

//! On each target, transactions are committed in log order and applied in commit order; no index and
//! no term ever goes back, and log time grows.

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, PartStatus, Reason, Status, Transaction};
use lockstep_types::{Target, Term};

use super::Step;

/// Whether a step keeps it.
pub fn keeps(step: &Step<'_>) -> bool {
    let targets = &step.after.scenario.targets;
    step.at_every_target(in_order)
        && step.stores().all(log_time_grows)
        && step.after.commits.iter().all(|commit| {
            targets.iter().all(|target| forward(&commit.before, &commit.after, target))
        })
}

fn log_time_grows(store: &View) -> bool {
    let times: Vec<_> = store.transactions().map(|transaction| transaction.submitted).collect();
    times.is_sorted_by(|earlier, later| earlier < later)
}

fn in_order(store: &View, target: &Target) -> bool {
    let header = store.header(target);
    header.applied.index <= header.committed.index
        && committed_in_order(store, target)
        && applied_in_order(store, target)
}

/// What was considered is decided, what was not is pending or was passed over.
fn committed_in_order(store: &View, target: &Target) -> bool {
    let considered = store.header(target).committed.index;
    on(store, target).all(|t| {
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

fn applied_in_order(store: &View, target: &Target) -> bool {
    let recorded: Vec<_> = on(store, target)
        .filter(|t| matches!(t.part(target), PartStatus::Applied | PartStatus::Refused))
        .filter(|t| !t.kind.is_of_target() && !nothing_to_send(store, t, target))
        .map(|t| t.index)
        .collect();
    let waits =
        |t: &Transaction| t.status == Status::Committed && t.part(target) == PartStatus::Pending;
    on(store, target).filter(|t| waits(t)).all(|t| recorded.iter().all(|later| *later < t.index))
}

fn nothing_to_send(store: &View, transaction: &Transaction, target: &Target) -> bool {
    let Kind::Rollback { of, .. } = transaction.kind else { return false };
    store.transaction(of).is_some_and(|change| change.part(target) == PartStatus::Withdrawn)
}

/// What a device had when it was first met lies below everything, so it has no place in this order.
fn on<'s>(store: &'s View, target: &'s Target) -> impl Iterator<Item = &'s Transaction> {
    let ordered = |t: &&Transaction| t.kind != Kind::Adopt { first: true };
    store.transactions().filter(ordered).filter(|t| t.targets.contains_key(target))
}

fn forward(before: &View, after: &View, target: &Target) -> bool {
    let (old, new) = (before.header(target), after.header(target));
    let term = |store: &View| store.mastership(target).map_or(Term::ZERO, |m| m.term);
    new.committed.index >= old.committed.index
        && new.applied.index >= old.applied.index
        && term(after) >= term(before)
}

//! What a run came to, in numbers.

use std::collections::BTreeMap;

use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Rule, Status, Transaction, WindowStage};

use crate::clients::{Asked, Told};
use crate::device::Site;

/// How often each thing happened, by name.
pub type Counts = BTreeMap<&'static str, usize>;

fn count(names: impl Iterator<Item = &'static str>) -> Counts {
    let mut counts = Counts::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts
}

/// What was asked for, by what clients were told.
#[must_use]
pub fn answers(asked: &[Asked]) -> Counts {
    count(asked.iter().map(|one| match &one.told {
        Told::Status(_, status) => status.name(),
        Told::Refused => "refused",
        Told::Nothing => "not answered",
    }))
}

/// What devices are like.
pub fn natures<'a>(sites: impl Iterator<Item = &'a Site>) -> Counts {
    count(sites.flat_map(|site| site.nature().names()))
}

/// What became of the log, as far as it is kept, and how often these changed their masters.
pub fn log<'a>(view: &View, sites: impl Iterator<Item = &'a Site>) -> Counts {
    let each = |transaction| {
        [Some(entry(transaction)), window(transaction), wide(transaction)].into_iter().flatten()
    };
    let mut counts = count(view.transactions().flat_map(each));
    let terms: u64 =
        sites.filter_map(|site| view.mastership(site.name())).map(|m| m.term.get()).sum();
    counts.insert("terms", usize::try_from(terms).unwrap_or(usize::MAX));
    let forgotten = usize::try_from(view.horizon().get()).unwrap_or(usize::MAX);
    counts.insert("entries forgotten", forgotten);
    counts
}

fn entry(transaction: &Transaction) -> &'static str {
    match (transaction.kind, transaction.status) {
        (Kind::Change, Status::Applied) => "changes applied",
        (Kind::Change, Status::Partial) => "changes applied in part",
        (Kind::Change, Status::Reverted) => "changes reverted",
        (Kind::Change, Status::Cancelled) => "changes cancelled",
        (Kind::Rollback { rule: Rule::Path, .. }, Status::Applied) => "rollbacks by path applied",
        (Kind::Rollback { .. }, Status::Applied) => "rollbacks applied",
        (Kind::Restore { .. }, Status::Applied) => "restores applied",
        (Kind::Adopt { first: true }, _) => "devices adopted when met",
        (Kind::Adopt { first: false }, _) => "drift adopted",
        (Kind::Add, Status::Applied) => "targets added",
        (Kind::Rebind, Status::Applied) => "targets bound anew",
        (Kind::Remove, Status::Applied) => "targets removed",
        _ => "entries besides",
    }
}

fn window(transaction: &Transaction) -> Option<&'static str> {
    transaction.window.as_ref().map(|window| match window.stage {
        WindowStage::Confirmed => "windows confirmed",
        WindowStage::Reverted => "windows that ended",
        _ => "windows besides",
    })
}

fn wide(transaction: &Transaction) -> Option<&'static str> {
    transaction.wide.then_some(match transaction.status {
        Status::Applied => "wide ones applied",
        Status::Reverted => "wide ones reverted",
        Status::Partial => "wide ones applied in part",
        _ => "wide ones besides",
    })
}

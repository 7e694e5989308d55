//! What one transaction changed of what readers are served.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_node::{Handle, Step, TargetSpec};
use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Mode, PartStatus, Transaction};
use lockstep_types::{Delta, Index, Path, Target, Timestamp};

/// What one transaction changed, leaf by leaf and with the defaults in use.
#[derive(Debug)]
pub(crate) struct News {
    /// The transaction; none: nobody's, as when a device is met for the first time.
    pub(crate) index: Option<Index>,
    /// The client's name for it, if it is a commit that was to be confirmed.
    pub(crate) commit: String,
    /// When it became visible.
    pub(crate) timestamp: Timestamp,
    /// By target, with the models to read it by: those it had, if it went.
    pub(crate) targets: BTreeMap<Target, (Arc<TargetSpec>, Delta)>,
}

impl News {
    pub(super) fn concerns(&self, targets: &BTreeSet<Target>) -> bool {
        self.targets.keys().any(|target| targets.contains(target))
    }
}

/// What changed from one view to the next. Without the step between them everything is compared.
pub(super) fn between(
    node: &Handle,
    before: &View,
    after: &View,
    step: Option<&Step>,
) -> Vec<Arc<News>> {
    let mut all: BTreeMap<Option<Index>, News> = BTreeMap::new();
    for spec in concerned(node, before, after, step) {
        let target = &spec.name;
        let (was, is) = (before.visible(target), after.visible(target));
        let delta = match step {
            Some(step) if after.binding(target).is_some() => {
                let mut touched = step.written.get(target).cloned().unwrap_or_default();
                touched.extend(held(before, target).chain(held(after, target)).cloned());
                spec.models.changes(&was, &is, &touched)
            }
            _ => spec.models.changes(&was, &is, was.diff(&is).paths()),
        };
        if delta.is_empty() {
            continue;
        }
        let cause = step.and_then(|step| cause(after, step, target));
        let timestamp = cause.map_or_else(|| node.now(), |cause| visible_at(node, cause, target));
        let index = cause.map(|cause| cause.index);
        let commit = cause.filter(|cause| cause.window.is_some()).map(|cause| cause.id.to_string());
        let commit = commit.unwrap_or_default();
        let new = || News { index, commit, timestamp, targets: BTreeMap::new() };
        let news = all.entry(index).or_insert_with(new);
        news.targets.insert(target.clone(), (spec, delta));
    }
    all.into_values().map(Arc::new).collect()
}

/// The targets of which something visible may have changed.
fn concerned(
    node: &Handle,
    before: &View,
    after: &View,
    step: Option<&Step>,
) -> Vec<Arc<TargetSpec>> {
    let Some(step) = step else {
        let gone = before.targets().filter(|target| after.binding(target).is_none());
        let gone = gone.filter_map(|target| gone_one(node, before, target));
        return node.targets().into_iter().chain(gone).collect();
    };
    let moved = step.transactions.iter().filter_map(|index| after.transaction(*index));
    let moved = moved.flat_map(|transaction| transaction.targets.keys());
    let names: BTreeSet<&Target> = step.written.keys().chain(moved).collect();
    let one = |name: &Target| node.target(name).or_else(|| gone_one(node, before, name));
    names.into_iter().filter_map(one).collect()
}

/// A target that went, with the models it had.
fn gone_one(node: &Handle, before: &View, target: &Target) -> Option<Arc<TargetSpec>> {
    let models = node.models().get(&before.binding(target)?.models)?;
    let (model, ignore) = (String::new(), Vec::new());
    Some(Arc::new(TargetSpec { name: target.clone(), model, models, ignore }))
}

/// What is not shown of a target because a transaction on it has no outcome yet.
fn held<'v>(view: &'v View, target: &Target) -> impl Iterator<Item = &'v Path> + use<'v> {
    let holder = view.header(target).holder.and_then(|holder| view.transaction(holder));
    let change = holder.map(|holder| match holder.kind {
        Kind::Rollback { of, .. } => of,
        _ => holder.index,
    });
    let proposal = change.and_then(|change| view.proposal(change, target));
    proposal.into_iter().flat_map(|proposal| proposal.delta.paths())
}

/// The transaction that a revision moved on, on a target.
fn cause<'v>(view: &'v View, step: &Step, target: &Target) -> Option<&'v Transaction> {
    let moved = step.transactions.iter().rev().filter_map(|index| view.transaction(*index));
    moved.into_iter().find(|transaction| transaction.targets.contains_key(target))
}

/// When what a transaction did, or undid, came to be seen.
pub(crate) fn visible_at(node: &Handle, cause: &Transaction, target: &Target) -> Timestamp {
    let seen = match (cause.mode, cause.part(target)) {
        (Mode::Queued, PartStatus::Pending | PartStatus::Applied) => cause.decided,
        _ => cause.finished,
    };
    seen.unwrap_or_else(|| node.now())
}

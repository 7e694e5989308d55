//! What one transaction changed of what readers are served.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_node::{Handle, Step, TargetSpec};
use lockstep_protocol::View;
use lockstep_protocol::record::{Kind, Transaction};
use lockstep_types::{Content, Delta, Index, Path, Target, Timestamp, Value};

use crate::workers::FEW;

/// What one transaction changed, leaf by leaf and with the defaults in use.
#[derive(Debug)]
pub(crate) struct News {
    /// The transaction; none: nobody's, as when a device is met for the first time.
    pub(crate) index: Option<Index>,
    /// The client's name for it, if it is a commit that was to be confirmed.
    pub(crate) commit: String,
    /// When it became visible: by the log, the same on every node.
    pub(crate) timestamp: Timestamp,
    /// By target, with the models to read it by: those it had, if it went.
    pub(crate) targets: BTreeMap<Target, (Arc<TargetSpec>, Delta)>,
    /// Targets that came, went, or are served in another way; then nothing else is in it.
    pub(crate) bound: Option<Bound>,
    /// About so many bytes.
    pub(super) size: usize,
}

/// Targets that came, went, or are served in another way, after all that was told before.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) targets: BTreeSet<Target>,
    /// What stands; later news go on from there.
    pub(crate) view: Arc<View>,
}

/// What changed from one view to the next, which a step led to.
pub(super) fn between(node: &Handle, before: &View, step: &Step) -> Vec<Arc<News>> {
    let after = &step.view;
    let mut all: BTreeMap<Option<Index>, News> = BTreeMap::new();
    for spec in concerned(node, before, step) {
        let target = &spec.name;
        let (was, is) = (before.visible(target), after.visible(target));
        let delta = if after.binding(target).is_some() {
            let mut touched = step.written.get(target).cloned().unwrap_or_default();
            touched.extend(held(before, target).chain(held(after, target)).cloned());
            spec.models.changes(&was, &is, &touched)
        } else {
            spec.models.changes(&was, &is, was.diff(&is).paths())
        };
        if delta.is_empty() {
            continue;
        }
        let cause = cause(before, step, target);
        let seen = cause.and_then(|cause| seen_at(cause, target));
        let timestamp = seen.unwrap_or_else(|| node.now());
        let index = cause.map(|cause| cause.index);
        let commit = cause.filter(|cause| cause.window.is_some()).map(|cause| cause.id.to_string());
        let commit = commit.unwrap_or_default();
        let targets = BTreeMap::new();
        let new = || News { index, commit, timestamp, targets, bound: None, size: 0 };
        let news = all.entry(index).or_insert_with(new);
        news.size += size(&delta);
        news.targets.insert(target.clone(), (spec, delta));
    }
    // Last: what a target that goes had is told before, and what one that comes has is told with it.
    let bound = (!step.bound.is_empty()).then(|| rebound(node, step));
    all.into_values().chain(bound).map(Arc::new).collect()
}

/// Whether that is worked out on the spot: what was written, and what transactions hold back or held back, is little. It
/// may be everything of a target that is there no more, or is served in another way.
pub(super) fn is_little(before: &View, step: &Step) -> bool {
    let after = &step.view;
    let moved = step.transactions.iter().filter_map(|index| after.transaction(*index));
    let mut targets = step.written.keys().chain(moved.flat_map(|one| one.targets.keys()));
    let size = |target: &Target| {
        let written = step.written.get(target).map_or(0, BTreeSet::len);
        let held = held(before, target).chain(held(after, target)).take(FEW);
        Some(1 + written + held.count()).filter(|_| after.binding(target).is_some())
    };
    let left = |left: usize, target| left.checked_sub(size(target)?);
    step.bound.is_empty() && targets.try_fold(FEW, left).is_some()
}

fn rebound(node: &Handle, step: &Step) -> News {
    let (targets, view) = (step.bound.clone(), Arc::clone(&step.view));
    News {
        index: None,
        commit: String::new(),
        timestamp: node.now(),
        targets: BTreeMap::new(),
        bound: Some(Bound { targets, view }),
        size: 0,
    }
}

/// About how many bytes a change takes. What is in a path is shared, and what is in a value may be large.
fn size(delta: &Delta) -> usize {
    const UNIT: usize = 256;
    let value = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Binary(bytes) => bytes.as_bytes().len(),
        _ => 0,
    };
    let content = |content: &Content| match content {
        Content::Leaf(one) => value(one),
        Content::LeafList(all) => all.iter().map(|one| 32 + value(one)).sum(),
        Content::Order(entries) => 64 * entries.len(),
        Content::Entry | Content::Presence => 0,
    };
    delta.iter().map(|(_, new)| UNIT + new.as_ref().map_or(0, content)).sum()
}

/// The targets of which something visible may have changed.
fn concerned(node: &Handle, before: &View, step: &Step) -> Vec<Arc<TargetSpec>> {
    let moved = step.transactions.iter().filter_map(|index| step.view.transaction(*index));
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

/// The transaction by which a target came to be seen as it is. A revision may have moved others on there as well, as
/// where the next one arrives along with the outcome of the last: writes that do not mind each other share one.
fn cause<'v>(before: &View, step: &'v Step, target: &Target) -> Option<&'v Transaction> {
    let was = |index| before.transaction(index).and_then(|one| one.visible_since(target));
    let moved = step.transactions.iter().rev().filter_map(|index| step.view.transaction(*index));
    moved.into_iter().find(|one| one.visible_since(target) != was(one.index))
}

/// When what a transaction did, or undid, came to be seen: as it is recorded, and so the same on every node.
fn seen_at(cause: &Transaction, target: &Target) -> Option<Timestamp> {
    cause.visible_since(target).or(cause.finished)
}

#[cfg(test)]
mod tests;

//! Decide: committed on all targets, or on none, by one write.

use std::collections::BTreeMap;

use lockstep_types::{Edit, Index, Target, Timestamp};

use super::confirming::is_trial;
use super::lifecycle::bind;
use super::plan::Plan;
use crate::draft::Draft;
use crate::effect;
use crate::record::{Key, Kind, Part, Proposal, Reason, Rule, Status, WindowStage};

/// Commits transaction `index` as planned.
pub(crate) fn commit(
    draft: &mut Draft<'_>,
    index: Index,
    edits: &BTreeMap<Target, Edit>,
    plan: &Plan,
    now: Timestamp,
) {
    let view = draft.view;
    let Some(transaction) = draft.transaction(index) else { return };
    if transaction.kind.is_of_target() {
        return bind(draft, index, now);
    }
    let named: Vec<Target> = transaction.targets.keys().cloned().collect();
    transaction.status = Status::Committed;
    transaction.decided = Some(now.max(transaction.submitted));
    transaction.targets = plan.keys().map(|target| (target.clone(), Part::default())).collect();
    let trial = is_trial(view, transaction);
    transaction.trial = trial;
    let decided = transaction.clone();
    let (kind, atomic) = (decided.kind, decided.is_atomic());
    for target in &named {
        draft.depends_on(Key::Binding(target.clone()));
        draft.configuration(target).header.committed.index = index;
    }
    for (target, planned) in plan {
        let before = draft.view.committed(target).before(&planned.delta);
        let revision = effect::revision_with(draft.view, &decided, target);
        let staged = draft.configuration(target);
        staged.header.committed.revision = revision;
        staged.header.holder = atomic.then_some(index);
        if trial {
            staged.header.trial = Some(index);
        }
        staged.commit(planned.committed.clone());
        if kind.writes() {
            let edit = edits.get(target).cloned().unwrap_or_default();
            let proposal = Proposal { edit, delta: planned.delta.clone(), undo: before };
            draft.put_proposal(index, target, proposal);
        }
    }
    if let Kind::Rollback { of, rule } = kind {
        mark_rolled_back(draft, of, plan.keys(), Some(index));
        if rule == Rule::Window {
            move_window(draft, of, WindowStage::Reverted);
        }
    }
}

/// The window of a change closes, one way or the other, or is given another time. Compared like every change
/// of a record.
pub(crate) fn move_window(draft: &mut Draft<'_>, change: Index, stage: WindowStage) {
    if let Some(window) = draft.transaction(change).and_then(|t| t.window.as_mut()) {
        window.stage = stage;
    }
}

/// Says in the change's own record who took it out, where; or that nobody did after all.
pub(super) fn mark_rolled_back<'t>(
    draft: &mut Draft<'_>,
    change: Index,
    targets: impl Iterator<Item = &'t Target>,
    by: Option<Index>,
) {
    for target in targets {
        if let Some(part) = draft.part(change, target) {
            part.rolled_back_by = by;
        }
    }
}

/// Rejects transaction `index`, which heads its queues and was considered.
pub(crate) fn reject(draft: &mut Draft<'_>, index: Index, reason: Reason, now: Timestamp) {
    let Some(transaction) = draft.transaction(index) else { return };
    let (kind, targets) = (transaction.kind, transaction.targets.clone());
    transaction.status = Status::Rejected;
    transaction.reason = Some(reason);
    transaction.decided = Some(now.max(transaction.submitted));
    transaction.finished = transaction.decided;
    for target in targets.keys() {
        draft.depends_on(Key::Binding(target.clone()));
        draft.configuration(target).header.committed.index = index;
    }
    if let Kind::Rollback { of, .. } = kind {
        draft.depends_on(Key::Transaction(of));
    }
}

/// Takes a pending entry out of the running wherever it stands in its queues: past its deadline, or
/// cancelled. Only its own record is written; queues pass over it.
pub(crate) fn pass_over(draft: &mut Draft<'_>, index: Index, reason: Reason, now: Timestamp) {
    let Some(transaction) = draft.transaction(index) else { return };
    transaction.status = match reason {
        Reason::Cancelled => Status::Cancelled,
        _ => Status::Rejected,
    };
    transaction.reason = Some(reason);
    transaction.decided = Some(now.max(transaction.submitted));
    transaction.finished = transaction.decided;
}

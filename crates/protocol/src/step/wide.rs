//! The steps of a wide transaction: prepared target by target, then decided, called off and ended by
//! one write to its record.

use lockstep_types::{Edit, Index, Target, Timestamp};

use super::decision::mark_rolled_back;
use super::outcome::outcome;
use super::plan::Planned;
use crate::draft::Draft;
use crate::record::{Key, Kind, Proposal, Stage, Status, Transaction};

/// Prepares `transaction` on `target`, as planned: what it comes to there is valid and recorded, and
/// the target is held. Nothing is committed by it.
pub(crate) fn prepare(
    draft: &mut Draft<'_>,
    transaction: &Transaction,
    target: &Target,
    edit: Option<&Edit>,
    planned: &Planned,
) {
    let index = transaction.index;
    draft.depends_on(Key::Transaction(index));
    draft.depends_on(Key::Binding(target.clone()));
    let undo = draft.view.committed(target).before(&planned.delta);
    let header = &mut draft.configuration(target).header;
    header.holder = Some(index);
    header.stage = Stage::Prepared;
    if transaction.kind.writes() {
        let (edit, delta) = (edit.cloned().unwrap_or_default(), planned.delta.clone());
        draft.put_proposal(index, target, Proposal { edit, delta, undo });
    }
}

/// Decides a transaction that is prepared on each of these targets, which are all it concerns.
pub(crate) fn decide(draft: &mut Draft<'_>, index: Index, targets: &[Target], now: Timestamp) {
    let Some(transaction) = draft.transaction(index) else { return };
    transaction.status = Status::Committed;
    transaction.decided = Some(now.max(transaction.submitted));
    let named = std::mem::take(&mut transaction.targets);
    transaction.targets =
        named.into_iter().filter(|(target, _)| targets.binary_search(target).is_ok()).collect();
    if let Kind::Rollback { of, .. } = transaction.kind
        && draft.view.transaction(of).is_some_and(|change| !change.wide)
    {
        mark_rolled_back(draft, of, targets.iter(), Some(index));
    }
}

/// Cancels a queued transaction that is committed: it is withdrawn wherever it is pending.
pub(crate) fn call_off(draft: &mut Draft<'_>, index: Index) {
    if let Some(transaction) = draft.transaction(index) {
        transaction.called_off = true;
    }
}

/// Writes the outcome of a transaction that nothing is outstanding of. Its targets are let go of by it.
pub(crate) fn end(draft: &mut Draft<'_>, index: Index, now: Timestamp) {
    let Some(transaction) = draft.transaction(index) else { return };
    let Some(status) = outcome(transaction) else { return };
    transaction.status = status;
    transaction.finished = Some(now.max(transaction.submitted));
    if status != Status::Applied && transaction.reason.is_none() {
        transaction.reason = transaction.targets.values().find_map(|part| part.reason.clone());
    }
}

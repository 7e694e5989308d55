//! A target comes, is bound anew, or goes.

use lockstep_types::{Index, Target, Term, Timestamp};

use crate::draft::Draft;
use crate::record::{Header, Key, Kind, Mark, Marks, Mastership, PartStatus, Status};

/// Carries out what transaction `index` is about, and with that it has its outcome.
pub(crate) fn bind(draft: &mut Draft<'_>, index: Index, now: Timestamp) {
    let Some(transaction) = draft.transaction(index) else { return };
    transaction.status = Status::Applied;
    transaction.decided = Some(now.max(transaction.submitted));
    transaction.finished = transaction.decided;
    let (kind, binding) = (transaction.kind, transaction.binding.clone());
    let targets: Vec<Target> = transaction.targets.keys().cloned().collect();
    for target in &targets {
        if let Some(part) = transaction.targets.get_mut(target) {
            part.status = PartStatus::Applied;
        }
    }
    for target in &targets {
        draft.put_binding(target, binding.as_deref().cloned());
        match kind {
            Kind::Rebind => rebind(draft, index, target),
            Kind::Remove => remove(draft, index, target),
            _ => begin(draft, index, target),
        }
    }
}

/// Nothing that was ever decided about a target by this name counts for this one.
fn begin(draft: &mut Draft<'_>, index: Index, target: &Target) {
    let mark = Mark { index, revision: Index::ZERO };
    draft.configuration(target).header =
        Header { committed: mark, applied: mark, since: index, ..Header::NEW };
}

/// The device is read again, in the terms of its new models.
fn rebind(draft: &mut Draft<'_>, index: Index, target: &Target) {
    let header = &mut draft.configuration(target).header;
    header.committed.index = index;
    header.synced = Term::ZERO;
}

/// Nobody is its master any more; the term stays, so that the next one is later.
fn remove(draft: &mut Draft<'_>, index: Index, target: &Target) {
    begin(draft, index, target);
    draft.configuration(target).cleared = true;
    draft.put_marks(target, Marks::new());
    if draft.view.is_known_drifted(target) {
        draft.forget(Key::Drifted(target.clone()));
    }
    draft.depends_on(Key::Mastership(target.clone()));
    if let Some(last) = draft.view.mastership(target).cloned() {
        draft.put_mastership(target, Mastership { session: None, next: None, ..last });
    }
}

//! The log read afresh: which changes count, and what they add up to. Written without the core's own
//! bookkeeping, which is what it checks.

use lockstep_protocol::View;
use lockstep_protocol::record::{Key, Kind, PartStatus, Status, Transaction};
use lockstep_types::{Configuration as Tree, Index, Target, Unit};

/// Whether a change was taken out on `target` by a Rollback for which `counts` holds.
fn rolled_back(
    store: &View,
    change: Index,
    target: &Target,
    counts: impl Fn(&Transaction) -> bool,
) -> bool {
    store.transactions().any(|rollback| {
        matches!(rollback.kind, Kind::Rollback { of, .. } if of == change)
            && rollback.targets.contains_key(target)
            && counts(rollback)
    })
}

/// Entries about `target`, and not about an earlier one by its name.
fn entries<'s>(store: &'s View, target: &'s Target) -> impl Iterator<Item = &'s Transaction> {
    let since = store.header(target).since;
    let begun = store.version(&Key::Transaction(since));
    // What a device has is adopted at once, also while the removal of its target waits: it was written before that then,
    // and comes after it in the log.
    let is_older = move |t: &Transaction| {
        let adopted = Key::Proposal(t.index, target.clone());
        matches!(t.kind, Kind::Adopt { .. }) && store.version(&adopted) < begun
    };
    let counts = move |t: &&Transaction| t.index > since && !is_older(t);
    store.transactions().filter(counts).filter(|t| t.targets.contains_key(target))
}

fn changes<'s>(store: &'s View, target: &'s Target) -> impl Iterator<Item = &'s Transaction> {
    entries(store, target).filter(|t| t.kind.writes())
}

fn stands(status: Status) -> bool {
    matches!(status, Status::Committed | Status::Confirming | Status::Applied | Status::Partial)
}

/// Whether it is atomic, decided, and without an outcome.
fn is_open(transaction: &Transaction) -> bool {
    let open = matches!(transaction.status, Status::Committed | Status::Confirming);
    transaction.is_atomic() && open
}

/// Changes that count as committed on `target`, in log order.
pub(super) fn committed(store: &View, target: &Target) -> Vec<Index> {
    changes(store, target)
        .filter(|t| stands(t.status) && t.part(target) != PartStatus::Withdrawn)
        .filter(|t| !rolled_back(store, t.index, target, |r| stands(r.status)))
        .map(|t| t.index)
        .collect()
}

/// Changes that a reader may see on `target`: committed, without atomic transactions still open.
pub(super) fn visible(store: &View, target: &Target) -> Vec<Index> {
    changes(store, target)
        .filter(|t| stands(t.status) && t.part(target) != PartStatus::Withdrawn)
        .filter(|t| !is_open(t))
        .filter(|t| !rolled_back(store, t.index, target, |r| r.status == Status::Applied))
        .map(|t| t.index)
        .collect()
}

/// Changes that count as applied on `target`.
pub(super) fn applied(store: &View, target: &Target) -> Vec<Index> {
    changes(store, target)
        .filter(|t| t.part(target) == PartStatus::Applied)
        .filter(|t| {
            let out = |r: &Transaction| r.part(target) == PartStatus::Applied;
            !rolled_back(store, t.index, target, out)
        })
        .map(|t| t.index)
        .collect()
}

/// What a device had when it was first met. It counts as having been there all along.
fn base(store: &View, target: &Target) -> Tree {
    let mut tree = Tree::new();
    for first in entries(store, target).filter(|t| t.kind == Kind::Adopt { first: true }) {
        if let Some(own) = store.proposal(first.index, target) {
            tree.patch(&own.delta.written_by(first.index));
        }
    }
    tree
}

/// What changes add up to: for each path the last writer's value.
pub(super) fn fold(store: &View, target: &Target, changes: &[Index]) -> Tree {
    let mut tree = base(store, target);
    for index in changes {
        if let Some(proposal) = store.proposal(*index, target) {
            for (path, content) in proposal.delta.iter() {
                let unit = Unit { content: content.clone(), writer: *index };
                tree.assign(path.clone(), unit);
            }
        }
    }
    tree
}

/// Changes that a reader may see on `target` as of entry `index`: those up to there that were not taken
/// out by then, and were not gone from the log's history since.
pub(super) fn as_of(store: &View, target: &Target, index: Index) -> Vec<Index> {
    let closed = |t: &Transaction| !is_open(t);
    changes(store, target)
        .filter(|t| t.index <= index && closed(t))
        .filter(|t| stands(t.status) && t.part(target) != PartStatus::Withdrawn)
        .filter(|t| {
            let out = |r: &Transaction| r.index <= index && r.status == Status::Applied;
            !rolled_back(store, t.index, target, out)
        })
        .map(|t| t.index)
        .collect()
}

/// What clients asked with these changes, one after the other: subtrees cleared, then units set; a
/// Restore asks for all that was asked up to its entry.
pub(super) fn asked(store: &View, target: &Target, changes: &[Index]) -> Tree {
    let mut tree = base(store, target);
    for change in changes.iter().filter_map(|index| store.transaction(*index)) {
        if let Kind::Restore { to } = change.kind {
            tree = asked(store, target, &as_of(store, target, to));
        } else if let Kind::Adopt { .. } = change.kind {
            // What somebody else asked, of the device.
            let own = store.proposal(change.index, target);
            tree.apply_values(&own.map(|own| own.delta.clone()).unwrap_or_default());
        } else if let Some(proposal) = store.proposal(change.index, target) {
            let delta = proposal.edit.onto(&tree);
            tree.apply_values(&delta);
        }
    }
    tree
}

//! The log as one target sees it: which of its entries count, and as what.

use lockstep_protocol::View;
use lockstep_protocol::record::{Key, Kind, PartStatus, Status, Transaction};
use lockstep_types::{Configuration as Tree, Index, Revision, Target};
use rpds::{RedBlackTreeMapSync as Map, RedBlackTreeSetSync as Set};

/// The log, as far as it is about a target.
#[derive(Clone, Copy)]
pub(super) struct Log<'s> {
    pub(super) store: &'s View,
    pub(super) target: &'s Target,
    pub(super) rollbacks: &'s Map<Index, Set<Index>>,
}

impl<'s> Log<'s> {
    /// An entry, if it is about this target.
    pub(super) fn entry(&self, index: Index) -> Option<&'s Transaction> {
        self.store.transaction(index).filter(|entry| entry.targets.contains_key(self.target))
    }

    /// From which entry on there is this target, and not an earlier one by its name.
    pub(super) fn since(&self) -> Index {
        self.store.header(self.target).since
    }

    /// The revision of the last write of what a change asks here.
    pub(super) fn version(&self, change: Index) -> Revision {
        self.store.version(&Key::Proposal(change, self.target.clone()))
    }

    /// The Rollbacks of a change.
    pub(super) fn rollbacks(&self, change: Index) -> impl Iterator<Item = Index> + use<'s> {
        self.rollbacks.get(&change).into_iter().flat_map(Set::iter).copied()
    }

    /// Whether an entry is about this target, and not about an earlier one by its name.
    pub(super) fn is_ours(&self, entry: &Transaction) -> bool {
        let begun = || self.store.version(&Key::Transaction(self.since()));
        // What a device has is adopted at once, also while the removal of its target waits: it was written before that
        // then, and comes after it in the log.
        let adopted = matches!(entry.kind, Kind::Adopt { .. });
        let is_older = || adopted && self.version(entry.index) < begun();
        entry.index > self.since() && !is_older()
    }

    /// Whether a change was taken out by a Rollback for which `counts` holds.
    fn is_out(&self, change: Index, counts: impl Fn(&Transaction) -> bool) -> bool {
        self.rollbacks(change).filter_map(|rollback| self.entry(rollback)).any(counts)
    }

    fn is_change(&self, entry: &Transaction) -> bool {
        entry.kind.writes() && self.is_ours(entry)
    }

    /// Whether a change counts as decided for good, if it is not rolled back.
    fn is_decided(&self, entry: &Transaction) -> bool {
        self.is_change(entry)
            && stands(entry.status)
            && entry.part(self.target) != PartStatus::Withdrawn
    }

    /// Whether a change counts as committed.
    pub(super) fn is_committed(&self, entry: &Transaction) -> bool {
        self.is_decided(entry) && !self.is_out(entry.index, |rollback| stands(rollback.status))
    }

    /// Whether a change counts as applied.
    pub(super) fn is_applied(&self, entry: &Transaction) -> bool {
        let applied = |entry: &Transaction| entry.part(self.target) == PartStatus::Applied;
        self.is_change(entry) && applied(entry) && !self.is_out(entry.index, applied)
    }

    /// Whether readers see a change from its entry on: it is no atomic transaction that is still open.
    pub(super) fn is_seen(&self, entry: &Transaction) -> bool {
        let open = matches!(entry.status, Status::Committed | Status::Confirming);
        self.is_decided(entry) && !(entry.is_atomic() && open)
    }

    /// The change that readers see no more from this entry on.
    pub(super) fn takes_out(&self, entry: &Transaction) -> Option<Index> {
        match entry.kind {
            Kind::Rollback { of, .. } if entry.status == Status::Applied => Some(of),
            _ => None,
        }
    }

    /// Whether a device has taken or refused an entry: where there was something to send.
    pub(super) fn is_recorded(&self, entry: &Transaction) -> bool {
        let recorded = matches!(entry.part(self.target), PartStatus::Applied | PartStatus::Refused);
        recorded && !entry.kind.is_of_target() && !self.has_nothing_to_send(entry)
    }

    /// Whether an entry is decided and not recorded.
    pub(super) fn waits(&self, entry: &Transaction) -> bool {
        entry.status == Status::Committed && entry.part(self.target) == PartStatus::Pending
    }

    fn has_nothing_to_send(&self, entry: &Transaction) -> bool {
        let Kind::Rollback { of, .. } = entry.kind else { return false };
        let change = self.store.transaction(of);
        change.is_some_and(|change| change.part(self.target) == PartStatus::Withdrawn)
    }

    /// What a device had when it was first met, if an entry says so. It counts as having been there all along.
    pub(super) fn puts_below(&self, entry: &Transaction, tree: &mut Tree) {
        if entry.kind == (Kind::Adopt { first: true })
            && self.is_ours(entry)
            && let Some(own) = self.store.proposal(entry.index, self.target)
        {
            tree.patch(&own.delta.written_by(entry.index));
        }
    }
}

fn stands(status: Status) -> bool {
    matches!(status, Status::Committed | Status::Confirming | Status::Applied | Status::Partial)
}

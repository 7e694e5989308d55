//! What waits on one target, and which changes are live there. Derived from the log; never stored.

use lockstep_types::{Index, Target};
use rpds::RedBlackTreeSetSync as Set;

use crate::record::{PartStatus, Status, Transaction};

/// The queues of one target, each in log order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    commit: Set<Index>,
    apply: Set<Index>,
    undo: Set<Index>,
    live: Set<Index>,
}

impl Queue {
    /// Entries that are not decided.
    pub(super) fn commit(&self) -> impl Iterator<Item = Index> {
        self.commit.iter().copied()
    }

    /// Entries that are committed and not recorded here. Only the first is ever sent, so only the
    /// first may have reached the device without anyone knowing.
    pub(super) fn apply(&self) -> impl Iterator<Item = Index> {
        self.apply.iter().copied()
    }

    /// Entries that are being reverted and not undone here: one at the most, since it holds.
    pub(super) fn undo(&self) -> impl Iterator<Item = Index> {
        self.undo.iter().copied()
    }

    /// Changes whose values count as committed here.
    pub(super) fn live(&self) -> impl DoubleEndedIterator<Item = Index> {
        self.live.iter().copied()
    }

    /// Those of them up to an entry, the latest first.
    pub(super) fn live_up_to(&self, index: Index) -> impl Iterator<Item = Index> {
        self.live.range(..=index).rev().copied()
    }

    /// Puts an entry where it belongs. Says whether something is yet to happen to it here.
    pub(super) fn place(&mut self, transaction: &Transaction, target: &Target) -> bool {
        let part = transaction.part(target);
        let waits = part == PartStatus::Pending;
        let index = transaction.index;
        member(&mut self.commit, index, transaction.status == Status::Pending);
        let applies = transaction.status == Status::Committed && waits;
        member(&mut self.apply, index, applies);
        let undoable = waits || matches!(part, PartStatus::Accepted | PartStatus::Applied);
        let undoes = transaction.status == Status::Reverting && undoable;
        member(&mut self.undo, index, undoes);
        member(&mut self.live, index, transaction.is_live(target));
        applies || undoes
    }

    pub(super) fn forget(&mut self, index: Index) {
        for set in [&mut self.commit, &mut self.apply, &mut self.undo, &mut self.live] {
            set.remove_mut(&index);
        }
    }
}

fn member(set: &mut Set<Index>, index: Index, belongs: bool) {
    if belongs {
        set.insert_mut(index);
    } else {
        set.remove_mut(&index);
    }
}

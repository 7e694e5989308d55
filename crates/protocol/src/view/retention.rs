//! How far back the log is kept, and which of its entries are not needed any more.
//!
//! ```text
//!   1 … j … h  h+1 …… head        h  the horizon: how things stood after it is known, and after every
//!   forgotten, │ kept                 later entry; earlier ones are forgotten, a few at a time
//!   by and by
//! ```
//!
//! History goes back by the undos of later entries, so nothing has to be kept for the horizon itself,
//! except what entries beyond it still speak of.

use std::sync::Arc;

use lockstep_types::{Index, Revision, Target, Timestamp};

use super::View;
use crate::draft::Draft;
use crate::record::{Horizon, Key, Kind, PartStatus, Status, Transaction};
use crate::txn::Txn;

impl View {
    /// The horizon: entries up to it are forgotten, or about to be. It only grows.
    #[must_use]
    pub fn horizon(&self) -> Index {
        self.horizon.record.index
    }

    /// From when on it is known how things stood.
    #[must_use]
    pub fn known_since(&self) -> Timestamp {
        self.horizon.record.since
    }

    /// The furthest that the horizon may go, up to `wanted` and by so many entries at the most: never past
    /// an entry that may yet be decided, turn or close its window, nor past what an open entry names.
    pub(crate) fn next_horizon(&self, wanted: Index, at_most: usize) -> Horizon {
        let named = self.open().filter_map(names).min();
        let wanted = named.map_or(wanted, |named| named.min(wanted));
        let entries =
            self.transactions.range(self.horizon().next()..=wanted.max(self.horizon().next()));
        let entries = entries.map(|(_, versioned)| &*versioned.record);
        let passed =
            entries.take(at_most).take_while(|entry| entry.index <= wanted && is_settled(entry));
        passed.fold(self.horizon.record, |horizon, entry| {
            let last = entry.finished.or(entry.decided).unwrap_or(entry.submitted);
            Horizon { index: entry.index, since: horizon.since.max(last) }
        })
    }

    /// The write that moves the horizon up to `wanted`, as far as it may go; none: it is there already. Nothing was
    /// appended since this view, so it meets no entry that was not looked at.
    #[must_use]
    pub fn forget_up_to(&self, wanted: Index) -> Option<Txn> {
        let next = self.next_horizon(wanted.min(self.head().index), usize::MAX);
        (next.index > self.horizon()).then(|| {
            let mut draft = Draft::new(self);
            draft.depends_on(Key::Head);
            draft.put_horizon(next);
            draft.txn()
        })
    }

    /// A record of an entry beyond the horizon is gone.
    pub(super) fn forget(&mut self, key: &Key) {
        match key {
            Key::Id(id) => {
                self.ids.remove_mut(id);
            }
            Key::Transaction(index) => {
                let known = self.transactions.get(index).map(|v| Arc::clone(&v.record));
                self.transactions.remove_mut(index);
                for target in known.iter().flat_map(|entry| entry.targets.keys()) {
                    self.requeue(target, |queue| queue.forget(*index));
                }
            }
            Key::Proposal(index, target) => {
                self.proposals.remove_mut(&(*index, target.clone()));
            }
            Key::Part(index, target) => {
                self.parts.remove_mut(&(*index, target.clone()));
            }
            Key::Drifted(target) => {
                self.drifted.remove_mut(target);
            }
            Key::Binding(target) => {
                self.bindings.remove_mut(target);
            }
            // Nothing else is ever forgotten.
            _ => {}
        }
    }

    /// The records of an entry that are left: those of its targets, and last what it is found by. Where one write did not hold
    /// them all its id may be gone already, and belong to another entry by now.
    pub(crate) fn records_of(&self, entry: &Transaction) -> Vec<Key> {
        let index = entry.index;
        let of_targets = entry.targets.keys().flat_map(|target| {
            [Key::Proposal(index, target.clone()), Key::Part(index, target.clone())]
        });
        let there = of_targets.filter(|key| self.version(key) != Revision::ZERO);
        let named = self.ids.get(&entry.id).filter(|named| named.record == index);
        let id = named.map(|_| Key::Id(entry.id.clone()));
        there.chain(id).chain([Key::Transaction(index)]).collect()
    }

    /// Entries up to the horizon that nobody needs any more, the earliest first.
    pub(crate) fn forgettable(&self) -> impl Iterator<Item = &Transaction> {
        let entries = self.transactions.range(..=self.horizon()).map(|(_, v)| &*v.record);
        // One that is open is needed: where it waits, nothing later was applied.
        entries.filter(|entry| !self.is_needed(entry))
    }

    /// Whether an entry up to the horizon is still spoken of: by configurations that have yet to follow it; by a later Rollback, which history puts it
    /// back for; or by its targets, as what stands there once everything later is taken out.
    fn is_needed(&self, entry: &Transaction) -> bool {
        let taken_out_later = |by: Option<Index>| by.is_some_and(|by| by > self.horizon());
        let followed = !entry.wide || self.laggards().all(|(_, holder)| holder != entry.index);
        !followed
            || entry.targets.iter().any(|(target, part)| {
                taken_out_later(part.rolled_back_by)
                    || (self.is_live(entry, target) && self.is_base(entry.index, target))
            })
    }

    /// Whether no later change up to the horizon stands on a target for good.
    fn is_base(&self, index: Index, target: &Target) -> bool {
        let later = self.live_up_to(target, self.horizon()).take_while(|later| *later > index);
        let stays = |later: Index| {
            self.transaction(later).is_some_and(|t| t.part(target) == PartStatus::Applied)
        };
        !later.into_iter().any(stays)
    }
}

/// The last entry that must stay before the horizon for an open one.
fn names(open: &Transaction) -> Option<Index> {
    match open.kind {
        Kind::Rollback { of, .. } => Some(Index::new(of.get().saturating_sub(1))),
        Kind::Restore { to } => Some(to),
        _ => None,
    }
}

/// Whether an entry keeps its place whatever happens: it has its outcome, or waits for devices alone.
fn is_settled(entry: &Transaction) -> bool {
    let waits = entry.status == Status::Committed && !entry.is_atomic();
    (entry.status.is_final() || waits) && !entry.keeps_others_off()
}

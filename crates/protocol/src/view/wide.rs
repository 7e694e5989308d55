//! Wide transactions: more targets than one write holds.
//!
//! Their record is the commit point. One write to it decides, turns or ends the transaction; the
//! configurations follow in writes of their own. A view does not wait for those: it takes the rest from
//! the record at once, and keeps what the store still lacks, so that the next to write the
//! configuration writes that as well.
//!
//! ```text
//!   record          Pending ───────► Committed ───────► Reverting ──► Reverted
//!   configuration   (holder, Prepared) ─► (holder, Committed) ─► (holder, Turned) ─► (no holder)
//! ```
//!
//! Whoever writes a configuration that a wide transaction holds compares that one's record too, so
//! nobody writes on a view in which it was something else.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_types::{Index, Patch, Revision, Target};

use super::{Versioned, View};
use crate::effect::{self, Moved};
use crate::record::{Kind, Part, Stage, Status, Transaction};

/// What the store lacks of a configuration, and the record of its holder says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lag {
    /// The holder, as the store has it.
    pub(crate) holder: Index,
    /// Units of the committed tree.
    pub(crate) committed: Patch,
    /// Of the change that a Rollback takes out: its part here.
    pub(crate) parts: BTreeMap<Index, Part>,
}

impl View {
    /// What the store lacks of this target's configuration.
    pub(crate) fn lag(&self, target: &Target) -> Option<&Lag> {
        self.lagging.get(target)
    }

    /// The wide transaction whose record says what is committed here, besides the configuration.
    pub(crate) fn leader(&self, target: &Target) -> Option<Index> {
        let lag = self.lagging.get(target).map(|lag| lag.holder);
        lag.or_else(|| self.header(target).holder.filter(|holder| self.is_wide(*holder)))
    }

    fn is_wide(&self, index: Index) -> bool {
        self.transaction(index).is_some_and(|transaction| transaction.wide)
    }

    /// Configurations that the store has yet to follow a wide transaction in.
    pub fn laggards(&self) -> impl Iterator<Item = (&Target, Index)> {
        self.lagging.iter().map(|(target, lag)| (target, lag.holder))
    }

    /// Whether something is yet to happen to a wide transaction on some target.
    pub(crate) fn is_outstanding(&self, index: Index) -> bool {
        self.next_outstanding(index).is_some()
    }

    /// The first target on which something is yet to happen to a wide transaction.
    pub(crate) fn next_outstanding(&self, index: Index) -> Option<&Target> {
        let mut targets = self.transaction(index)?.targets.keys();
        let from = (index, targets.next()?.clone());
        let (found, _) = self.outstanding.range(from..).next()?;
        (found.0 == index).then_some(&found.1)
    }

    /// Whether `index`, which is wide and not decided, is prepared here.
    pub(crate) fn is_prepared(&self, index: Index, target: &Target) -> bool {
        let header = self.header(target);
        header.holder == Some(index) && header.stage == Stage::Prepared
    }

    /// Brings a configuration to what the record of its wide holder says.
    pub(super) fn follow(&mut self, target: &Target, revision: Revision) {
        let Some(holder) = self.header(target).holder else { return };
        let Some(transaction) = self.transactions.get(&holder).map(|v| Arc::clone(&v.record))
        else {
            return;
        };
        if !transaction.wide || transaction.status == Status::Pending {
            return;
        }
        let decided = !matches!(transaction.status, Status::Rejected | Status::Cancelled);
        if decided && self.header(target).stage == Stage::Prepared {
            self.follow_commit(&transaction, target, revision);
        }
        let turned = matches!(transaction.status, Status::Reverting | Status::Reverted);
        if turned && self.header(target).stage == Stage::Committed {
            self.follow_turn(&transaction, target, revision);
        }
        if transaction.status.is_final() || (decided && !transaction.is_atomic()) {
            self.behind(holder, target, |configuration, _| configuration.record.header.let_go());
        }
    }

    fn follow_commit(&mut self, transaction: &Transaction, target: &Target, at: Revision) {
        let moved = effect::committed(self, transaction, target);
        self.take_move(transaction.index, target, Stage::Committed, moved, at);
        self.behind(transaction.index, target, |configuration, _| {
            configuration.record.header.committed.index = transaction.index;
        });
        self.mark_taken_out(transaction, target, Some(transaction.index));
    }

    fn follow_turn(&mut self, transaction: &Transaction, target: &Target, at: Revision) {
        let moved = effect::turned(self, transaction, target);
        self.take_move(transaction.index, target, Stage::Turned, moved, at);
        self.mark_taken_out(transaction, target, None);
    }

    fn take_move(
        &mut self,
        holder: Index,
        target: &Target,
        stage: Stage,
        moved: Moved,
        at: Revision,
    ) {
        self.decided_at.insert_mut(target.clone(), at);
        self.behind(holder, target, |configuration, lag| {
            let record = &mut configuration.record;
            record.header.stage = stage;
            record.header.committed.revision = moved.revision;
            record.patch(&moved.committed, &Patch::new());
            lag.committed.extend(moved.committed);
        });
    }

    /// A wide change names in its parts who took it out. One that is not wide has that in its record,
    /// which the Rollback itself writes.
    fn mark_taken_out(&mut self, rollback: &Transaction, target: &Target, by: Option<Index>) {
        let Kind::Rollback { of, .. } = rollback.kind else { return };
        let Some(change) = self.transaction(of).filter(|change| change.wide) else { return };
        let Some(mut part) = change.targets.get(target).cloned() else { return };
        part.rolled_back_by = by;
        let key = (of, target.clone());
        let stored = self.parts.get(&key).map_or(Revision::ZERO, |part| part.revision);
        self.take_part(of, key.1, part.clone(), stored);
        self.behind(rollback.index, target, |_, lag| {
            lag.parts.insert(of, part);
        });
    }

    /// Changes a configuration ahead of the store.
    fn behind(
        &mut self,
        holder: Index,
        target: &Target,
        change: impl FnOnce(&mut Versioned<crate::record::Configuration>, &mut Lag),
    ) {
        let Some(mut configuration) = self.configurations.get(target).cloned() else { return };
        let none = || Lag { holder, committed: Patch::new(), parts: BTreeMap::new() };
        let mut lag = self.lagging.get(target).cloned().unwrap_or_else(none);
        change(&mut configuration, &mut lag);
        self.configurations.insert_mut(target.clone(), configuration);
        self.lagging.insert_mut(target.clone(), lag);
    }
}

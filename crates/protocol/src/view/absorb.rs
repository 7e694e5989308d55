//! How a view takes in a write, or a whole store.

use std::sync::Arc;

use lockstep_types::{Revision, Target};

use super::{Queue, Versioned, View};
use crate::record::{Configuration, Transaction};
use crate::txn::{Changes, Op};

impl View {
    /// Takes in the next revision. A revision already taken in changes nothing, so a watch may
    /// start again from a little earlier.
    pub fn absorb(&mut self, changes: &Changes) {
        if changes.revision <= self.revision {
            return;
        }
        self.revision = changes.revision;
        for op in &changes.ops {
            self.take(op.clone(), changes.revision);
        }
    }

    /// Takes in one record of a store that is read as a whole, with the revision of its last write.
    /// They may come in any order; [`View::restored`] ends it.
    pub fn restore(&mut self, op: Op, revision: Revision) {
        self.take(op, revision);
    }

    /// As [`View::restore`], for a configuration: it comes whole, since a store keeps it in pieces.
    pub fn restore_configuration(
        &mut self,
        target: Target,
        record: Configuration,
        revision: Revision,
    ) {
        self.decided_at.insert_mut(target.clone(), revision);
        self.configurations.insert_mut(target, Versioned { revision, record });
    }

    /// Every record was taken in: this is the store at that revision.
    pub fn restored(&mut self, revision: Revision) {
        self.revision = revision;
    }

    fn take(&mut self, op: Op, revision: Revision) {
        match op {
            Op::Head(record) => self.head = Versioned { revision, record },
            Op::Id { id, index: record } => {
                self.ids.insert_mut(id, Versioned { revision, record });
            }
            Op::Transaction(transaction) => self.take_transaction(transaction, revision),
            Op::Proposal { index, target, proposal } => {
                let record = Arc::new(proposal);
                self.proposals.insert_mut((index, target), Versioned { revision, record });
            }
            Op::Configuration { target, header, committed, applied } => {
                let mut record =
                    self.configuration(&target).cloned().unwrap_or_else(Configuration::default);
                // A withdrawal may leave the values alone and still change what lies below them.
                let withdrawn = record.header.recheck.is_some() || header.recheck.is_some();
                let decided = !committed.is_empty()
                    || record.header.committed != header.committed
                    || withdrawn
                    || !self.decided_at.contains_key(&target);
                if decided {
                    self.decided_at.insert_mut(target.clone(), revision);
                }
                record.header = header;
                record.committed.patch(&committed);
                record.applied.patch(&applied);
                self.configurations.insert_mut(target, Versioned { revision, record });
            }
            Op::Marks { target, marks: record } => {
                self.marks.insert_mut(target, Versioned { revision, record });
            }
            Op::Mastership { target, mastership: record } => {
                self.masterships.insert_mut(target, Versioned { revision, record });
            }
            Op::Binding { target, binding: record } => {
                self.bindings.insert_mut(target, Versioned { revision, record });
            }
            Op::Session { session, node: record } => {
                self.sessions.insert_mut(session, Versioned { revision, record });
            }
            Op::EndSession(session) => {
                self.sessions.remove_mut(&session);
            }
        }
    }

    fn take_transaction(&mut self, transaction: Transaction, revision: Revision) {
        let before = self.transactions.get(&transaction.index).map(|v| Arc::clone(&v.record));
        for target in before.iter().flat_map(|old| old.targets.keys()) {
            if !transaction.targets.contains_key(target) {
                self.requeue(target, |queue| queue.forget(transaction.index));
            }
        }
        for target in transaction.targets.keys() {
            self.requeue(target, |queue| queue.place(&transaction, target));
        }
        if let Some(old) = &before {
            self.deadlines.remove_mut(&(old.deadline, old.index));
        }
        if transaction.has_deadline() {
            self.deadlines.insert_mut((transaction.deadline, transaction.index), ());
        }
        if transaction.status.is_final() {
            self.open.remove_mut(&transaction.index);
        } else {
            self.open.insert_mut(transaction.index, ());
        }
        let (index, record) = (transaction.index, Arc::new(transaction));
        self.transactions.insert_mut(index, Versioned { revision, record });
    }

    fn requeue(&mut self, target: &Target, place: impl FnOnce(&mut Queue)) {
        let mut queue = self.queues.get(target).cloned().unwrap_or_default();
        place(&mut queue);
        self.queues.insert_mut(target.clone(), queue);
    }
}

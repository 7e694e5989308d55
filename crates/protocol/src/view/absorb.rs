//! How a view takes in a write.

use std::sync::Arc;

use lockstep_types::Revision;

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
            self.absorb_op(op, changes.revision);
        }
    }

    fn absorb_op(&mut self, op: &Op, revision: Revision) {
        match op {
            Op::Head(head) => self.head = Versioned { revision, record: *head },
            Op::Id { id, index } => {
                self.ids.insert_mut(id.clone(), Versioned { revision, record: *index });
            }
            Op::Transaction(transaction) => self.absorb_transaction(transaction, revision),
            Op::Proposal { index, target, proposal } => {
                let record = Arc::new(proposal.clone());
                self.proposals.insert_mut((*index, target.clone()), Versioned { revision, record });
            }
            Op::Configuration { target, header, committed, applied } => {
                let mut record =
                    self.configuration(target).cloned().unwrap_or_else(Configuration::default);
                // A withdrawal may leave the values alone and still change what lies below them.
                let withdrawn = record.header.recheck.is_some() || header.recheck.is_some();
                let decided = !committed.is_empty()
                    || record.header.committed != header.committed
                    || withdrawn
                    || !self.decided_at.contains_key(target);
                if decided {
                    self.decided_at.insert_mut(target.clone(), revision);
                }
                record.header = header.clone();
                record.committed.patch(committed);
                record.applied.patch(applied);
                self.configurations.insert_mut(target.clone(), Versioned { revision, record });
            }
            Op::Marks { target, marks } => {
                let record = marks.clone();
                self.marks.insert_mut(target.clone(), Versioned { revision, record });
            }
            Op::Mastership { target, mastership } => {
                let record = mastership.clone();
                self.masterships.insert_mut(target.clone(), Versioned { revision, record });
            }
            Op::Binding { target, binding } => {
                let record = binding.clone();
                self.bindings.insert_mut(target.clone(), Versioned { revision, record });
            }
            Op::Session { session, node } => {
                let record = node.clone();
                self.sessions.insert_mut(session.clone(), Versioned { revision, record });
            }
            Op::EndSession(session) => {
                self.sessions.remove_mut(session);
            }
        }
    }

    fn absorb_transaction(&mut self, transaction: &Transaction, revision: Revision) {
        let before = self.transactions.get(&transaction.index).map(|v| Arc::clone(&v.record));
        for target in before.iter().flat_map(|old| old.targets.keys()) {
            if !transaction.targets.contains_key(target) {
                self.requeue(target, |queue| queue.forget(transaction.index));
            }
        }
        for target in transaction.targets.keys() {
            self.requeue(target, |queue| queue.place(transaction, target));
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
        let record = Arc::new(transaction.clone());
        self.transactions.insert_mut(transaction.index, Versioned { revision, record });
    }

    fn requeue(&mut self, target: &lockstep_types::Target, place: impl FnOnce(&mut Queue)) {
        let mut queue = self.queues.get(target).cloned().unwrap_or_default();
        place(&mut queue);
        self.queues.insert_mut(target.clone(), queue);
    }
}

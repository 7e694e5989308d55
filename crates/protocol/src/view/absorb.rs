//! How a view takes in a write, or a whole store.

use std::sync::Arc;

use lockstep_types::{Index, Revision, Target};

use super::{Queue, Versioned, View};
use crate::record::{Configuration, Part, Status, Transaction};
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
        let held = self.configurations.iter().filter(|(_, c)| c.record.header.holder.is_some());
        let held: Vec<_> = held.map(|(target, c)| (target.clone(), c.revision)).collect();
        for (target, revision) in held {
            self.follow(&target, revision);
        }
    }

    /// The same store, as whoever reads it as a whole knows it: not which of the writes of a configuration decided
    /// something, so that it may have been the last.
    #[must_use]
    pub fn as_read(&self) -> Self {
        let mut read = self.clone();
        for (target, configuration) in self.configurations.iter() {
            read.decided_at.insert_mut(target.clone(), configuration.revision);
        }
        read
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
            Op::Part { index, target, part } => self.take_part(index, target, part, revision),
            Op::Configuration { target, header, committed, applied, cleared } => {
                // Whoever writes it brings it up to what the record of its holder says.
                self.lagging.remove_mut(&target);
                let mut record =
                    self.configuration(&target).cloned().unwrap_or_else(Configuration::default);
                // A withdrawal may leave the values alone and still change what lies below them.
                let withdrawn = record.header.recheck.is_some() || header.recheck.is_some();
                let decided = !committed.is_empty()
                    || cleared
                    || record.header.committed != header.committed
                    || withdrawn
                    || !self.decided_at.contains_key(&target);
                if decided {
                    self.decided_at.insert_mut(target.clone(), revision);
                }
                record.header = header;
                if cleared {
                    record.clear();
                }
                record.patch(&committed, &applied);
                self.configurations.insert_mut(target.clone(), Versioned { revision, record });
                self.follow(&target, revision);
            }
            Op::Marks { target, marks: record } => {
                self.marks.insert_mut(target, Versioned { revision, record });
            }
            Op::Drifted { target, drifted: record } => {
                self.drifted.insert_mut(target, Versioned { revision, record });
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
            Op::Horizon(record) => self.horizon = Versioned { revision, record },
            Op::Forget(key) => self.forget(&key),
        }
    }

    fn take_transaction(&mut self, mut transaction: Transaction, revision: Revision) {
        if transaction.wide {
            self.put_parts(&mut transaction);
        }
        let before = self.transactions.get(&transaction.index).map(|v| Arc::clone(&v.record));
        for target in before.iter().flat_map(|old| old.targets.keys()) {
            if !transaction.targets.contains_key(target) {
                self.requeue(target, |queue| queue.forget(transaction.index));
            }
        }
        for target in transaction.targets.keys() {
            self.place(&transaction, target);
        }
        if let Some(old) = &before {
            self.deadlines.remove_mut(&(old.deadline, old.index));
        }
        if transaction.has_deadline() {
            self.deadlines.insert_mut((transaction.deadline, transaction.index), ());
        }
        self.take_window(before.as_deref(), &transaction);
        if transaction.status.is_final() {
            self.open.remove_mut(&transaction.index);
        } else {
            self.open.insert_mut(transaction.index, ());
        }
        if transaction.status == Status::Reverting {
            self.reverting.insert_mut(transaction.index, ());
        } else {
            self.reverting.remove_mut(&transaction.index);
        }
        let (index, record) = (transaction.index, Arc::new(transaction));
        self.transactions.insert_mut(index, Versioned { revision, record: Arc::clone(&record) });
        if record.wide && record.status != Status::Pending {
            for target in record.targets.keys() {
                if self.header(target).holder == Some(index) {
                    self.follow(target, revision);
                }
            }
        }
    }

    /// Of a wide transaction, the record names the targets; the parts are records of their own.
    fn put_parts(&self, transaction: &mut Transaction) {
        let index = transaction.index;
        let known = |target: &Target| self.parts.get(&(index, target.clone()));
        let parts = transaction.targets.keys();
        let parts = parts.map(|on| (on.clone(), known(on).map(|p| p.record.clone())));
        transaction.targets = parts.map(|(on, part)| (on, part.unwrap_or_default())).collect();
    }

    pub(super) fn take_part(
        &mut self,
        index: Index,
        target: Target,
        part: Part,
        revision: Revision,
    ) {
        let key = (index, target);
        self.parts.insert_mut(key.clone(), Versioned { revision, record: part.clone() });
        let Some(versioned) = self.transactions.get(&index).cloned() else { return };
        let mut record = versioned.record;
        if let Some(known) = Arc::make_mut(&mut record).targets.get_mut(&key.1) {
            *known = part;
            self.place(&record, &key.1);
            self.transactions.insert_mut(index, Versioned { record, ..versioned });
        }
    }

    fn place(&mut self, transaction: &Transaction, target: &Target) {
        let mut waits = false;
        self.requeue(target, |queue| waits = queue.place(transaction, target));
        if transaction.wide {
            let key = (transaction.index, target.clone());
            if waits {
                self.outstanding.insert_mut(key, ());
            } else {
                self.outstanding.remove_mut(&key);
            }
        }
    }

    pub(super) fn requeue(&mut self, target: &Target, place: impl FnOnce(&mut Queue)) {
        let mut queue = self.queues.get(target).cloned().unwrap_or_default();
        place(&mut queue);
        self.queues.insert_mut(target.clone(), queue);
    }
}

//! A view as the writes that make it.

use std::collections::BTreeMap;

use lockstep_types::{Configuration as Tree, Patch, Revision};

use super::{Versioned, View};
use crate::txn::{Changes, Op};

impl View {
    /// Every record with the revision of its last write, in the order of those. Taken in one after the other they make
    /// the view again, as it is when the store is read as a whole.
    #[must_use]
    pub fn content(&self) -> Vec<Changes> {
        let mut content: BTreeMap<Revision, Vec<Op>> = BTreeMap::new();
        for (revision, op) in self.records() {
            content.entry(revision).or_default().push(op);
        }
        content.entry(self.revision).or_default();
        content.into_iter().map(|(revision, ops)| Changes { revision, ops }).collect()
    }

    /// The same store, as whoever reads it as a whole knows it: that tells less of how it came to be than to have
    /// watched it.
    #[must_use]
    pub fn as_read(&self) -> Self {
        let mut read = Self::new();
        self.content().iter().for_each(|changes| read.absorb(changes));
        read
    }

    fn records(&self) -> impl Iterator<Item = (Revision, Op)> {
        let once = [
            (self.head.revision, Op::Head(self.head.record)),
            (self.horizon.revision, Op::Horizon(self.horizon.record)),
        ];
        let written = once.into_iter().filter(|(revision, _)| *revision != Revision::ZERO);
        written.chain(self.log()).chain(self.targets_records()).chain(self.sessions_records())
    }

    fn log(&self) -> impl Iterator<Item = (Revision, Op)> {
        let ids = self.ids.iter().map(|(id, Versioned { revision, record })| {
            (*revision, Op::Id { id: id.clone(), index: *record })
        });
        let transactions = self.transactions.values();
        let transactions = transactions.map(|t| (t.revision, Op::Transaction((*t.record).clone())));
        let parts = self.parts.iter().map(|((index, target), part)| {
            let (index, target, part_) = (*index, target.clone(), part.record.clone());
            (part.revision, Op::Part { index, target, part: part_ })
        });
        let proposals = self.proposals.iter().map(|((index, target), proposal)| {
            let record = (*proposal.record).clone();
            let (index, target) = (*index, target.clone());
            (proposal.revision, Op::Proposal { index, target, proposal: record })
        });
        ids.chain(transactions).chain(parts).chain(proposals)
    }

    fn targets_records(&self) -> impl Iterator<Item = (Revision, Op)> {
        let configurations = self.configurations.iter().map(|(target, configuration)| {
            let Versioned { revision, record } = configuration;
            let (committed, applied) = (whole(&record.committed), whole(&record.applied));
            let (target, header) = (target.clone(), record.header.clone());
            let cleared = false;
            (*revision, Op::Configuration { target, header, committed, applied, cleared })
        });
        let marks = self.marks.iter().map(|(target, marks)| {
            let (target, record) = (target.clone(), marks.record.clone());
            (marks.revision, Op::Marks { target, marks: record })
        });
        let drifted = self.drifted.iter().map(|(target, drifted)| {
            let (target, record) = (target.clone(), drifted.record.clone());
            (drifted.revision, Op::Drifted { target, drifted: record })
        });
        let masterships = self.masterships.iter().map(|(target, mastership)| {
            let (target, record) = (target.clone(), mastership.record.clone());
            (mastership.revision, Op::Mastership { target, mastership: record })
        });
        let bindings = self.bindings.iter().map(|(target, binding)| {
            let (target, record) = (target.clone(), binding.record.clone());
            (binding.revision, Op::Binding { target, binding: record })
        });
        configurations.chain(marks).chain(drifted).chain(masterships).chain(bindings)
    }

    fn sessions_records(&self) -> impl Iterator<Item = (Revision, Op)> {
        self.sessions.iter().map(|(session, node)| {
            let (session, record) = (session.clone(), node.record.clone());
            (node.revision, Op::Session { session, node: record })
        })
    }
}

/// Every unit of a tree.
fn whole(tree: &Tree) -> Patch {
    tree.units().map(|(path, unit)| (path.clone(), unit.clone())).collect()
}

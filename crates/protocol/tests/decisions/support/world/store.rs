//! The store: compares are checked, writes happen whole, and nodes hear of them when they are told.

use std::collections::BTreeMap;

use lockstep_protocol::record::{Configuration, Key};
use lockstep_protocol::{Changes, Command, Compare, Event, Op, Txn, View, Written};
use lockstep_types::{Revision, Target};

use super::World;
use crate::support::rules;

impl World {
    /// A write as it should be: these records unchanged, these compares besides, these operations.
    pub(crate) fn txn<const N: usize>(
        &self,
        unchanged: [Key; N],
        others: impl IntoIterator<Item = Compare>,
        ops: impl IntoIterator<Item = Op>,
    ) -> Txn {
        let unchanged = unchanged.into_iter().map(|key| {
            let revision = self.store.version(&key);
            Compare::Unchanged(key, revision)
        });
        let mut compares: Vec<Compare> = unchanged.chain(others).collect();
        compares.sort();
        Txn { compares, ops: ops.into_iter().collect() }
    }

    /// The store as a node that starts reads it: from the records alone.
    pub(crate) fn loaded(&self) -> View {
        let mut view = View::new();
        let mut configurations: BTreeMap<Target, (Revision, Configuration)> = BTreeMap::new();
        for (revision, op) in
            self.history.iter().flat_map(|c| c.ops.iter().map(|op| (c.revision, op)))
        {
            match op {
                Op::Configuration { target, header, committed, applied, cleared: false } => {
                    let (at, kept) = configurations.entry(target.clone()).or_default();
                    *at = revision;
                    kept.header = header.clone();
                    kept.patch(committed, applied);
                }
                op => view.restore(op.clone(), revision),
            }
        }
        for (target, (revision, kept)) in configurations {
            view.restore_configuration(target, kept, revision);
        }
        view.restored(self.store.revision());
        view
    }

    /// Changes the store from outside; no node has heard of it yet.
    pub(crate) fn change(&mut self, ops: impl IntoIterator<Item = Op>) -> Revision {
        let ops: Vec<Op> = ops.into_iter().collect();
        rules::check(&self.store, &ops);
        let changes = Changes { revision: self.store.revision().next(), ops };
        self.store.absorb(&changes);
        self.history.push(changes);
        self.store.revision()
    }

    /// Carries out a write; the node has not heard of it yet.
    pub(crate) fn write(&mut self, txn: &Txn) -> Written {
        if !txn.compares.iter().all(|compare| self.store.holds(compare)) {
            return Written::Stale(self.store.revision());
        }
        self.written += 1;
        Written::Done(self.change(txn.ops.iter().cloned()))
    }

    /// Tells a node what it has not seen of the store.
    pub(crate) fn watch(&mut self, at: usize) -> Vec<Command> {
        let seen = self.nodes[at].view().revision();
        let unseen: Vec<Changes> =
            self.history.iter().filter(|changes| changes.revision > seen).cloned().collect();
        unseen.into_iter().flat_map(|changes| self.tell(at, Event::Watch(changes))).collect()
    }

    /// Carries out the one write among these commands and tells the node; what it does next.
    pub(crate) fn perform(&mut self, at: usize, commands: &[Command]) -> Vec<Command> {
        let mut writes = commands.iter().filter_map(|command| match command {
            Command::Write { wake, txn } => Some((wake.clone(), txn)),
            _ => None,
        });
        let (Some((wake, txn)), None) = (writes.next(), writes.next()) else {
            panic!("not one write: {commands:#?}");
        };
        let result = self.write(txn);
        let mut next = self.tell(at, Event::Written { wake, result });
        next.extend(self.watch(at));
        next
    }
}

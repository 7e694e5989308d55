//! Jobs evaluated one after the other in one batch of the engine.

use lockstep_protocol::Written;
use lockstep_types::Revision;

use super::history::Change;
use super::{Job, Leases, rows};
use crate::Error;
use crate::engine::{Fault, Writing};
use crate::kv::{Bytes, Commit, Entry, Event, Lease, Op, Txn};

/// A batch in the making.
pub(super) struct Turn<'a> {
    map: &'a mut dyn Writing,
    leases: &'a Leases,
    revision: Revision,
    changes: Vec<Change>,
}

impl<'a> Turn<'a> {
    pub(super) fn begin(map: &'a mut dyn Writing, leases: &'a Leases) -> Result<Self, Fault> {
        let revision = rows::revision(map)?;
        Ok(Self { map, leases, revision, changes: Vec::new() })
    }

    /// Evaluates one job on what the jobs before it left.
    pub(super) fn run(&mut self, job: &Job) -> Result<Result<Written, Error>, Fault> {
        match job {
            Job::Txn(txn) => self.txn(txn),
            Job::Revoke(lease) => self.drop_leased(Some(*lease)),
            Job::Abandon => self.drop_leased(None),
        }
    }

    /// The changes to be made durable; none: there is nothing to write.
    pub(super) fn end(self) -> Result<Option<Vec<Change>>, Fault> {
        if self.changes.is_empty() {
            return Ok(None);
        }
        rows::put_revision(self.map, self.revision)?;
        Ok(Some(self.changes))
    }

    fn txn(&mut self, txn: &Txn) -> Result<Result<Written, Error>, Fault> {
        for compare in &txn.compares {
            if !compare.holds(rows::revision_of(self.map, compare.key())?) {
                return Ok(Ok(Written::Stale(self.revision)));
            }
        }
        if let Some(lease) = txn.ops.iter().filter_map(lease_of).find(|l| !self.leases.lives(*l)) {
            return Ok(Err(Error::LeaseGone(lease)));
        }
        self.apply(&txn.ops).map(Ok)
    }

    fn drop_leased(&mut self, lease: Option<Lease>) -> Result<Result<Written, Error>, Fault> {
        let keys = rows::leased(self.map, lease)?;
        let ops: Vec<Op> = keys.into_iter().map(Op::Delete).collect();
        self.apply(&ops).map(Ok)
    }

    fn apply(&mut self, ops: &[Op]) -> Result<Written, Fault> {
        let revision = self.revision.next();
        let mut events = Vec::with_capacity(ops.len());
        let mut before = Vec::with_capacity(ops.len());
        for op in ops {
            let (event, stood) = self.change(op, revision)?;
            if let Some(event) = event {
                events.push(event);
                before.push(stood);
            }
        }
        if !events.is_empty() {
            self.revision = revision;
            let commit = Commit { revision, events: events.into() };
            self.changes.push(Change { commit, before });
        }
        Ok(Written::Done(self.revision))
    }

    /// What happens, if anything does, and what stood there.
    fn change(
        &mut self,
        op: &Op,
        revision: Revision,
    ) -> Result<(Option<Event>, Option<Entry>), Fault> {
        match op {
            Op::Put { key, value, lease } => {
                let (key, value) = (Bytes::clone(key), Bytes::clone(value));
                let entry = Entry { key, value, revision, lease: *lease };
                let stood = rows::put(self.map, &entry)?;
                Ok((Some(Event::Put(entry)), stood))
            }
            Op::Delete(key) => {
                let stood = rows::remove(self.map, key)?;
                let gone = stood.is_some().then(|| Event::Delete(Bytes::clone(key)));
                Ok((gone, stood))
            }
        }
    }
}

fn lease_of(op: &Op) -> Option<Lease> {
    match op {
        Op::Put { lease, .. } => *lease,
        Op::Delete(_) => None,
    }
}

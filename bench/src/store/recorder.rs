//! A store in memory that remembers what was written.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::{Bytes, Lease, Limits, Op, Page, Range, Txn};
use lockstep_store::{Feed, Memory, Pending, Store};
use lockstep_types::Revision;

/// One write: keys with their values; none: removed.
pub(super) type Write = Vec<(Bytes, Option<Bytes>)>;

/// Remembers every write.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    store: Memory,
    writes: Arc<Mutex<Vec<Write>>>,
}

impl Recorder {
    /// What was written so far.
    pub(super) fn writes(&self) -> Vec<Write> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Store for Recorder {
    fn limits(&self) -> Limits {
        self.store.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        let write = txn.ops.iter().map(|op| match op {
            Op::Put { key, value, .. } => (key.clone(), Some(value.clone())),
            Op::Delete(key) => (key.clone(), None),
        });
        self.writes.lock().unwrap_or_else(PoisonError::into_inner).push(write.collect());
        self.store.txn(txn)
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        self.store.range(range)
    }

    fn revision(&self) -> Pending<'_, Revision> {
        self.store.revision()
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        self.store.watch(after)
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Lease> {
        self.store.grant(ttl)
    }

    fn keep(&self, lease: Lease) -> Pending<'_, ()> {
        self.store.keep(lease)
    }

    fn revoke(&self, lease: Lease) -> Pending<'_, ()> {
        self.store.revoke(lease)
    }

    fn close(&self) -> Pending<'_, ()> {
        self.store.close()
    }
}

//! A store in memory that tells what is written to it. `bench/` uses it too.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::{Lease, Limits, Page, Range, Txn};
use lockstep_store::{Feed, Memory, Pending, Store};
use lockstep_types::Revision;

/// Tells of each transaction before it is carried out. Clones share everything.
#[derive(Clone)]
pub(crate) struct Overheard {
    store: Memory,
    tell: Arc<dyn Fn(&Txn) + Send + Sync>,
}

impl Overheard {
    pub(crate) fn new(tell: impl Fn(&Txn) + Send + Sync + 'static) -> Self {
        Self { store: Memory::new(), tell: Arc::new(tell) }
    }
}

impl fmt::Debug for Overheard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Overheard({:?})", self.store)
    }
}

impl Store for Overheard {
    fn limits(&self) -> Limits {
        self.store.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        (self.tell)(&txn);
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

//! A store that counts what is written to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::{Lease, Limits, Page, Range, Txn};
use lockstep_store::{Feed, Memory, Pending, Store};
use lockstep_types::Revision;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) transactions: u64,
    pub(crate) operations: u64,
    pub(crate) bytes: u64,
}

/// Counts what is written to a store in memory. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counting {
    store: Memory,
    sums: Arc<[AtomicU64; 3]>,
}

impl Counting {
    pub(crate) fn sum(&self) -> Sum {
        let [transactions, operations, bytes] =
            [0, 1, 2].map(|at: usize| self.sums[at].load(Ordering::Relaxed));
        Sum { transactions, operations, bytes }
    }
}

impl Store for Counting {
    fn limits(&self) -> Limits {
        self.store.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        let bytes: usize = txn.ops.iter().map(lockstep_store::kv::Op::bytes).sum();
        for (sum, more) in self.sums.iter().zip([1, txn.ops.len(), bytes]) {
            sum.fetch_add(more as u64, Ordering::Relaxed);
        }
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

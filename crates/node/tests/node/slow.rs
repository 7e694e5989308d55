//! A store that takes its time, as a disk or a cluster does, and in which others write.

use std::fmt;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::{Lease, Limits, Page, Range, Txn};
use lockstep_store::{Feed, Memory, Pending, Store};
use lockstep_types::Revision;
use tokio::time::sleep;

/// What a write takes.
const SYNC: Duration = Duration::from_millis(5);

/// A store in memory whose writes take a while, and wait for something besides.
pub(crate) struct Slow<F> {
    memory: Memory,
    may_go_on: F,
}

impl<F: Fn(&Memory, &Txn) -> bool> Slow<F> {
    /// One whose writes wait for this, which may write as well.
    pub(crate) fn new(may_go_on: F) -> Self {
        Self { memory: Memory::new(), may_go_on }
    }
}

impl<F> fmt::Debug for Slow<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slow")
    }
}

impl<F: Fn(&Memory, &Txn) -> bool + Send + Sync + 'static> Store for Slow<F> {
    fn limits(&self) -> Limits {
        self.memory.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        Box::pin(async move {
            sleep(SYNC).await;
            while !(self.may_go_on)(&self.memory, &txn) {
                sleep(Duration::from_millis(1)).await;
            }
            self.memory.txn(txn).await
        })
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        self.memory.range(range)
    }

    fn revision(&self) -> Pending<'_, Revision> {
        self.memory.revision()
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        self.memory.watch(after)
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Lease> {
        self.memory.grant(ttl)
    }

    fn keep(&self, lease: Lease) -> Pending<'_, ()> {
        self.memory.keep(lease)
    }

    fn revoke(&self, lease: Lease) -> Pending<'_, ()> {
        self.memory.revoke(lease)
    }

    fn close(&self) -> Pending<'_, ()> {
        self.memory.close()
    }
}

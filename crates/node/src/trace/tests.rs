//! What a trace knows of the store where a node begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_protocol::Written;
use lockstep_store::kv::{Lease, Limits, Page, Range, Txn};
use lockstep_store::{Error, Feed, Memory, Pending, Store};

use super::*;
use crate::caught_up::caught_up;

/// A store that lets go of its past once.
#[derive(Debug)]
struct Forgetful {
    store: Memory,
    forgets: AtomicBool,
}

impl Store for Forgetful {
    fn limits(&self) -> Limits {
        self.store.limits()
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        self.store.txn(txn)
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        self.store.range(range)
    }

    fn revision(&self) -> Pending<'_, Revision> {
        self.store.revision()
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        Box::pin(async move {
            if self.forgets.swap(false, Ordering::Relaxed) {
                let oldest = self.store.revision().await?;
                return Err(Error::Compacted { asked: after, oldest });
            }
            self.store.watch(after).await
        })
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

/// Otherwise the next line would speak of a revision that the trace is already past.
#[tokio::test]
async fn a_node_begins_on_no_less_than_its_trace_knows() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Forgetful { store: Memory::new(), forgets: AtomicBool::new(false) });
    let records = Records::open(store.clone()).await.unwrap();
    let mut trace = Trace::open(&folder.path().join("trace.jsonl"), &records).await.unwrap();
    let read = records.load().await.unwrap();
    let (mut view, mut watch) = caught_up(&records, read).await.unwrap();
    // Another node begins, and the past is let go of.
    let other = records.begin(&NodeName::new("n2").unwrap()).await.unwrap();
    store.forgets.store(true, Ordering::Relaxed);
    trace.catch_up(&records, &mut view, &mut watch).await.unwrap();
    assert_eq!(view.revision(), records.revision().await.unwrap());
    assert_eq!(trace.known, view.revision());
    assert!(view.is_alive(other.id()), "what the trace was told of, the node knows");
}

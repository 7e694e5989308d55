//! A store in memory: for tests, and for a demonstration that leaves nothing behind.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_types::Revision;

use crate::embedded::LIMITS;
use crate::engine::Tree;
use crate::kv::{Lease, Limits, Page, Range, Txn};
use crate::ledger::{self, Follow, Host, Job, Ledger, Owner};
use crate::{Error, Feed, Pending, Store};

/// A store that is gone with its last owner. Clones are the same store.
#[derive(Clone, Debug)]
pub struct Memory {
    inner: Arc<Inner>,
    limits: Limits,
}

#[derive(Debug)]
struct Inner(Ledger);

impl Memory {
    /// An empty store that takes as much at once as the embedded one.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(LIMITS)
    }

    /// An empty store that takes this much at once.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self { inner: Arc::new(Inner(Ledger::new(Tree::default()))), limits }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Owner for Inner {
    fn ledger(&self) -> &Ledger {
        &self.0
    }
}

impl Host for Inner {
    fn submit(&self, job: Job) -> Pending<'_, Written> {
        Box::pin(async move { self.0.run(&[job]).pop().unwrap_or(Err(Error::Closed)) })
    }
}

impl Store for Memory {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        Box::pin(async move {
            txn.check(self.limits)?;
            self.inner.submit(Job::Txn(txn)).await
        })
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        Box::pin(async move { self.inner.0.page(&range) })
    }

    fn revision(&self) -> Pending<'_, Revision> {
        Box::pin(async { self.inner.0.revision() })
    }

    fn revision_here(&self) -> Option<Result<Revision, Error>> {
        Some(self.inner.0.revision())
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        Box::pin(async move { Ok(Box::new(Follow::new(&self.inner, after)?) as Box<dyn Feed>) })
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Lease> {
        Box::pin(async move { ledger::grant(&self.inner, ttl) })
    }

    fn keep(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move { self.inner.0.leases.keep(lease) })
    }

    fn revoke(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move {
            self.inner.0.leases.end(lease)?;
            self.inner.submit(Job::Revoke(lease)).await.map(drop)
        })
    }

    fn echoes(&self) -> bool {
        true
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async {
            self.inner.0.close();
            Ok(())
        })
    }
}

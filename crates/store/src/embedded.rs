//! The store in a folder: one process, durable before it answers.
//!
//! Transactions queue for one thread, which takes all that wait, evaluates them one after the other,
//! and syncs the disk once for all of them. So the cost of a sync is shared by as many as wait for it,
//! and a lone writer waits for nobody.

mod folder;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_types::Revision;
use tokio::runtime::Handle;

use crate::kv::{Lease, Limits, Page, Range, Txn};
use crate::ledger::{self, Follow, Host, Job, Ledger, Owner};
use crate::{Error, Feed, Pending, Store};
pub use folder::FileCheck;
use folder::Folder;
use writer::Writer;

/// What one transaction may hold: a message of the largest size, as edit, delta, undo and patch.
pub(crate) const LIMITS: Limits = Limits { operations: 4_096, bytes: 128 << 20 };

/// A store in a folder. Clones are the same store; dropping the last one closes it.
#[derive(Clone, Debug)]
pub struct Embedded {
    inner: Arc<Inner>,
}

/// Fields are dropped in order: the writer's thread ends, the file is closed, the folder is free.
#[derive(Debug)]
struct Inner {
    writer: Writer,
    ledger: Arc<Ledger>,
    file: PathBuf,
}

impl Embedded {
    /// Opens the store in a folder, which is made if it is not there. Keys that earlier processes held
    /// under a lease are gone, as the first revision of this one.
    ///
    /// After a crash the file is checked first, which takes a moment for each gigabyte.
    ///
    /// # Errors
    /// [`Error::Held`] while another process, or this one, has the folder; [`Error::Damaged`] where its
    /// file is not as it was written; [`Error::Folder`] or [`Error::Failed`] where it cannot be used.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::start(path, Folder::take(path)?)
    }

    /// Opens the store in a folder that has one.
    ///
    /// # Errors
    /// [`Error::NoStore`] where it has none; otherwise as [`Embedded::open`].
    pub fn open_existing(path: &Path) -> Result<Self, Error> {
        Self::start(path, Folder::find(path)?)
    }

    /// Looks at every byte of a store that is not open, and changes nothing but what any opening would
    /// bring in order. Takes a moment for each gigabyte.
    ///
    /// # Errors
    /// [`Error::Damaged`] if it is not as it was written; otherwise as [`Embedded::open_existing`].
    pub fn check(path: &Path) -> Result<FileCheck, Error> {
        Folder::find(path)?.check()
    }

    fn start(path: &Path, folder: Folder) -> Result<Self, Error> {
        let file = folder.file();
        let ledger = Arc::new(Ledger::open(folder.engine()?)?);
        let writer = Writer::start(Arc::clone(&ledger))
            .map_err(|source| Error::Folder { folder: path.into(), source: Arc::new(source) })?;
        Ok(Self { inner: Arc::new(Inner { writer, ledger, file }) })
    }

    /// How often the disk was synced for transactions since the store was opened.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.inner.ledger.commits()
    }
}

impl Owner for Inner {
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

impl Host for Inner {
    fn submit(&self, job: Job) -> Pending<'_, Written> {
        Box::pin(self.writer.submit(job))
    }
}

impl Store for Embedded {
    fn limits(&self) -> Limits {
        LIMITS
    }

    fn txn(&self, txn: Txn) -> Pending<'_, Written> {
        Box::pin(async move {
            txn.check(LIMITS)?;
            self.inner.submit(Job::Txn(txn)).await
        })
    }

    fn range(&self, range: Range) -> Pending<'_, Page> {
        let ledger = Arc::clone(&self.inner.ledger);
        Box::pin(async move {
            let Ok(runtime) = Handle::try_current() else { return ledger.page(&range) };
            let read = runtime.spawn_blocking(move || ledger.page(&range));
            // A read that did not end was cut off with the runtime.
            read.await.unwrap_or(Err(Error::Closed))
        })
    }

    fn revision(&self) -> Pending<'_, Revision> {
        Box::pin(async { self.inner.ledger.revision() })
    }

    fn revision_here(&self) -> Option<Result<Revision, Error>> {
        Some(self.inner.ledger.revision())
    }

    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>> {
        Box::pin(async move { Ok(Box::new(Follow::new(&self.inner, after)?) as Box<dyn Feed>) })
    }

    fn grant(&self, ttl: Duration) -> Pending<'_, Lease> {
        Box::pin(async move { ledger::grant(&self.inner, ttl) })
    }

    fn keep(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move { self.inner.ledger.leases.keep(lease) })
    }

    fn revoke(&self, lease: Lease) -> Pending<'_, ()> {
        Box::pin(async move {
            self.inner.ledger.leases.end(lease)?;
            self.inner.submit(Job::Revoke(lease)).await.map(drop)
        })
    }

    fn size(&self) -> Option<u64> {
        std::fs::metadata(&self.inner.file).ok().map(|file| file.len())
    }

    fn echoes(&self) -> bool {
        true
    }

    fn close(&self) -> Pending<'_, ()> {
        Box::pin(self.inner.writer.close())
    }
}

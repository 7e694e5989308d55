//! The records of `protocol` on any store.
//!
//! A record is one key. Only a configuration is more, because its trees may be large while each
//! change of them is small:
//!
//! ```text
//!   configuration/<target>        header; its revision is the record's
//!   delta/<target>/<revision>     what one write changed, named by the header it was decided on
//!   snapshot/<target>             names the chunks that hold the trees, and the first delta beyond
//!   chunk/<target>/<from>/<n>     a piece of the trees as they were before delta `from`
//! ```
//!
//! So a write costs what it changes. When the deltas of a target have outgrown its snapshot they
//! are folded into a new one, which on the average costs each write about its own size again.

mod account;
mod decode;
mod encode;
mod fold;
mod format;
mod key;
mod load;
mod pieces;
mod session;
mod value;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_protocol::{Txn, View, Written};
use lockstep_types::{Epoch, NodeName, Revision};

use crate::{Error, Store};
use account::Accounts;
pub use format::LEVEL;
pub use session::{SESSION_TTL, Session};
pub use watch::Watch;

/// The records of `protocol` in a store. Clones share everything.
#[derive(Clone, Debug)]
pub struct Records {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Arc<dyn Store>,
    epoch: Epoch,
    writes: AtomicU64,
    accounts: Accounts,
}

impl Records {
    /// Opens the records in a store. An empty store gets its format level and its first epoch.
    ///
    /// # Errors
    /// [`Error::NewerFormat`] and [`Error::Foreign`] for a store that is not for this version, and
    /// whatever the store has to say.
    pub async fn open(store: Arc<dyn Store>) -> Result<Self, Error> {
        let epoch = format::open(&*store).await?;
        let (writes, accounts) = (AtomicU64::new(0), Accounts::default());
        Ok(Self { inner: Arc::new(Inner { store, epoch, writes, accounts }) })
    }

    /// The epoch of the store: the upper half of every election id.
    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.inner.epoch
    }

    /// The store below.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    /// The store's revision: a view that has reached it has seen every write that was answered before
    /// this call.
    ///
    /// # Errors
    /// Whatever the store has to say.
    pub async fn revision(&self) -> Result<Revision, Error> {
        self.inner.store.revision().await
    }

    /// Everything the store holds, as a view at its revision.
    ///
    /// # Errors
    /// [`Error::Unreadable`] for a record that is not ours, and whatever the store has to say.
    pub async fn load(&self) -> Result<View, Error> {
        load::load(&self.inner).await
    }

    /// What is written after this revision: whole revisions, in order, without a gap. Some are empty,
    /// because not everything in the store is a record.
    ///
    /// # Errors
    /// [`Error::Compacted`] where that is no longer kept: load, and watch from there.
    pub async fn watch(&self, after: Revision) -> Result<Watch, Error> {
        Ok(Watch::new(self.inner.store.watch(after).await?))
    }

    /// Writes, durably, if every compare holds.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Uncompared`] and [`Error::UnleasedSession`] for a write that is
    /// no good; [`Error::Unknown`] if nobody knows what became of it; and whatever the store has to
    /// say.
    pub async fn write(&self, txn: &Txn) -> Result<Written, Error> {
        let encoded = encode::txn(txn)?;
        let written = self.inner.store.txn(encoded.txn).await?;
        if let Written::Done(_) = written {
            self.inner.writes.fetch_add(1, Ordering::Relaxed);
            for (target, bytes) in encoded.deltas {
                fold::grown(&self.inner, &target, bytes);
            }
        }
        Ok(written)
    }

    /// Begins a session of this node: a key that goes when its lease is not kept.
    ///
    /// # Errors
    /// Whatever the store has to say.
    pub async fn begin(&self, node: &NodeName) -> Result<Session, Error> {
        Session::begin(&self.inner.store, self.inner.epoch, node, SESSION_TTL).await
    }

    /// How many writes have happened through [`Records::write`].
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.inner.writes.load(Ordering::Relaxed)
    }

    /// Closes the store, once what was asked before is done.
    ///
    /// # Errors
    /// Whatever the store has to say.
    pub async fn close(&self) -> Result<(), Error> {
        self.inner.store.close().await
    }
}

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
//! So a write costs what it changes. A value that is longer than one write of the store is laid down
//! beforehand, in parts that the record then names (`body/<key>/<unique>/<n>`). When the deltas of a
//! target have outgrown its snapshot they are folded into a new one, which on the average costs each
//! write about half its size again. One that clears the trees is folded at once, so that nothing is kept
//! of a target that was removed.

mod account;
mod body;
mod check;
mod decode;
pub mod dump;
mod encode;
mod fold;
mod format;
mod key;
mod load;
mod own;
mod pieces;
mod pool;
mod session;
mod unknown;
mod value;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lockstep_protocol::{Changes, Txn, View, Written};
use lockstep_types::{Epoch, NodeName, Revision};

use crate::{Error, Store, metrics};
use account::Accounts;
use body::{Bodies, Laid};
pub use check::{Checked, Count, check};
pub use format::LEVEL;
use own::Own;
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
    /// The highest format level we know.
    knows: u32,
    writes: AtomicU64,
    /// The last revision that a write of ours is known to have made.
    reached: AtomicU64,
    accounts: Accounts,
    bodies: Bodies,
    own: Own,
}

impl Records {
    /// Opens the records in a store. An empty store gets its format level and its first epoch.
    ///
    /// # Errors
    /// [`Error::NewerFormat`] and [`Error::Foreign`] for a store that is not for this version, and
    /// whatever the store has to say.
    pub async fn open(store: Arc<dyn Store>) -> Result<Self, Error> {
        Self::open_knowing(store, LEVEL).await
    }

    /// As [`Records::open`]; an empty store gets this epoch, for runs that are to go the same way each time.
    ///
    /// # Errors
    /// As [`Records::open`].
    pub async fn open_at(store: Arc<dyn Store>, epoch: Epoch) -> Result<Self, Error> {
        if format::is_empty(&*store).await? {
            format::begin(&*store, LEVEL, epoch).await?;
        }
        Self::open(store).await
    }

    /// Opens the records in a store that has some.
    ///
    /// # Errors
    /// [`Error::Empty`] if it has none; otherwise as [`Records::open`].
    pub async fn open_existing(store: Arc<dyn Store>) -> Result<Self, Error> {
        if format::is_empty(&*store).await? {
            return Err(Error::Empty);
        }
        Self::open(store).await
    }

    /// As [`Records::open`], for a version that knows format levels up to this one; for tests of what happens when
    /// nodes of different versions meet.
    ///
    /// # Errors
    /// As [`Records::open`].
    pub async fn open_knowing(store: Arc<dyn Store>, knows: u32) -> Result<Self, Error> {
        let epoch = format::open(&*store, knows).await?;
        let (writes, reached, accounts, bodies, own) = Default::default();
        let inner = Inner { store, epoch, knows, writes, reached, accounts, bodies, own };
        Ok(Self { inner: Arc::new(inner) })
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

    /// The same, where nobody has to be asked for it.
    #[must_use]
    pub fn revision_here(&self) -> Option<Result<Revision, Error>> {
        self.inner.store.revision_here()
    }

    /// Everything the store holds, as a view at its revision. What is left of configurations that were cleared is
    /// removed, if whoever was about to was cut off.
    ///
    /// # Errors
    /// [`Error::Unreadable`] for a record that is not ours, and whatever the store has to say.
    pub async fn load(&self) -> Result<View, Error> {
        let view = load::load(&self.inner).await?;
        fold::left(&self.inner);
        Ok(view)
    }

    /// Everything the store holds, as the writes that make it: every record with the revision of its last one, in the
    /// order of those. Taken in one after the other they are what [`Records::load`] gives.
    ///
    /// # Errors
    /// As [`Records::load`].
    pub async fn content(&self) -> Result<Vec<Changes>, Error> {
        let load::Content(content) = load::load(&self.inner).await?;
        Ok(content.into_iter().map(|(revision, ops)| Changes { revision, ops }).collect())
    }

    /// What is written after this revision: whole revisions, in order, without a gap. Some are empty,
    /// because not everything in the store is a record.
    ///
    /// # Errors
    /// [`Error::Compacted`] where that is no longer kept: load, and watch from there.
    pub async fn watch(&self, after: Revision) -> Result<Watch, Error> {
        Ok(Watch::new(&self.inner, self.inner.store.watch(after).await?))
    }

    /// Writes, durably, if every compare holds. One of which nobody knows whether it happened is
    /// stale: it is to be decided again once the view has reached the revision that is given.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::Uncompared`] and [`Error::UnleasedSession`] for a write that is
    /// no good; [`Error::Unknown`] if nobody knows what became of it and the store does not answer
    /// either; and whatever the store has to say.
    pub async fn write(&self, txn: Txn) -> Result<Written, Error> {
        let (begun, _under_way) = (Instant::now(), metrics::WRITING.hold());
        let written = self.write_out(txn).await;
        metrics::wrote(&written, begun.elapsed());
        written
    }

    async fn write_out(&self, txn: Txn) -> Result<Written, Error> {
        let encoded = encode::txn(&txn)?;
        let (store, bodies, own) = (&*self.inner.store, &self.inner.bodies, &self.inner.own);
        let laid = Laid::lay(store, bodies, encoded.txn).await?;
        let mark = store.echoes().then(|| own.keep(&laid.txn, txn.ops)).flatten();
        let written = store.txn(laid.txn.clone()).await;
        if !matches!(written, Ok(Written::Done(_))) {
            own.forget(mark);
        }
        let written = match written {
            Err(error @ Error::Unknown { .. }) => {
                let settled = unknown::settle(store, &laid.txn, error).await;
                // It may have happened, and nobody would come back to it.
                let clears = encoded.deltas.iter().filter(|added| added.clears);
                clears.for_each(|added| fold::grown(&self.inner, added));
                return settled;
            }
            written => written?,
        };
        match written {
            Written::Done(revision) => {
                laid.written(bodies);
                self.inner.reached.fetch_max(revision.get(), Ordering::Relaxed);
                self.inner.writes.fetch_add(1, Ordering::Relaxed);
                encoded.deltas.iter().for_each(|added| fold::grown(&self.inner, added));
            }
            Written::Stale(_) => laid.given_up(store).await?,
        }
        Ok(written)
    }

    /// Begins a session of this node: a key that goes when its lease is not kept. If it was the last
    /// to know a higher format level, the store's is raised.
    ///
    /// # Errors
    /// [`Error::NewerFormat`] if the level was raised beyond what we know, and whatever the store has
    /// to say.
    pub async fn begin(&self, node: &NodeName) -> Result<Session, Error> {
        let Inner { store, epoch, knows, .. } = &*self.inner;
        let session = Session::begin(store, (*epoch, *knows), node, SESSION_TTL).await?;
        self.raise().await?;
        Ok(session)
    }

    /// Raises the format level of the store to the highest that the node of every live session knows,
    /// and says what it is now. Nothing happens where they know no higher one, or where a session
    /// begins at the same time.
    ///
    /// # Errors
    /// [`Error::NewerFormat`] if it was raised beyond what we know, and whatever the store has to say.
    pub async fn raise(&self) -> Result<u32, Error> {
        format::raise(&*self.inner.store, self.inner.knows).await
    }

    /// How many writes have happened through [`Records::write`].
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.inner.writes.load(Ordering::Relaxed)
    }

    /// The last revision that a write through [`Records::write`] is known to have made: a watch that has not come to
    /// it is behind.
    #[must_use]
    pub fn reached(&self) -> Revision {
        Revision::new(self.inner.reached.load(Ordering::Relaxed))
    }

    /// How large the store is, in bytes, where it is a file of this node's own.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.inner.store.size()
    }

    /// Closes the store, once what was asked before is done.
    ///
    /// # Errors
    /// Whatever the store has to say.
    pub async fn close(&self) -> Result<(), Error> {
        self.inner.store.close().await
    }
}

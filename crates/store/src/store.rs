//! The contract of every store.

use std::fmt::Debug;
use std::pin::Pin;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_types::Revision;

use crate::Error;
use crate::kv::{Commit, Lease, Limits, Page, Range, Txn};

/// What a store answers later.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Ordered keys with a revision that counts the writes to all of them.
///
/// What may be relied on:
/// - A transaction happens whole or not at all, and is durable when it is answered. It makes one
///   revision, the next, which it may share with others that were under way with it and neither
///   write what it compares or writes nor compare what it writes; one that changes nothing makes none.
/// - Reads are linearizable: they see every write that was answered before they were asked.
/// - A range can be read at any revision that is still kept, so that many pages make one picture.
/// - A watch delivers whole revisions, in order, without a gap.
/// - Keys under a lease go when it does, in one revision.
///
/// Dropping a pending transaction does not call it off.
pub trait Store: Debug + Send + Sync + 'static {
    /// What one transaction may hold.
    fn limits(&self) -> Limits;

    /// Writes, if every compare holds. `Done` names the revision that was made, `Stale` one at which a
    /// compare failed.
    fn txn(&self, txn: Txn) -> Pending<'_, Written>;

    /// Reads one page of keys in order. A page may be shorter than asked for; it says where the next
    /// one begins.
    fn range(&self, range: Range) -> Pending<'_, Page>;

    /// The store's revision: no write that was answered before the call is beyond it.
    fn revision(&self) -> Pending<'_, Revision>;

    /// The same, where nobody has to be asked for it.
    fn revision_here(&self) -> Option<Result<Revision, Error>> {
        None
    }

    /// Everything that is written after this revision. [`Error::Compacted`] where that is no longer
    /// kept, now or later, because the watcher is too slow: the reader then loads again.
    fn watch(&self, after: Revision) -> Pending<'_, Box<dyn Feed>>;

    /// A lease that runs out unless it is kept.
    fn grant(&self, ttl: Duration) -> Pending<'_, Lease>;

    /// Keeps a lease for its whole time again, counted from no earlier than the call.
    fn keep(&self, lease: Lease) -> Pending<'_, ()>;

    /// Gives a lease up, and with it every key under it.
    fn revoke(&self, lease: Lease) -> Pending<'_, ()>;

    /// Lets go of what was before this revision: to read or watch from there may then be answered with
    /// [`Error::Compacted`]. For stores that do not do so by themselves; to others it means nothing.
    fn compact(&self, before: Revision) -> Pending<'_, ()> {
        let _ = before;
        Box::pin(async { Ok(()) })
    }

    /// Whether a watch tells of the very bytes that a transaction was given, and of each transaction by itself: then
    /// whoever wrote them need not read them.
    fn echoes(&self) -> bool {
        false
    }

    /// How large it is, in bytes, where it is a file of this process's own.
    fn size(&self) -> Option<u64> {
        None
    }

    /// Finishes what was asked before, and lets go of everything. Afterwards each call is answered
    /// with [`Error::Closed`].
    fn close(&self) -> Pending<'_, ()>;
}

/// The revisions of a store, one after the other.
///
/// A store that also counts what is written beside its keys passes over such revisions, or gives them
/// without events to those who wait to have caught up.
pub trait Feed: Debug + Send {
    /// The next one, once it is there. After an error there is none.
    fn next(&mut self) -> Pending<'_, Commit>;
}

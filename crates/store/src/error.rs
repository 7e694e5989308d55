//! Why a store could not do what was asked.

use std::path::PathBuf;
use std::sync::Arc;

use lockstep_types::{Revision, Target};

use crate::kv::{Lease, Limits};

/// What lies below an error; shared, because one failure answers every write that waited for it.
pub type Source = Arc<dyn std::error::Error + Send + Sync>;

/// Why a store could not do what was asked. A compare that failed is no error: see
/// [`Written::Stale`](lockstep_protocol::Written::Stale).
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Another process has the folder.
    #[error("the store in {} is in use by {}; stop that first", folder.display(), holder(*pid))]
    Held {
        /// The folder.
        folder: PathBuf,
        /// The process that has it, where it has said so.
        pid: Option<u32>,
    },
    /// The folder cannot be used.
    #[error("the store in {} cannot be opened", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: Source,
    },
    /// What came after this revision is no longer kept: load again, and go on from there.
    #[error("revision {asked} is behind the oldest one kept, {oldest}")]
    Compacted {
        /// The revision that was asked for.
        asked: Revision,
        /// The oldest that can be.
        oldest: Revision,
    },
    /// A revision that does not exist yet.
    #[error("revision {asked} is ahead of the store's, {current}")]
    Future {
        /// The revision that was asked for.
        asked: Revision,
        /// The last one there is.
        current: Revision,
    },
    /// A write beyond what the store takes at once.
    #[error(
        "a write of {operations} operations and {bytes} bytes is more than the store takes at once \
         ({} and {})", limits.operations, limits.bytes
    )]
    TooLarge {
        /// Its operations, or its compares where those are more.
        operations: usize,
        /// Its keys and values.
        bytes: usize,
        /// What the store takes.
        limits: Limits,
    },
    /// A write that names a key twice.
    #[error("one write names the key {0} twice")]
    Twice(String),
    /// The lease ran out, was revoked or never was.
    #[error("lease {0} is gone")]
    LeaseGone(Lease),
    /// Nobody knows whether the write happened. Deciding it again is safe if it compares what it was
    /// based on.
    #[error("it is not known whether the write happened")]
    Unknown {
        /// What went wrong.
        source: Source,
    },
    /// The store cannot be reached now; nothing was written.
    #[error("the store cannot be reached")]
    Unavailable {
        /// What went wrong.
        source: Source,
    },
    /// The store itself fails; nothing was written.
    #[error("the store failed")]
    Failed {
        /// What went wrong.
        source: Source,
    },
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// A lease needs a clock, and there is no runtime to give one.
    #[error("leases need a tokio runtime")]
    NoRuntime,
    /// The store holds something, and it is not ours.
    #[error("the store is not empty and was not written by Lockstep")]
    Foreign,
    /// There is no store where one was looked for.
    #[error("there is no store in {}", folder.display())]
    NoStore {
        /// The folder.
        folder: PathBuf,
    },
    /// There is a store, and nothing in it.
    #[error("the store is empty")]
    Empty,
    /// The bytes on the disk are not those that were written.
    #[error(
        "{} is damaged ({what}); restore the folder from a backup, or import an export of it into an \
         empty one", file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What was found.
        what: String,
    },
    /// An import was cut off.
    #[error(
        "an import into this store did not come to its end; remove everything in it and import again"
    )]
    HalfImported,
    /// The store was written by a later version.
    #[error(
        "the store has format level {found}, this version knows levels up to {known}; use a later \
         version"
    )]
    NewerFormat {
        /// The store's.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A record that cannot be read.
    #[error("the record {key} cannot be read: {reason}")]
    Unreadable {
        /// Its key.
        key: String,
        /// Why.
        reason: String,
    },
    /// A record that cannot be written.
    #[error("the record {key} cannot be written: {reason}")]
    Unwritable {
        /// Its key.
        key: String,
        /// Why.
        reason: String,
    },
    /// A configuration may only be written on the revision it was decided on.
    #[error("the write changes the configuration of {0} without comparing it")]
    Uncompared(Target),
    /// A session begins with its lease.
    #[error("a session is begun, not written")]
    UnleasedSession,
}

impl Error {
    /// Whether the same call may go well when it is made again. Not so where it first takes something
    /// else: a reload, a smaller write, another process to end.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::Unavailable { .. })
    }

    pub(crate) fn unreadable(key: &[u8], reason: impl ToString) -> Self {
        Self::Unreadable { key: crate::kv::text(key), reason: reason.to_string() }
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

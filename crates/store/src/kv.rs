//! The words of a store: keys and values are bytes, and mean nothing to it.

mod range;
mod txn;

use std::fmt;
use std::sync::Arc;

use lockstep_types::Revision;

pub use range::{Page, Range};
pub use txn::{Compare, Limits, Op, Txn};

/// A key or a value. A clone shares it.
pub type Bytes = Arc<[u8]>;

/// A lease; each number is given out once in the life of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lease(pub u64);

impl fmt::Display for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// A key with what stands under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Bytes,
    /// Its value.
    pub value: Bytes,
    /// The revision that wrote it.
    pub revision: Revision,
    /// The lease it goes with.
    pub lease: Option<Lease>,
}

/// One key changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was written.
    Put(Entry),
    /// It is gone.
    Delete(Bytes),
}

impl Event {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &Bytes {
        match self {
            Self::Put(entry) => &entry.key,
            Self::Delete(key) => key,
        }
    }
}

/// A revision: all that one transaction changed, or several that share it, each key once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its number.
    pub revision: Revision,
    /// What changed.
    pub events: Arc<[Event]>,
}

/// A key as a person reads it.
pub(crate) fn text(key: &[u8]) -> String {
    key.escape_ascii().to_string()
}

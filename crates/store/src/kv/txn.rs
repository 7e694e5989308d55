//! A write: compares that must all hold, then operations that all happen.

use std::collections::BTreeSet;

use lockstep_types::Revision;

use super::{Bytes, Lease, text};
use crate::Error;

/// What must hold for a write to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compare {
    /// The key was last written at this revision; zero: it does not exist.
    Unchanged(Bytes, Revision),
    /// The key exists.
    Exists(Bytes),
    /// The key does not exist.
    Absent(Bytes),
}

impl Compare {
    /// The key.
    #[must_use]
    pub fn key(&self) -> &Bytes {
        match self {
            Self::Unchanged(key, _) | Self::Exists(key) | Self::Absent(key) => key,
        }
    }

    /// Whether it holds for a key last written at this revision; zero: one that does not exist.
    #[must_use]
    pub fn holds(&self, revision: Revision) -> bool {
        match self {
            Self::Unchanged(_, expected) => *expected == revision,
            Self::Exists(_) => revision != Revision::ZERO,
            Self::Absent(_) => revision == Revision::ZERO,
        }
    }
}

/// One key written or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Writes a key.
    Put {
        /// The key.
        key: Bytes,
        /// Its value.
        value: Bytes,
        /// The lease it is to go with.
        lease: Option<Lease>,
    },
    /// Removes a key, if it is there.
    Delete(Bytes),
}

impl Op {
    /// Writes a key that stays.
    pub fn put(key: impl Into<Bytes>, value: impl Into<Bytes>) -> Self {
        Self::Put { key: key.into(), value: value.into(), lease: None }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &Bytes {
        match self {
            Self::Put { key, .. } | Self::Delete(key) => key,
        }
    }

    /// Its keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Put { key, value, .. } => key.len() + value.len(),
            Self::Delete(key) => key.len(),
        }
    }
}

/// A write that happens whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Txn {
    /// What must hold.
    pub compares: Vec<Compare>,
    /// What is written then; no key twice.
    pub ops: Vec<Op>,
}

/// What one transaction may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many operations, and how many compares.
    pub operations: usize,
    /// How many bytes of keys and values.
    pub bytes: usize,
}

impl Txn {
    /// Its keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let compares: usize = self.compares.iter().map(|compare| compare.key().len()).sum();
        compares + self.ops.iter().map(Op::bytes).sum::<usize>()
    }

    /// Whether a store with these limits takes it.
    ///
    /// # Errors
    /// What is wrong with it: too large, or a key is written twice.
    pub fn check(&self, limits: Limits) -> Result<(), Error> {
        let operations = self.ops.len().max(self.compares.len());
        let bytes = self.bytes();
        if operations > limits.operations || bytes > limits.bytes {
            return Err(Error::TooLarge { operations, bytes, limits });
        }
        let mut seen = BTreeSet::new();
        match self.ops.iter().find(|op| !seen.insert(op.key())) {
            Some(twice) => Err(Error::Twice(text(twice.key()))),
            None => Ok(()),
        }
    }
}

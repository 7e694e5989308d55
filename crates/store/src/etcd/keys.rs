//! Our keys among those of others.
//!
//! ```text
//!   /<prefix>/data/<key>     what the store holds
//!   /<prefix>/mark           written to bring the watches on
//!   /<prefix>/trim           written by whoever lets go of history
//! ```

use crate::kv::Range;

/// Where the keys of this store are.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// What every key begins with; the watch is on this.
    pub(super) root: Vec<u8>,
    /// What the keys of the store begin with.
    data: Vec<u8>,
}

impl Keys {
    pub(super) fn new(root: &str) -> Self {
        Self { root: root.into(), data: format!("{root}data/").into_bytes() }
    }

    /// The key that is written to bring the watches on.
    pub(super) fn mark(&self) -> Vec<u8> {
        [self.root.as_slice(), b"mark"].concat()
    }

    /// The key that is written by whoever lets go of history.
    pub(super) fn trim(&self) -> Vec<u8> {
        [self.root.as_slice(), b"trim"].concat()
    }

    /// How much longer a key is in etcd.
    pub(super) fn extra(&self) -> usize {
        self.data.len()
    }

    /// A key as etcd knows it.
    pub(super) fn theirs(&self, key: &[u8]) -> Vec<u8> {
        [self.data.as_slice(), key].concat()
    }

    /// A key of etcd as the store knows it.
    pub(super) fn ours<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        key.strip_prefix(self.data.as_slice())
    }

    /// The first key beyond a range.
    pub(super) fn until(&self, range: &Range) -> Vec<u8> {
        match &range.until {
            Some(until) => self.theirs(until),
            None => Range::prefix(self.data.clone()).until.unwrap_or_default(),
        }
    }
}

//! The seam to whatever holds the bytes: an ordered map that is changed in batches.
//!
//! Nothing here knows of revisions, leases or watchers, so that one engine can be put in another's
//! place and be measured against it.

mod disk;
mod tree;

use std::fmt::Debug;
use std::path::{Path, PathBuf};

pub(crate) use disk::Disk;
pub(crate) use tree::Tree;

use crate::{Error, Source};

/// What went wrong below.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Nothing was changed.
    Failed(Source),
    /// The batch may or may not be there.
    Unknown(Source),
    /// What was read is not what was written. The file is named by whoever knows it.
    Damaged { file: PathBuf, what: String },
}

impl Fault {
    /// What was read is not what was written.
    pub(crate) fn damaged(what: impl ToString) -> Self {
        Self::Damaged { file: PathBuf::new(), what: what.to_string() }
    }

    /// The same, in this file.
    pub(crate) fn within(self, file: &Path) -> Self {
        match self {
            Self::Damaged { what, .. } => Self::Damaged { file: file.into(), what },
            other => other,
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Failed(source) => Self::Failed { source },
            Fault::Unknown(source) => Self::Unknown { source },
            Fault::Damaged { file, what } => Self::Damaged { file, what },
        }
    }
}

/// An ordered map of bytes.
pub(crate) trait Engine: Debug + Send + Sync + 'static {
    /// Reads one state of the map, whatever is written meanwhile.
    fn read(&self, work: &mut dyn FnMut(&dyn Reading) -> Result<(), Fault>) -> Result<(), Fault>;

    /// Changes the map. What `work` did happens whole and is durable when this returns, if it says
    /// so (`true`); otherwise nothing happens. One at a time.
    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Writing) -> Result<bool, Fault>,
    ) -> Result<(), Fault>;
}

/// One state of the map.
pub(crate) trait Reading {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Fault>;

    /// Gives each key of a range in order, with its value, until `each` says that it has enough
    /// (`false`).
    fn scan(
        &self,
        from: &[u8],
        until: Option<&[u8]>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), Fault>;
}

/// A state of the map that is being changed.
pub(crate) trait Writing: Reading {
    /// Gives back what stood there, which spares a second way down the map to find that out.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<Option<Vec<u8>>, Fault>;

    /// Gives back what stood there.
    fn remove(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, Fault>;
}

//! Why a dump could not be taken in.

use std::sync::Arc;

/// Why a dump could not be taken in.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// There is something in the store already.
    #[error("the store is not empty; a dump is only imported into an empty one")]
    NotEmpty,
    /// The first line is not that of a dump.
    #[error("this is no dump of a store: its first line is not one that `store export` writes")]
    NoDump,
    /// The dump has a form that this version does not know.
    #[error("the dump has version {found}, this version knows {known}; use a later version")]
    NewerForm {
        /// The dump's.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A line that cannot be taken in.
    #[error("line {line} of the dump cannot be read: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The dump has no last line.
    #[error("the dump ends after line {lines} without a last line: it was cut off")]
    Cut {
        /// How many lines there are.
        lines: u64,
    },
    /// The last line does not fit the ones before it.
    #[error("the dump is not as it was written: its last line does not fit the ones before it")]
    Changed,
    /// It cannot be read.
    #[error("the dump cannot be read")]
    Read(#[source] Arc<std::io::Error>),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] crate::Error),
}

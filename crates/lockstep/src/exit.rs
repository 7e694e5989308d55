//! What a command ends with, so that scripts can tell.
//!
//! | status | |
//! |---|---|
//! | 0 | it worked |
//! | 1 | it did not: it was refused, or could not be done |
//! | 2 | the command line is wrong, or asks for nothing |
//! | 3 | no node answers |
//! | 4 | it became a transaction that did not come to what was asked; the log has it |
//! | 130, 143 | it was interrupted |

use crate::cli::Failed;

/// The command line is wrong.
pub(crate) const USAGE: u8 = 2;
/// No node answers.
pub(crate) const NO_NODE: u8 = 3;
/// A transaction did not come to what was asked.
pub(crate) const NOT_APPLIED: u8 = 4;

/// Words, and what to end with.
#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub(crate) struct Ended {
    words: String,
    status: u8,
}

impl Ended {
    pub(crate) fn with(status: u8, words: impl Into<String>) -> Failed {
        Self { words: words.into(), status }.into()
    }
}

/// The status that says why a command failed.
pub(crate) fn status(error: &Failed) -> u8 {
    error.downcast_ref::<Ended>().map_or(1, |ended| ended.status)
}

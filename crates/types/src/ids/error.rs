//! Why a text is not a name.

use super::MAX_BYTES;

/// A text that was refused as a name. `kind` says which name it was meant to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no text at all.
    #[error("{kind} is empty")]
    Empty {
        /// What the text was meant to be, such as `target name`.
        kind: &'static str,
    },
    /// The text is longer than [`MAX_BYTES`].
    #[error("{kind} is {bytes} bytes long, at most {MAX_BYTES} are allowed")]
    TooLong {
        /// What the text was meant to be.
        kind: &'static str,
        /// How long it is.
        bytes: usize,
    },
    /// The text holds a character that would garble a log line or a terminal.
    #[error("{kind} has the control character U+{:04X} at byte {position}", u32::from(*.character))]
    Control {
        /// What the text was meant to be.
        kind: &'static str,
        /// The first offending character.
        character: char,
        /// Its offset in bytes, from 0.
        position: usize,
    },
}

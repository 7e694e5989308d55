//! Why an extension cannot be read.

use tonic::Code;

/// What is wrong with an extension.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Master arbitration without an id.
    #[error("master arbitration has no election_id")]
    NoElection,
    /// The same extension more than once.
    #[error("the extension {what} is there more than once")]
    Twice {
        /// Which.
        what: &'static str,
    },
    /// An option from a version of `SetOptions` that is newer than this one.
    #[error("lockstep.v1.SetOptions has a field {number} that this server does not know")]
    UnknownOption {
        /// The number of the field.
        number: u32,
    },
    /// Bytes that are no `SetOptions`.
    #[error("lockstep.v1.SetOptions cannot be read: {message}")]
    Malformed {
        /// What the decoder says.
        message: String,
    },
}

impl Error {
    /// What a server answers.
    pub fn code(&self) -> Code {
        Code::InvalidArgument
    }
}

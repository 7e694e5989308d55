//! Numbers and names, one type for each meaning, so that none can be taken for another.

mod error;
mod number;
mod text;

pub use error::Error;
pub use number::{Connection, Epoch, Index, Revision, Sequence, Term, Timestamp};
pub use text::{MAX_BYTES, ModelDigest, NodeName, SessionId, Target, TransactionId};

#[cfg(test)]
mod tests;

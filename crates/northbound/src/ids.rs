//! Ids for transactions whose clients gave none.

use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_types::{SessionId, TransactionId};
use tonic::Status;

/// Gives out ids that no other start of any node gives out: the session's, and a number.
#[derive(Debug)]
pub(crate) struct Ids {
    session: SessionId,
    next: AtomicU64,
}

impl Ids {
    pub(crate) fn new(session: SessionId) -> Self {
        Self { session, next: AtomicU64::new(1) }
    }

    /// The client's id, or a new one where it gave none.
    pub(crate) fn of(&self, given: &str) -> Result<TransactionId, Status> {
        let made;
        let text = if given.is_empty() {
            made = format!("{}.{}", self.session, self.next.fetch_add(1, Ordering::Relaxed));
            &made
        } else {
            given
        };
        TransactionId::new(text).map_err(|error| Status::invalid_argument(error.to_string()))
    }
}

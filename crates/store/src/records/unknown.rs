//! A write of which nobody knows whether it happened: the store was lost between question and answer.
//!
//! It is not written again, for it may have happened, or may yet: a member of a cluster that was
//! stalled with the request in its hands carries it out when it goes on. It is not looked up either,
//! for not finding it says nothing about later. Instead it counts as stale at the revision the store
//! has now. Whoever decided it waits until its view has come that far, and decides again from what
//! it sees there:
//!
//! - If it had happened by then, the view holds it, and there is nothing left to do: a transaction
//!   is found under its id, a decision in its record.
//! - If it had not, it is decided again on that view and written with new compares. Should the first
//!   one still happen, then one of the two finds that what it compares has changed, because every
//!   write compares what it changes. So it happens once, whichever comes first.
//!
//! That needs the compares: a write without any is given back as unknown. What was laid down for the
//! write stays where it is, since a write that happens late still names it.

use lockstep_protocol::Written;

use crate::kv::Txn;
use crate::{Error, Store};

/// Makes a write of unknown outcome one to be decided again. The error where that cannot be: nothing
/// is compared, or the store cannot be read either.
pub(super) async fn settle(store: &dyn Store, txn: &Txn, unknown: Error) -> Result<Written, Error> {
    if txn.compares.is_empty() {
        return Err(unknown);
    }
    match store.revision().await {
        Ok(revision) => {
            tracing::warn!(%revision, error = &unknown as &dyn std::error::Error, "to be decided again");
            Ok(Written::Stale(revision))
        }
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the revision cannot be read");
            Err(unknown)
        }
    }
}

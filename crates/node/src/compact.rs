//! Moving the horizon on demand.

use lockstep_protocol::{View, Written};
use lockstep_store::{Error, Records};
use lockstep_types::Index;

use crate::handle::Handle;

/// How often it is tried again when something was appended meanwhile.
const TRIES: usize = 20;

/// Why the horizon was not moved.
#[derive(Debug, thiserror::Error)]
pub enum Uncompacted {
    /// Something was appended each time.
    #[error("the log is appended to all the time")]
    Busy,
    /// The store did not take it.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Handle {
    /// Moves the horizon, so that the latest so many entries of the log are kept, as far as nothing that is open needs
    /// more. What lies behind it is forgotten by and by. It never moves back.
    ///
    /// # Errors
    /// See [`Uncompacted`].
    pub async fn compact(&self, records: &Records, keep: u64) -> Result<Index, Uncompacted> {
        for _ in 0..TRIES {
            let view = self.view();
            let wanted = Index::new(view.head().index.get().saturating_sub(keep));
            let Some(txn) = view.forget_up_to(wanted) else { return Ok(view.horizon()) };
            let revision = match records.write(txn.clone()).await? {
                Written::Done(revision) | Written::Stale(revision) => revision,
            };
            let mut views = self.views();
            let seen = views.wait_for(|view: &std::sync::Arc<View>| view.revision() >= revision);
            seen.await.map_err(|_| Uncompacted::Store(Error::Closed))?;
        }
        Err(Uncompacted::Busy)
    }
}

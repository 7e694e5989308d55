//! Reads that see every write that was answered before they began, on whichever node.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_node::Handle;
use lockstep_protocol::View;
use lockstep_store::Records;
use lockstep_types::Revision;
use tokio::sync::Semaphore;
use tonic::Status;

/// Asks the store how far it is, once for all who wait, and waits for the node to have seen that.
#[derive(Clone, Debug)]
pub(crate) struct Fresh(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    node: Handle,
    records: Records,
    /// How many have asked so far.
    asked: AtomicU64,
    /// Whose turn it is to ask the store.
    turn: Semaphore,
    /// The last answer, and how many had asked when it was asked for.
    known: Mutex<(u64, Revision)>,
}

impl Fresh {
    pub(crate) fn new(node: Handle, records: Records) -> Self {
        let (asked, turn) = (AtomicU64::new(0), Semaphore::new(1));
        let known = Mutex::new((0, Revision::ZERO));
        Self(Arc::new(Inner { node, records, asked, turn, known }))
    }

    /// What stands now.
    pub(crate) async fn view(&self) -> Result<Arc<View>, Status> {
        let revision = self.revision().await?;
        let mut views = self.0.node.views();
        let view = views.wait_for(|view| view.revision() >= revision).await;
        view.map(|view| Arc::clone(&view)).map_err(|_| Status::unavailable("the node is stopping"))
    }

    /// A revision that has every write that was answered before this call.
    pub(crate) async fn revision(&self) -> Result<Revision, Status> {
        let Inner { records, asked, turn, known, .. } = &*self.0;
        let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
        let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
        let _turn = turn.acquire().await;
        let (up_to, revision) = *known();
        if up_to >= number {
            return Ok(revision);
        }
        let up_to = asked.load(Ordering::SeqCst);
        let answer = records.revision().await;
        let revision = answer.map_err(|error| {
            Status::unavailable(format!("the store cannot be read: {error}; try again"))
        })?;
        *known() = (up_to, revision);
        Ok(revision)
    }
}

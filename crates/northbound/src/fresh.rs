//! Reads that see every write that was answered before they began, on whichever node.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_node::Handle;
use lockstep_protocol::View;
use lockstep_store::Records;
use lockstep_types::Revision;
use tokio::sync::Semaphore;
use tokio::time::timeout_at;
use tonic::Status;

use crate::guard::Call;
use crate::refusal;

/// Asks the store how far it is, once for all who wait, and waits for the node to have seen that. Whoever
/// waits is answered before they hang up, be it that the store does not answer.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    node: Handle,
    records: Records,
    newest: Arc<Newest>,
}

impl Fresh {
    pub(crate) fn new(node: Handle, records: Records) -> Self {
        Self { node, records, newest: Arc::default() }
    }

    /// What stands now.
    pub(crate) async fn view(&self, call: &Call) -> Result<Arc<View>, Status> {
        let by = call.answer_by();
        let revision = self.revision(call).await?;
        let view = self.node.view();
        if view.revision() >= revision {
            return Ok(view);
        }
        let mut views = self.node.views();
        match timeout_at(by, views.wait_for(|view| view.revision() >= revision)).await {
            Ok(Ok(view)) => Ok(Arc::clone(&view)),
            Ok(Err(_)) => Err(refusal::stopping()),
            Err(_) => Err(Status::unavailable(
                "this node is behind the store, and has not caught up in time; try again, or ask another node",
            )),
        }
    }

    /// A revision that has every write that was answered before this call.
    pub(crate) async fn revision(&self, call: &Call) -> Result<Revision, Status> {
        if let Some(here) = self.records.revision_here() {
            return here.map_err(|error| unreadable(&error.to_string()));
        }
        let answer = self.newest.revision(async || self.records.revision().await);
        let answer = timeout_at(call.answer_by(), answer).await;
        answer.unwrap_or_else(|_| Err(unreadable("it does not answer")))
    }
}

/// How far the store is, as somebody has just found.
#[derive(Debug)]
struct Newest {
    /// How many have asked so far.
    asked: AtomicU64,
    /// Whose turn it is to ask the store.
    turn: Semaphore,
    /// The last answer, and how many had asked when it was asked for.
    known: Mutex<(u64, Result<Revision, Status>)>,
}

impl Default for Newest {
    fn default() -> Self {
        let (asked, turn) = (AtomicU64::new(0), Semaphore::new(1));
        Self { asked, turn, known: Mutex::new((0, Ok(Revision::ZERO))) }
    }
}

impl Newest {
    /// The answer to a question that was put to the store after this was called. That it could not be answered
    /// is as good an answer: if each had to find that out in turn, the last would wait for the sum of it.
    async fn revision(
        &self,
        read: impl AsyncFnOnce() -> Result<Revision, lockstep_store::Error>,
    ) -> Result<Revision, Status> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let _turn = self.turn.acquire().await;
        let (up_to, answer) = known().clone();
        if up_to >= number {
            return answer;
        }
        let up_to = self.asked.load(Ordering::SeqCst);
        let answer = read().await.map_err(|error| unreadable(&error.to_string()));
        *known() = (up_to, answer.clone());
        answer
    }
}

fn unreadable(why: &str) -> Status {
    Status::unavailable(format!("the store cannot be read: {why}; try again"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::time::{Instant, sleep};
    use tonic::Code;

    use super::*;

    const LONG: Duration = Duration::from_secs(12);

    #[tokio::test(start_paused = true)]
    async fn one_failure_answers_all_who_asked_before() {
        let (newest, begun, reads) = (Newest::default(), Instant::now(), AtomicU64::new(0));
        let ask = || {
            newest.revision(async || {
                reads.fetch_add(1, Ordering::SeqCst);
                sleep(LONG).await;
                Err(lockstep_store::Error::Closed)
            })
        };
        for answer in join_all((0..20).map(|_| ask())).await {
            let status = answer.unwrap_err();
            assert_eq!(status.code(), Code::Unavailable);
            assert!(status.message().contains("the store cannot be read"), "{status:?}");
        }
        // The first began before the others asked.
        assert_eq!((reads.load(Ordering::SeqCst), begun.elapsed()), (2, 2 * LONG));
        // Whoever comes later asks anew.
        assert_eq!(newest.revision(async || Ok(Revision::new(7))).await.unwrap(), Revision::new(7));
    }
}

//! What the other rooms hold of a running node.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use lockstep_protocol::{Reply, Request, View};
use lockstep_southbound::{Link, Look, LookError, Report};
use lockstep_types::{Index, NodeName, SessionId, Target, Timestamp};
use tokio::sync::{mpsc, oneshot, watch};

use crate::clock::Clock;
use crate::error::Busy;
use crate::status::TargetStatus;
use crate::target::TargetSpec;

/// What a client asks of the core.
#[derive(Debug)]
pub(crate) enum Asked {
    Submit(Request, oneshot::Sender<Reply>),
    Cancel(Index, oneshot::Sender<Reply>),
}

/// A running node, as the other rooms see it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Handle {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) name: NodeName,
    pub(crate) session: SessionId,
    pub(crate) clock: Clock,
    pub(crate) targets: BTreeMap<Target, TargetSpec>,
    pub(crate) requests: mpsc::Sender<Asked>,
    pub(crate) view: watch::Receiver<Arc<View>>,
    /// The links end with the runtime, whoever still holds a handle.
    pub(crate) links: Weak<BTreeMap<Target, Link>>,
    pub(crate) under_way: AtomicUsize,
    pub(crate) pending_limit: usize,
}

impl Handle {
    /// The node's name.
    #[must_use]
    pub fn name(&self) -> &NodeName {
        &self.shared.name
    }

    /// This start of the node.
    #[must_use]
    pub fn session(&self) -> &SessionId {
        &self.shared.session
    }

    /// The node's time, which deadlines are counted in.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// What the node knows now. Whoever was answered finds what it was told of in here.
    #[must_use]
    pub fn view(&self) -> Arc<View> {
        Arc::clone(&self.shared.view.borrow())
    }

    /// The views as they come, for whoever waits for something.
    #[must_use]
    pub fn views(&self) -> watch::Receiver<Arc<View>> {
        self.shared.view.clone()
    }

    /// The targets this node was given, by name.
    #[must_use]
    pub fn targets(&self) -> &BTreeMap<Target, TargetSpec> {
        &self.shared.targets
    }

    /// How a target stands; none: there is no such target.
    #[must_use]
    pub fn status(&self, target: &Target) -> Option<TargetStatus> {
        let view = self.view();
        view.binding(target).is_some().then(|| self.status_in(&view, target))
    }

    /// How every target stands, by name.
    #[must_use]
    pub fn statuses(&self) -> Vec<TargetStatus> {
        let view = self.view();
        view.targets().map(|target| self.status_in(&view, target)).collect()
    }

    fn status_in(&self, view: &View, target: &Target) -> TargetStatus {
        let links = self.shared.links.upgrade();
        let failure = links.and_then(|links| links.get(target)?.failure());
        TargetStatus::of(target, self.targets().get(target), view, failure)
    }

    /// Looks at what a device reports of its state.
    ///
    /// # Errors
    /// This node is not connected to it, or the device does not tell.
    pub async fn look(&self, target: &Target, look: Look) -> Result<Vec<Report>, LookError> {
        let links = self.shared.links.upgrade();
        match links.as_ref().and_then(|links| links.get(target)) {
            Some(link) => link.look(look).await,
            None => Err(LookError::NotConnected("this node does not serve it".into())),
        }
    }

    /// Submits a transaction, and waits for as long as it asks for. Given up by the caller, it goes
    /// on all the same.
    pub async fn submit(&self, request: Request) -> Result<Reply, Busy> {
        self.ask(|answer| Asked::Submit(request, answer)).await
    }

    /// Calls a transaction off, and waits until that has taken effect.
    pub async fn cancel(&self, index: Index) -> Result<Reply, Busy> {
        self.ask(|answer| Asked::Cancel(index, answer)).await
    }

    async fn ask(
        &self,
        asked: impl FnOnce(oneshot::Sender<Reply>) -> Asked,
    ) -> Result<Reply, Busy> {
        let _place = self.place()?;
        let (answer, answered) = oneshot::channel();
        self.shared.requests.send(asked(answer)).await.map_err(|_| Busy::Stopping)?;
        answered.await.map_err(|_| Busy::Stopping)
    }

    /// One of the places for requests under way, given back when dropped.
    fn place(&self) -> Result<Place<'_>, Busy> {
        let limit = self.shared.pending_limit;
        let taken = self.shared.under_way.fetch_add(1, Ordering::Relaxed);
        let place = Place(&self.shared.under_way);
        if taken < limit { Ok(place) } else { Err(Busy::Full(limit)) }
    }
}

struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

//! What the other rooms hold of a running node.

use std::collections::BTreeMap;
use std::future::pending;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use lockstep_protocol::record::{Kind, Transaction, WindowStage};
use lockstep_protocol::{Event, Order, Refusal, Reply, Request, Until, Verdict, View};
use lockstep_southbound::{
    Driver, Fencing, Follow, Lease, Link, Look, LookError, Report, Stream, Visits,
};
use lockstep_types::{Epoch, Index, NodeName, SessionId, Target, Timestamp};
use lockstep_yang::ModelSet;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::clock::Clock;
use crate::drift::Drift;
use crate::election::claim;
use crate::error::Busy;
use crate::feed::{Feed, Step};
use crate::links::Links;
use crate::models::Models;
use crate::status::{Seen, State, TargetStatus};
use crate::target::{TargetSpec, Unserved};
use crate::targets::Targets;
use crate::validation;

/// What a client is told.
pub(crate) type Answer = Result<Reply, Busy>;

/// What a client asks of the core.
#[derive(Debug)]
pub(crate) enum Asked {
    Submit(Request, Option<Verdict>, oneshot::Sender<Answer>),
    Cancel(Index, String, oneshot::Sender<Answer>),
    Confirm(Index, oneshot::Sender<Answer>),
    Extend(Index, u64, oneshot::Sender<Answer>),
    Operate(Target, Order, String, oneshot::Sender<Answer>),
}

/// The model sets that a node is to have from now on, and who is told when it has.
#[derive(Debug)]
pub(crate) struct NewModels {
    pub(crate) named: BTreeMap<String, ModelSet>,
    pub(crate) done: oneshot::Sender<()>,
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
    pub(crate) targets: Arc<Targets>,
    pub(crate) models: Models,
    pub(crate) requests: mpsc::Sender<Asked>,
    pub(crate) new_models: mpsc::Sender<NewModels>,
    pub(crate) view: watch::Receiver<Arc<View>>,
    pub(crate) feed: Feed,
    /// The links end with the runtime, whoever still holds a handle.
    pub(crate) links: Weak<Links>,
    /// Looks at devices that are other nodes' to see to.
    pub(crate) visits: Visits,
    pub(crate) drift: Arc<Drift>,
    /// The epoch of the store.
    pub(crate) epoch: Epoch,
    /// Until when the session lasts, in the node's time, as the core knows it: one that is stuck holds no session.
    pub(crate) lease: AtomicU64,
    /// The same for whatever is on its way to a device, as its keeper knows it.
    pub(crate) mandated: Lease,
    /// What waits for the core, for those who want to know how much.
    pub(crate) events: mpsc::WeakSender<Event>,
    pub(crate) devices: mpsc::WeakSender<Event>,
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

    /// For how long the session lasts unless it is renewed; nothing: it may have ended.
    #[must_use]
    pub fn lease_left(&self) -> Duration {
        let until = self.shared.lease.load(Ordering::Relaxed);
        Duration::from_nanos(until.saturating_sub(self.now().get()))
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

    /// Every revision from now on, one by one. A view that is taken after this call lacks none of those
    /// before the first one told.
    #[must_use]
    pub fn follow(&self) -> broadcast::Receiver<Arc<Step>> {
        self.shared.feed.follow()
    }

    /// A target with its models; none: there is no such target, or this node does not have its models.
    #[must_use]
    pub fn target(&self, target: &Target) -> Option<Arc<TargetSpec>> {
        self.shared.targets.spec(target)
    }

    /// Every target with its models, by name.
    #[must_use]
    pub fn targets(&self) -> Vec<Arc<TargetSpec>> {
        self.shared.targets.all().values().filter_map(|entry| entry.spec.clone()).collect()
    }

    /// What a target may be found by; nothing, if there is no such target.
    #[must_use]
    pub fn tags(&self, target: &Target) -> Vec<String> {
        self.shared.targets.get(target).map(|entry| entry.known.tags.clone()).unwrap_or_default()
    }

    /// The model sets of this node.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.shared.models
    }

    /// From now on these are the model sets. Those that a target is bound to stay; targets that waited for
    /// one go on.
    ///
    /// # Errors
    /// The node stops.
    pub async fn have_models(&self, named: BTreeMap<String, ModelSet>) -> Result<(), Busy> {
        let (done, is_done) = oneshot::channel();
        let new = NewModels { named, done };
        self.shared.new_models.send(new).await.map_err(|_| Busy::Stopping)?;
        is_done.await.map_err(|_| Busy::Stopping)
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

    /// What every target is at, by name: as their statuses say, for whoever asks for no more than that.
    #[must_use]
    pub fn states(&self) -> Vec<(Target, State)> {
        let (view, now) = (self.view(), Instant::now());
        let state = |target: &Target| {
            let entry = self.shared.targets.get(target);
            let spec = entry.as_ref().and_then(|entry| entry.spec.as_deref());
            let drift = self.shared.drift.of(&view, target, spec, now);
            (target.clone(), State::of(target, entry.as_deref(), &view, drift))
        };
        view.targets().map(state).collect()
    }

    pub(crate) fn status_in(&self, view: &View, target: &Target) -> TargetStatus {
        let (link, entry) = (self.link(target), self.shared.targets.get(target));
        let spec = entry.as_ref().and_then(|entry| entry.spec.as_deref());
        let seen = Seen {
            failure: link.as_deref().and_then(Link::failure),
            trouble: link.as_deref().and_then(Link::trouble),
            fencing: link.as_deref().and_then(Link::fencing).or_else(|| fencing(view, target)),
            drift: self.shared.drift.of(view, target, spec, Instant::now()),
        };
        TargetStatus::of(target, entry.as_deref(), view, seen)
    }

    /// Looks at what a device reports of its state.
    ///
    /// # Errors
    /// This node is not connected to it, or the device does not tell.
    pub async fn look(&self, target: &Target, look: Look) -> Result<Vec<Report>, LookError> {
        match self.link(target) {
            Some(link) => link.look(look).await,
            None => self.shared.visits.look(target, &*self.driver(target)?, look).await,
        }
    }

    /// Has a device tell of its state, until it or the connection to it ends.
    ///
    /// # Errors
    /// This node is not connected to it, or the device tells as many others as it may.
    pub async fn tell(&self, target: &Target, follow: Follow) -> Result<Stream, LookError> {
        match self.link(target) {
            Some(link) => link.follow(follow).await,
            None => self.shared.visits.follow(target, &*self.driver(target)?, follow).await,
        }
    }

    fn link(&self, target: &Target) -> Option<Arc<Link>> {
        self.shared.links.upgrade()?.get(target)
    }

    /// Why this node is not connected to a target; none: it is, or there is no such target.
    #[must_use]
    pub fn away(&self, target: &Target) -> Option<String> {
        let unserved = self.unserved(target).map(|unserved| unserved.reason);
        unserved.or_else(|| self.link(target)?.failure())
    }

    /// What the device does not answer this node, is too busy for, or is left alone for; none: nothing, or it is not asked from
    /// here.
    #[must_use]
    pub fn trouble(&self, target: &Target) -> Option<String> {
        self.link(target)?.trouble()
    }

    /// Who connects to a device that is another node's to see to.
    fn driver(&self, target: &Target) -> Result<Arc<dyn Driver>, LookError> {
        let entry = self.shared.targets.get(target);
        entry.and_then(|entry| entry.driver.clone()).ok_or_else(|| {
            let unserved = self.unserved(target).map(|unserved| unserved.reason);
            LookError::NotConnected(unserved.unwrap_or_else(|| "there is no such target".into()))
        })
    }

    /// Why this node does not connect to a target; none: it does, or there is no such target.
    #[must_use]
    pub fn unserved(&self, target: &Target) -> Option<Unserved> {
        self.shared.targets.get(target)?.unserved.clone()
    }

    /// Submits a transaction, and waits for as long as it asks for. Given up by the caller, it goes
    /// on all the same.
    ///
    /// # Errors
    /// The node stops.
    pub async fn submit(&self, request: Request) -> Result<Reply, Busy> {
        if let Some(refusal) = self.not_served(&request) {
            return Ok(Reply::Refused(refusal));
        }
        let (id, by) = (request.id.clone(), request.answer_by);
        let verdict = validation::ahead(&self.shared.models, &self.view(), &request.body);
        let mut answer = pin!(self.ask(|answer| Asked::Submit(request, verdict, answer)));
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = self.past(by) => {}
        }
        // Whatever is in the log has been answered by now, or is about to be.
        if self.view().named(&id).is_some() { answer.await } else { Err(Busy::Unwritten) }
    }

    /// Comes when a time has passed; never, if there is none.
    async fn past(&self, by: Option<Timestamp>) {
        let Some(by) = by else { return pending().await };
        while self.now() < by {
            sleep_until(self.shared.clock.instant(by)).await;
        }
    }

    /// Calls a transaction off for whoever asks, and waits until that has taken effect. Where that is a revert, this is decided first and
    /// has its outcome a little later: whoever waits no longer than until `by` may see the one without the other.
    ///
    /// # Errors
    /// The node stops, or this takes longer than until `by`.
    pub async fn cancel(&self, index: Index, author: String, by: Instant) -> Result<Reply, Busy> {
        let reply = self.ask_until(by, |answer| Asked::Cancel(index, author, answer)).await?;
        if matches!(reply, Reply::Transaction { .. }) {
            let mut views = self.views();
            // Late, or stopped: it is called off all the same.
            let _ = timeout_at(by, views.wait_for(|view| is_taken_out(view, index))).await;
        }
        Ok(reply)
    }

    /// Confirms a change, and waits until that is in the store.
    ///
    /// # Errors
    /// The node stops, or this takes longer than until `by`.
    pub async fn confirm(&self, index: Index, by: Instant) -> Result<Reply, Busy> {
        self.ask_until(by, |answer| Asked::Confirm(index, answer)).await
    }

    /// Gives a change another time to be confirmed in, in nanoseconds from now, and waits until that is in
    /// the store.
    ///
    /// # Errors
    /// The node stops, or this takes longer than until `by`.
    pub async fn extend(&self, index: Index, length: u64, by: Instant) -> Result<Reply, Busy> {
        self.ask_until(by, |answer| Asked::Extend(index, length, answer)).await
    }

    /// Has something done with a target for whoever asks, and waits until it is in the store.
    ///
    /// # Errors
    /// The node stops, or this takes longer than until `by`.
    pub async fn operate(
        &self,
        target: Target,
        order: Order,
        author: String,
        by: Instant,
    ) -> Result<Reply, Busy> {
        self.ask_until(by, |answer| Asked::Operate(target, order, author, answer)).await
    }

    /// The order to take a device over from whoever else made it listen to them: their election id is smaller
    /// than this, if they are a Lockstep whose store was made before now.
    #[must_use]
    pub fn claim(&self) -> Order {
        Order::Claim(claim(self.shared.epoch, self.now()))
    }

    /// Whoever is answered that it took too long has left: the core is told by the next sweep.
    async fn ask_until(
        &self,
        by: Instant,
        asked: impl FnOnce(oneshot::Sender<Answer>) -> Asked,
    ) -> Answer {
        timeout_at(by, self.ask(asked)).await.unwrap_or(Err(Busy::Late))
    }

    async fn ask(&self, asked: impl FnOnce(oneshot::Sender<Answer>) -> Asked) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.shared.requests.send(asked(answer)).await.map_err(|_| Busy::Stopping)?;
        answered.await.map_err(|_| Busy::Stopping)?
    }

    /// A target of the request that this node has no models for, so there could be no verdict; or one whose
    /// device is to answer, and that nobody is connected to because of something that this node knows.
    fn not_served(&self, request: &Request) -> Option<Refusal> {
        if request.body.kind.is_of_target() {
            return None;
        }
        let view = self.view();
        let sync = request.until == Until::Outcome;
        view.asked_of(&request.body).into_iter().find_map(|target| {
            let entry = self.shared.targets.get(&target)?;
            let unserved = entry.unserved.as_ref()?;
            let needed = entry.spec.is_none() || (sync && view.master(&target).is_none());
            needed.then(|| refusal(&target, unserved))
        })
    }
}

fn refusal(target: &Target, unserved: &Unserved) -> Refusal {
    let word = match unserved.state {
        State::Paused => "paused",
        _ => "not served",
    };
    Refusal::NotServed(target.clone(), format!("{word}: {}", unserved.reason))
}

/// Who turns away an older master, as its master found it.
fn fencing(view: &View, target: &Target) -> Option<Fencing> {
    let device = view.header(target).fenced?;
    Some(if device { Fencing::Device } else { Fencing::StoreOnly })
}

/// Whether nothing is left to be taken out of a transaction that was called off.
fn is_taken_out(view: &View, index: Index) -> bool {
    let window = view.transaction(index).and_then(|found| found.window);
    match window.map(|window| window.stage) {
        Some(WindowStage::Open { .. }) => false,
        Some(WindowStage::Reverted) => {
            let reverts = |entry: &&Transaction| match entry.kind {
                Kind::Rollback { of, .. } => of == index && entry.is_revert(),
                _ => false,
            };
            let later = view.transactions_backwards();
            let mut later = later.take_while(|entry| entry.index > index);
            later.find(reverts).is_none_or(|revert| revert.status.is_final())
        }
        _ => true,
    }
}

//! Changes of what readers are served, told to every subscriber at the transaction that made them.
//!
//! ```text
//!   node: revision by revision ──► news: leaf by leaf, once for all ──► a bounded queue per subscriber
//! ```
//!
//! What a revision changed is worked out once, at the cost of the change, and only while somebody
//! subscribes. A subscriber whose queue is full is cut off: it is told so, and nothing piles up.

mod news;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_node::{Handle, Step};
use lockstep_protocol::View;
use lockstep_types::{Revision, Target};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use news::News;

/// Where subscribers join.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    shared: Arc<Shared>,
    /// How far the news are.
    reached: watch::Receiver<Revision>,
    /// How many news may wait for a subscriber.
    queue: usize,
}

#[derive(Debug)]
struct Shared {
    node: Handle,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// What members were told of last.
    view: Arc<View>,
    members: Vec<Member>,
    /// Nobody will be told anything any more.
    ended: bool,
}

/// A subscriber, as the hub sees it.
#[derive(Debug)]
struct Member {
    targets: BTreeSet<Target>,
    news: mpsc::Sender<Arc<News>>,
    cut: CancellationToken,
}

/// What a subscriber has of the hub.
#[derive(Debug)]
pub(crate) struct Membership {
    /// What stood when it joined; the news go on from there.
    pub(crate) view: Arc<View>,
    /// Closed: the node stops, or this is cut off.
    pub(crate) news: mpsc::Receiver<Arc<News>>,
    /// It was too slow.
    pub(crate) cut: CancellationToken,
}

impl Hub {
    /// Starts to follow a node, for as long as that runs and this is held.
    pub(crate) fn start(node: Handle, queue: usize) -> Self {
        let steps = node.follow();
        let view = node.view();
        let (reach, reached) = watch::channel(view.revision());
        let state = Mutex::new(State { view, members: Vec::new(), ended: false });
        let shared = Arc::new(Shared { node, state });
        tokio::spawn(run(Arc::downgrade(&shared), steps, reach));
        Self { shared, reached, queue }
    }

    /// Joins, no earlier than at a revision. None: the node stops.
    pub(crate) async fn join(
        &self,
        targets: BTreeSet<Target>,
        after: Revision,
    ) -> Option<Membership> {
        let mut reached = self.reached.clone();
        reached.wait_for(|revision| *revision >= after).await.ok()?;
        let (sender, news) = mpsc::channel(self.queue);
        let cut = CancellationToken::new();
        let mut state = self.shared.state();
        if state.ended {
            return None;
        }
        state.members.push(Member { targets, news: sender, cut: cut.clone() });
        Some(Membership { view: Arc::clone(&state.view), news, cut })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What members saw last; none if there are none, and then they see this.
    fn begin(&self, view: &Arc<View>) -> Option<Arc<View>> {
        let mut state = self.state();
        state.members.retain(|member| !member.news.is_closed());
        if state.members.is_empty() {
            state.view = Arc::clone(view);
            return None;
        }
        Some(Arc::clone(&state.view))
    }

    /// Tells every member what concerns it. Who joined since the work began needs it as well.
    fn tell(&self, view: Arc<View>, news: &[Arc<News>]) {
        let mut state = self.state();
        state.view = view;
        state.members.retain(|member| {
            let mut wanted = news.iter().filter(|news| news.concerns(&member.targets));
            let told = wanted.try_for_each(|news| member.news.try_send(Arc::clone(news)));
            if told.is_err() {
                member.cut.cancel();
            }
            told.is_ok()
        });
    }
}

async fn run(
    shared: std::sync::Weak<Shared>,
    mut steps: broadcast::Receiver<Arc<Step>>,
    reach: watch::Sender<Revision>,
) {
    loop {
        let step = steps.recv().await;
        let Some(shared) = shared.upgrade() else { return };
        let step = match step {
            Ok(step) => Some(step),
            // Then all is compared, and several transactions are told as one.
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "subscribers are told of several transactions as one");
                None
            }
            Err(RecvError::Closed) => return end(&shared),
        };
        let view = step.as_ref().map_or_else(|| shared.node.view(), |step| Arc::clone(&step.view));
        let revision = view.revision();
        if let Some(before) = shared.begin(&view) {
            let (node, after) = (shared.node.clone(), Arc::clone(&view));
            let work = move || news::between(&node, &before, &after, step.as_deref());
            match tokio::task::spawn_blocking(work).await {
                Ok(news) => shared.tell(view, &news),
                Err(error) => {
                    tracing::error!(%error, "what changed could not be worked out");
                    return end(&shared);
                }
            }
        }
        reach.send_replace(revision);
    }
}

/// Members see that their news end, and new ones are turned away.
fn end(shared: &Shared) {
    let mut state = shared.state();
    state.ended = true;
    state.members.clear();
}

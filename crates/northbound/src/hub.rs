//! Changes of what readers are served, told to every subscriber at the transaction that made them.
//!
//! ```text
//!   node: revision by revision ──► news: leaf by leaf, once for all ──► a bounded queue per subscriber
//! ```
//!
//! What a revision changed is worked out once, at the cost of the change, and only while somebody
//! subscribes; otherwise the node is not even followed. A subscriber whose queue is full is cut off: it is told so, and nothing piles up. So is everybody
//! if this falls behind the node itself: then nobody could be told transaction by transaction.

mod member;
mod news;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use lockstep_node::{Handle, Step};
use lockstep_protocol::View;
use lockstep_types::Revision;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;

use crate::workers::on_the_spot;
use member::Member;

pub(crate) use member::{Cut, Incoming, Interest, Membership, Queue, Why};
pub(crate) use news::{Bound, News};

/// Where subscribers join.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    shared: Arc<Shared>,
    /// How much may wait for a subscriber.
    queue: Queue,
}

struct Shared {
    node: Handle,
    /// Begins to follow the node.
    follow: Box<dyn Fn() -> Steps + Send + Sync>,
    state: Mutex<State>,
    /// The news went on, or ended.
    moved: watch::Sender<()>,
}

/// What the node does, step by step.
type Steps = broadcast::Receiver<Arc<Step>>;

#[derive(Debug, Default)]
struct State {
    /// What members were told of last; none: nobody needs to be told, and the node is not followed.
    view: Option<Arc<View>>,
    members: Vec<Member>,
    /// Nobody will be told anything any more.
    ended: bool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Hub {
    /// Follows a node while there are members.
    pub(crate) fn new(node: Handle, queue: Queue) -> Self {
        let followed = node.clone();
        Self::of(node, Box::new(move || followed.follow()), queue)
    }

    fn of(node: Handle, follow: Box<dyn Fn() -> Steps + Send + Sync>, queue: Queue) -> Self {
        let (state, moved) = (Mutex::default(), watch::Sender::default());
        Self { shared: Arc::new(Shared { node, follow, state, moved }), queue }
    }

    /// Joins, no earlier than at a revision. None: the node stops.
    pub(crate) async fn join(&self, interest: Interest, after: Revision) -> Option<Membership> {
        let shared = &self.shared;
        shared.node.views().wait_for(|view| view.revision() >= after).await.ok()?;
        let mut moved = shared.moved.subscribe();
        loop {
            if let Some(membership) = shared.join(&interest, self.queue, after)? {
                return Some(membership);
            }
            // The news are behind the node.
            moved.changed().await.ok()?;
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a member, if the news have come so far; the first one begins them. None: there will be none any more.
    #[allow(clippy::option_option, reason = "not yet, and never")]
    fn join(
        self: &Arc<Self>,
        interest: &Interest,
        queue: Queue,
        after: Revision,
    ) -> Option<Option<Membership>> {
        let mut state = self.state();
        if state.ended {
            return None;
        }
        let view = Arc::clone(state.view.get_or_insert_with(|| {
            // First, so that nothing is missed between the view and what follows it.
            tokio::spawn(run(Arc::downgrade(self), (self.follow)()));
            self.node.view()
        }));
        if view.revision() < after {
            return Some(None);
        }
        let (member, membership) = member::new(interest.clone(), queue, view);
        state.members.push(member);
        Some(Some(membership))
    }

    /// Tells of a step of the node. Whether anybody is left to be told of the next.
    async fn hear(&self, step: Result<Arc<Step>, RecvError>) -> bool {
        let step = match step {
            Ok(step) => step,
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "revisions were missed; subscribers are cut off");
                self.missed();
                return false;
            }
            Err(RecvError::Closed) => {
                self.end();
                return false;
            }
        };
        let Some(before) = self.told() else { return false };
        if step.view.revision() < before.revision() {
            // It was under way when this began to follow.
            return true;
        }
        let view = Arc::clone(&step.view);
        match worked_out(self.node.clone(), before, step).await {
            Some(news) => self.tell(view, &news),
            None => {
                tracing::error!("what changed could not be worked out");
                self.end();
                return false;
            }
        }
        true
    }

    /// What members saw last; none if there are none, and then the node is not followed any more.
    fn told(&self) -> Option<Arc<View>> {
        let mut state = self.state();
        state.members.retain(|member| !member.is_gone());
        if state.members.is_empty() {
            state.view = None;
        }
        state.view.clone()
    }

    /// Tells every member what concerns it. Who joined since the work began needs it as well.
    fn tell(&self, view: Arc<View>, news: &[Arc<News>]) {
        let mut state = self.state();
        state.view = Some(view);
        state.members.retain_mut(|member| news.iter().all(|news| member.tell(news)));
    }

    /// Some revisions were missed: nobody can be told of them one by one, and whoever comes now begins anew.
    fn missed(&self) {
        let mut state = self.state();
        state.view = None;
        for member in state.members.drain(..) {
            member.cut_off(Why::Missed);
        }
    }

    /// Members see that their news end, and new ones are turned away.
    fn end(&self) {
        *self.state() = State { ended: true, ..State::default() };
    }
}

/// Follows the node while there are members.
async fn run(shared: Weak<Shared>, mut steps: Steps) {
    let mut goes_on = true;
    while goes_on {
        let step = steps.recv().await;
        let Some(shared) = shared.upgrade() else { return };
        goes_on = shared.hear(step).await;
        shared.moved.send_replace(());
    }
}

/// What a step changed; none: a fault in there.
async fn worked_out(node: Handle, before: Arc<View>, step: Arc<Step>) -> Option<Vec<Arc<News>>> {
    let little = news::is_little(&before, &step);
    let work = move || news::between(&node, &before, &step);
    match little {
        true => on_the_spot(work).ok(),
        false => tokio::task::spawn_blocking(work).await.ok(),
    }
}

#[cfg(test)]
mod tests;

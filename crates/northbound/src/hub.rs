//! Changes of what readers are served, told to every subscriber at the transaction that made them.
//!
//! ```text
//!   node: revision by revision ──► news: leaf by leaf, once for all ──► a bounded queue per subscriber
//! ```
//!
//! What a revision changed is worked out once, at the cost of the change, and only while somebody
//! subscribes. A subscriber whose queue is full is cut off: it is told so, and nothing piles up. So is everybody
//! if this falls behind the node itself: then nobody could be told transaction by transaction.

mod member;
mod news;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_node::{Handle, Step};
use lockstep_protocol::View;
use lockstep_types::Revision;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch;

use member::Member;

pub(crate) use member::{Cut, Incoming, Interest, Membership, Queue, Why};
pub(crate) use news::{Bound, News};

/// Where subscribers join.
#[derive(Clone, Debug)]
pub(crate) struct Hub {
    shared: Arc<Shared>,
    /// How far the news are.
    reached: watch::Receiver<Revision>,
    /// How much may wait for a subscriber.
    queue: Queue,
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

impl Hub {
    /// Starts to follow a node, for as long as that runs and this is held.
    pub(crate) fn start(node: Handle, queue: Queue) -> Self {
        let steps = node.follow();
        Self::following(node, steps, queue)
    }

    fn following(node: Handle, steps: broadcast::Receiver<Arc<Step>>, queue: Queue) -> Self {
        let view = node.view();
        let (reach, reached) = watch::channel(view.revision());
        let state = Mutex::new(State { view, members: Vec::new(), ended: false });
        let shared = Arc::new(Shared { node, state });
        tokio::spawn(run(Arc::downgrade(&shared), steps, reach));
        Self { shared, reached, queue }
    }

    /// Joins, no earlier than at a revision. None: the node stops.
    pub(crate) async fn join(&self, interest: Interest, after: Revision) -> Option<Membership> {
        let mut reached = self.reached.clone();
        reached.wait_for(|revision| *revision >= after).await.ok()?;
        let mut state = self.shared.state();
        if state.ended {
            return None;
        }
        let (member, membership) = member::new(interest, self.queue, Arc::clone(&state.view));
        state.members.push(member);
        Some(membership)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What members saw last; none if there are none, and then they see this.
    fn begin(&self, view: &Arc<View>) -> Option<Arc<View>> {
        let mut state = self.state();
        state.members.retain(|member| !member.is_gone());
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
        state.members.retain_mut(|member| news.iter().all(|news| member.tell(news)));
    }

    /// Some revisions were missed: nobody can be told of them one by one, and whoever comes now begins here.
    fn missed(&self, view: Arc<View>) {
        let mut state = self.state();
        state.view = view;
        for member in state.members.drain(..) {
            member.cut_off(Why::Missed);
        }
    }

    /// Whether a step is behind what members know: it was under way when this began to follow.
    fn is_past(&self, view: &View) -> bool {
        view.revision() < self.state().view.revision()
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
            Ok(step) if shared.is_past(&step.view) => continue,
            Ok(step) => step,
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "revisions were missed; subscribers are cut off");
                let view = shared.node.view();
                let revision = view.revision();
                shared.missed(view);
                reach.send_replace(revision);
                continue;
            }
            Err(RecvError::Closed) => return end(&shared),
        };
        let view = Arc::clone(&step.view);
        let revision = view.revision();
        if let Some(before) = shared.begin(&view) {
            let node = shared.node.clone();
            let work = move || news::between(&node, &before, &step);
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

#[cfg(test)]
mod tests;

//! Configuration that is told from time to time: samples, and heartbeats of what is told on change.

use std::collections::BTreeMap;
use std::sync::Arc;

use lockstep_node::{Handle, Pace, TargetSpec};
use lockstep_protocol::View;
use lockstep_types::Target;
use std::time::Duration;
use tokio::time::Instant;
use tonic::Status;

use super::list::{self, Subscription};
use super::pass::{self, Spots};
use super::tell::Tale;

/// One subscription that has times of its own.
#[derive(Debug)]
pub(super) struct Sample {
    spots: BTreeMap<Target, Spots>,
    every: Duration,
    /// Whether only what changed is told; then all of it once in a while.
    changed: bool,
    heartbeat: Option<Duration>,
    due: Instant,
    whole: Option<Instant>,
    /// What was told last.
    view: Arc<View>,
}

impl Sample {
    /// None: it is told when something changes, and only then.
    pub(super) fn new(subscription: &Subscription, view: &Arc<View>) -> Option<Self> {
        let (every, changed) = match (subscription.pace, subscription.heartbeat) {
            (Pace::Sample { every, changed }, _) => (list::every(every), changed),
            (Pace::OnChange | Pace::Device, Some(heartbeat)) => (heartbeat, false),
            (Pace::OnChange | Pace::Device, None) => return None,
        };
        let now = Instant::now();
        Some(Self {
            spots: pass::by_target(std::iter::once(subscription)),
            every,
            changed,
            heartbeat: subscription.heartbeat,
            due: now + every,
            whole: subscription.heartbeat.map(|heartbeat| now + heartbeat),
            view: Arc::clone(view),
        })
    }

    /// From now on it is of the targets that its subscription is of by now.
    pub(super) fn renew(&mut self, subscription: &Subscription) {
        self.spots = pass::by_target(std::iter::once(subscription));
    }

    /// When it is time.
    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// What is to be told now, and when to come back.
    pub(super) fn take(&mut self, now: Instant, view: &Arc<View>) -> Work {
        let whole = !self.changed || self.whole.is_some_and(|at| at <= now);
        if whole {
            self.whole = self.heartbeat.map(|heartbeat| now + heartbeat);
        }
        // What was missed while the client was slow is not made up for.
        self.due = now + self.every;
        let before = std::mem::replace(&mut self.view, Arc::clone(view));
        Work { spots: self.spots.clone(), before, after: Arc::clone(view), whole }
    }
}

/// A sample to be taken; away from the threads that serve, as it may be large.
#[derive(Debug)]
pub(super) struct Work {
    spots: BTreeMap<Target, Spots>,
    before: Arc<View>,
    after: Arc<View>,
    whole: bool,
}

impl Work {
    pub(super) fn run(self, node: &Handle) -> Result<Vec<(Arc<TargetSpec>, Tale)>, Status> {
        let mut tales = Vec::new();
        for (target, spots) in &self.spots {
            let Some(spec) = node.target(target) else { continue };
            let (was, is) = (self.before.visible(target), self.after.visible(target));
            if !self.whole && was == is {
                continue;
            }
            let was = pass::configured(&spec, &was, spots)?;
            let is = pass::configured(&spec, &is, spots)?;
            let deletes = was.keys().filter(|path| !is.contains_key(*path)).cloned().collect();
            let mut updates: Vec<_> = is.into_iter().collect();
            if !self.whole {
                updates.retain(|(path, content)| was.get(path) != Some(content));
            }
            tales.push((spec, Tale { updates, deletes }));
        }
        Ok(tales)
    }
}

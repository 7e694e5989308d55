//! One subscription of a STREAM: what was told, and when to tell more.

use lockstep_types::Path;
use tokio::time::Instant;

use super::list::{Subscription, When};
use super::view::{Seen, View};

/// What is to be told.
#[derive(Debug, Default)]
pub(super) struct News {
    pub(super) deletes: Vec<Path>,
    pub(super) updates: Vec<(Path, Seen)>,
}

/// One subscription.
#[derive(Debug)]
pub(super) struct Watch {
    when: When,
    /// What was told last.
    view: View,
    /// When it was sampled last.
    sampled: Instant,
    /// When everything was told last.
    whole: Instant,
}

impl Watch {
    pub(super) fn new(subscription: &Subscription) -> Self {
        let now = Instant::now();
        Self { when: subscription.when, view: View::new(), sampled: now, whole: now }
    }

    pub(super) fn is_on_change(&self) -> bool {
        matches!(self.when, When::OnChange { .. })
    }

    /// When to look again without a change.
    pub(super) fn due(&self) -> Option<Instant> {
        match self.when {
            When::OnChange { heartbeat } => heartbeat.map(|every| self.whole + every),
            When::Sample { every, .. } => Some(self.sampled + every),
        }
    }

    /// Everything.
    pub(super) fn all(&mut self, view: &View) -> News {
        self.whole = Instant::now();
        let updates = view.iter().map(|(path, seen)| (path.clone(), seen.clone())).collect();
        News { updates, deletes: self.gone(view) }
    }

    /// What is not as it was told last.
    pub(super) fn changed(&self, view: &View) -> News {
        let changed = view.iter().filter(|(path, seen)| self.view.get(path) != Some(seen));
        let updates = changed.map(|(path, seen)| (path.clone(), seen.clone())).collect();
        News { updates, deletes: self.gone(view) }
    }

    /// What is told when the time has come.
    pub(super) fn sampled(&mut self, view: &View, now: Instant) -> News {
        match self.when {
            When::Sample { changed: true, heartbeat, .. }
                if heartbeat.is_none_or(|every| now < self.whole + every) =>
            {
                self.changed(view)
            }
            _ => self.all(view),
        }
    }

    /// What was told is this, by a sample.
    pub(super) fn told(&mut self, view: View, now: Instant) {
        self.view = view;
        self.sampled = now;
    }

    /// What was told is this, by a change.
    pub(super) fn seen(&mut self, view: View) {
        self.view = view;
    }

    /// What is there no more; of what went with an entry, only the entry.
    fn gone(&self, view: &View) -> Vec<Path> {
        let mut gone: Vec<Path> = Vec::new();
        for (path, _) in self.view.iter().filter(|(path, _)| !view.contains_key(path)) {
            // What lies under a path follows it.
            if !gone.last().is_some_and(|last| last.is_prefix_of(path)) {
                gone.push(path.clone());
            }
        }
        gone
    }
}

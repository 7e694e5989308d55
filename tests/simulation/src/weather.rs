//! What a node meets outside: whether it lives, whether the store answers it, what its clock shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::signal::Signal;

/// How things stand for one start of a node. Clones are the same.
#[derive(Clone, Debug)]
pub struct Weather {
    state: Arc<Signal<State>>,
    /// How far its clock is ahead, in milliseconds.
    skew: Arc<AtomicI64>,
}

/// How things stand.
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// It was killed: nothing it asks for is ever answered.
    pub dead: bool,
    /// The store does not answer for now.
    pub stalled: bool,
    /// So many calls to the store out of a hundred fail.
    pub failing: usize,
    /// The store tells it late of what was written, by up to so many milliseconds.
    pub late: u64,
    /// The store does not go on telling it of what is written.
    pub broken: bool,
}

impl Weather {
    /// Fine weather, with a clock that is ahead by this.
    #[must_use]
    pub fn new(skew: Arc<AtomicI64>) -> Self {
        Self { state: Arc::default(), skew }
    }

    /// How things stand now.
    #[must_use]
    pub fn now(&self) -> State {
        self.state.look(|state| *state)
    }

    /// Changes it.
    pub fn change(&self, change: impl FnOnce(&mut State)) {
        self.state.change(change);
    }

    /// Comes back when the store answers; never for a node that was killed.
    pub async fn clear(&self) {
        self.state.until(|state| !state.stalled && !state.dead).await;
    }

    /// Comes back when the node was killed.
    pub async fn death(&self) {
        self.state.until(|state| state.dead).await;
    }

    /// Comes back when nobody tells it of what is written any more.
    pub async fn silence(&self) {
        self.state.until(|state| state.broken).await;
    }

    /// A wall clock that is ahead of this one, or behind.
    #[must_use]
    pub fn skewed(&self, time: Duration) -> Duration {
        let skew = self.skew.load(Ordering::Relaxed);
        let by = Duration::from_millis(skew.unsigned_abs());
        if skew < 0 { time.saturating_sub(by) } else { time + by }
    }
}

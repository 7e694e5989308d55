//! Everything that is left to chance, from one seed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A source of chance. Clones are the same source; what is [forked](Chance::fork) goes its own way.
#[derive(Clone, Debug)]
pub struct Chance(Arc<Mutex<fastrand::Rng>>);

impl Chance {
    /// The source of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(fastrand::Rng::with_seed(seed))))
    }

    /// Another source: what is drawn from one does not change what the other gives.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::new(self.with(|rng| rng.u64(..)))
    }

    /// Below this.
    pub fn below(&self, end: usize) -> usize {
        self.with(|rng| rng.usize(..end.max(1)))
    }

    /// So many times out of a hundred.
    pub fn percent(&self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub fn one<'a, T>(&self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// A time between these two, in milliseconds.
    pub fn time(&self, from: u64, to: u64) -> Duration {
        Duration::from_millis(self.with(|rng| rng.u64(from..=to)))
    }

    fn with<T>(&self, draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        draw(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

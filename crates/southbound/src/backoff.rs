//! How long to wait before something is tried again, and chance.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// The first wait. Short, because most connections that end come back at once.
const SHORTEST: Duration = Duration::from_millis(200);
/// The longest wait: a device that comes back after hours is found within this time.
const LONGEST: Duration = Duration::from_secs(30);

/// Waits that double with each failure in a row.
///
/// Each is a part of its full length, between half and all of it, so that a thousand devices behind one broken switch
/// are not tried in step when it is back. Which part is left to chance, or follows from the name of what is tried, so
/// that a run can be repeated.
#[derive(Debug)]
pub(crate) struct Backoff {
    name: u64,
    failures: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { name: random(), failures: 0 }
    }
}

impl Backoff {
    /// The waits before tries of this.
    pub(crate) fn of(name: &str) -> Self {
        Self { name: hash(name), failures: 0 }
    }

    /// The wait before the next try.
    pub(crate) fn next(&mut self) -> Duration {
        let full = SHORTEST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        full.mul_f64(0.5 + part(hash((self.name, self.failures))) / 2.0)
    }

    /// A connection proved useful: the next wait is the shortest again.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// A connection that was up for so long was no failure, whether or not anything was asked on it.
    pub(crate) fn is_long(up: Duration) -> bool {
        up >= LONGEST
    }
}

/// A random number from 0 to 1. The keys of the standard library's hash maps are random, and that is
/// enough to spread waits.
pub(crate) fn chance() -> f64 {
    part(random())
}

fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A number from 0 to 1.
fn part(of: u64) -> f64 {
    u32::try_from(of >> 32).map_or(0.5, f64::from) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_start_over() {
        let mut backoff = Backoff::of("leaf1");
        let mut full = SHORTEST;
        for _ in 0..40 {
            let wait = backoff.next();
            assert!(wait >= full / 2 && wait <= full, "{wait:?} is no part of {full:?}");
            full = (full * 2).min(LONGEST);
        }
        backoff.reset();
        assert!(backoff.next() <= SHORTEST);
    }

    #[test]
    fn two_waits_differ() {
        let wait = |number: u32| Backoff::of(&format!("leaf{number}")).next();
        let waits: Vec<Duration> = (0..8).map(wait).collect();
        assert!(waits.iter().any(|wait| *wait != waits[0]), "{waits:?}");
    }
}

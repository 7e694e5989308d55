//! When the next change is due.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// How long a clock that gives out turns sleeps at the most before it looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

/// Numbers the changes, and says when each is due.
#[derive(Debug)]
pub(super) struct Pace {
    begun: Instant,
    /// What is due before this is warm-up.
    from: Instant,
    ended: OnceLock<Instant>,
    next: AtomicU64,
    /// With a rate: how far apart changes are, and a permit for each that is due.
    rate: Option<(Duration, Semaphore)>,
}

/// A change to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Which.
    pub(super) number: u64,
    /// Since when it is due.
    pub(super) due: Instant,
}

impl Pace {
    /// Begins now.
    pub(super) fn begin(warm_up: Duration, rate: Option<f64>) -> Arc<Self> {
        let begun = Instant::now();
        let rate = rate.map(|rate| (Duration::from_secs_f64(1.0 / rate), Semaphore::new(0)));
        let timed = rate.is_some();
        let pace = Arc::new(Self {
            begun,
            from: begun + warm_up,
            ended: OnceLock::new(),
            next: AtomicU64::new(0),
            rate,
        });
        if timed {
            // A thread of its own: it sleeps to within a fraction of a millisecond, which the timers of tasks do not.
            let clock = Arc::clone(&pace);
            std::thread::spawn(move || clock.tick());
        }
        pace
    }

    /// Gives out a permit for each change when it is due.
    fn tick(&self) {
        let Some((_, permits)) = &self.rate else { return };
        let mut given = 0;
        while self.ended.get().is_none() {
            let due = self.due_by(Instant::now());
            if let Ok(more) = usize::try_from(due - given) {
                permits.add_permits(more);
            }
            given = due;
            let next = self.due(given).saturating_duration_since(Instant::now());
            std::thread::sleep(next.min(LOOK));
        }
    }

    /// When a change is due, with a rate.
    fn due(&self, number: u64) -> Instant {
        let every = self.rate.as_ref().map_or(Duration::ZERO, |(every, _)| *every);
        let nanos = every.as_nanos().saturating_mul(number.into());
        self.begun + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// How many are due by then, with a rate.
    fn due_by(&self, then: Instant) -> u64 {
        let Some((every, _)) = &self.rate else { return 0 };
        let passed = then.saturating_duration_since(self.begun).as_nanos();
        u64::try_from(passed / every.as_nanos().max(1)).unwrap_or(u64::MAX).saturating_add(1)
    }

    /// Waits for the next turn; none: it is over.
    pub(super) async fn turn(&self) -> Option<Turn> {
        if self.ended.get().is_some() {
            return None;
        }
        let Some((_, permits)) = &self.rate else {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            return Some(Turn { number, due: Instant::now() });
        };
        permits.acquire().await.ok()?.forget();
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Some(Turn { number, due: self.due(number) })
    }

    /// Nothing is due from now on.
    pub(super) fn end(&self) {
        let _first = self.ended.set(Instant::now());
        if let Some((_, permits)) = &self.rate {
            permits.close();
        }
    }

    /// Whether it is over.
    pub(super) fn is_over(&self) -> bool {
        self.ended.get().is_some()
    }

    /// Whether something that was due then counts.
    pub(super) fn counts(&self, due: Instant) -> bool {
        due >= self.from
    }

    /// How long it has been measured.
    pub(super) fn measured(&self) -> Duration {
        let until = self.ended.get().copied().unwrap_or_else(Instant::now);
        until.saturating_duration_since(self.from)
    }

    /// How long those have waited, at the end, that were due and that nobody came to send.
    pub(super) fn missed(&self) -> Vec<Duration> {
        let Some(ended) = self.ended.get() else { return Vec::new() };
        let numbers = self.next.load(Ordering::Relaxed)..self.due_by(*ended);
        let dues = numbers.map(|number| self.due(number)).filter(|due| self.counts(*due));
        dues.map(|due| ended.saturating_duration_since(due)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_rate_the_next_is_due_at_once() {
        let pace = Pace::begin(Duration::ZERO, None);
        let (first, second) = (pace.turn().await.unwrap(), pace.turn().await.unwrap());
        assert_eq!((first.number, second.number), (0, 1));
        assert!(pace.counts(first.due) && first.due <= second.due);
        pace.end();
        assert_eq!(pace.turn().await, None);
        assert_eq!(pace.missed(), []);
    }

    #[tokio::test]
    async fn with_a_rate_each_is_due_in_its_turn_whoever_comes_late() {
        let pace = Pace::begin(Duration::ZERO, Some(1000.0));
        let first = pace.turn().await.unwrap();
        // Nobody came for a while.
        while pace.begun.elapsed() < Duration::from_millis(20) {
            tokio::task::yield_now().await;
        }
        let second = pace.turn().await.unwrap();
        assert_eq!(second.due - first.due, Duration::from_millis(1));
        pace.end();
        assert_eq!(pace.turn().await, None);
        let missed = pace.missed();
        assert!(missed.len() >= 18, "{missed:?}");
        assert!(missed[0] > *missed.last().unwrap());
    }

    #[tokio::test]
    async fn what_is_due_during_the_warm_up_does_not_count() {
        let pace = Pace::begin(Duration::from_secs(3600), Some(1000.0));
        assert!(!pace.counts(pace.turn().await.unwrap().due));
        pace.end();
        assert_eq!((pace.missed(), pace.measured()), (Vec::new(), Duration::ZERO));
    }
}

//! The only clock of the node: wall time that never goes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use lockstep_types::Timestamp;
use tokio::time::Instant;

/// Wall time as the system knows it by now; where that is set back, the time stands still until it has
/// caught up. Clones are the same clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    latest: Arc<AtomicU64>,
}

impl Clock {
    /// The time now.
    pub(crate) fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let wall = nanoseconds(since);
        let latest = self.latest.fetch_max(wall, Ordering::Relaxed);
        Timestamp::new(wall.max(latest))
    }

    /// When a time comes, on the runtime's own clock. To be asked again after a wait: the wall clock
    /// may have been set meanwhile.
    pub(crate) fn instant(&self, at: Timestamp) -> Instant {
        let wait = at.get().saturating_sub(self.now().get());
        let now = Instant::now();
        now.checked_add(Duration::from_nanos(wait).min(LONGEST)).unwrap_or(now)
    }
}

/// A wall clock that is set forward must not be noticed a day late.
const LONGEST: Duration = Duration::from_secs(1);

/// The whole of it in nanoseconds, or as many as there are.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn time_never_goes_back() {
        let clock = Clock::default();
        let first = clock.now();
        // As if the system's clock had been set back by an hour.
        clock.latest.fetch_add(3_600_000_000_000, std::sync::atomic::Ordering::Relaxed);
        let later = clock.now();
        assert!(later > first);
        assert_eq!(clock.now(), later);
    }
}

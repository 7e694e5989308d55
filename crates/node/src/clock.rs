//! The only clock of the node: a wall clock that neither goes back nor stands still, nor leaps.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use lockstep_types::Timestamp;
use tokio::time::Instant;

/// Wall time as the system knows it by now; where that is set back, the time that was goes on at its own
/// pace. It must not stand still: leases and deadlines would last until the wall clock has caught up. Nor is a wall
/// clock followed that is suddenly far ahead: what is written once is the time of the whole log from then on, and
/// all of its past would be old. Clones are the same clock.
#[derive(Clone)]
pub struct Clock {
    /// What the wall clock shows, since the beginning of 1970.
    wall: Arc<dyn Fn() -> Duration + Send + Sync>,
    begun: Instant,
    /// What is added to the time since it began; it only grows.
    ahead: Arc<AtomicU64>,
    /// The wall clock is too far ahead to be followed.
    leapt: Arc<AtomicBool>,
}

impl Default for Clock {
    /// The clock of the system.
    fn default() -> Self {
        Self::of(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("begun", &self.begun).finish_non_exhaustive()
    }
}

impl Clock {
    /// A clock that goes by this one, which shows the time since the beginning of 1970.
    pub fn of(wall: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        // What it shows at the start has to be believed.
        let ahead = Arc::new(AtomicU64::new(nanoseconds(wall())));
        let (wall, begun, leapt) = (Arc::new(wall), Instant::now(), Arc::default());
        Self { wall, begun, ahead, leapt }
    }

    /// The time now.
    pub(crate) fn now(&self) -> Timestamp {
        let (own, wall) = (self.not_before(Timestamp::new(0)), nanoseconds((self.wall)()));
        let leaps = wall > own.after(LEAP).get();
        if self.leapt.swap(leaps, Ordering::Relaxed) != leaps && leaps {
            let by = Duration::from_nanos(wall - own.get());
            tracing::error!(
                ?by,
                "the system's clock leapt ahead: it is not followed; set it right, or start the node again if it is"
            );
        }
        if leaps { own } else { self.not_before(Timestamp::new(wall)) }
    }

    /// The time now, which this time has come by. From here on it goes on from there.
    pub(crate) fn not_before(&self, time: Timestamp) -> Timestamp {
        let gone = nanoseconds(self.begun.elapsed());
        let wanted = time.get().saturating_sub(gone);
        let ahead = self.ahead.fetch_max(wanted, Ordering::Relaxed).max(wanted);
        Timestamp::new(ahead.saturating_add(gone))
    }

    /// When a time comes, on the runtime's own clock. To be asked again after a wait: the wall clock
    /// may have been set meanwhile.
    pub(crate) fn instant(&self, at: Timestamp) -> Instant {
        let wait = at.get().saturating_sub(self.now().get());
        let now = Instant::now();
        now.checked_add(Duration::from_nanos(wait).min(LONGEST)).unwrap_or(now)
    }
}

/// What a wall clock may be ahead of the node's time, in nanoseconds, to be followed: five minutes. More is no
/// correction of a clock that goes slowly.
const LEAP: u64 = 300_000_000_000;

/// A wall clock that is set forward must not be noticed a day late.
const LONGEST: Duration = Duration::from_secs(1);

/// The whole of it in nanoseconds, or as many as there are.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::Clock;

    /// A wall clock that shows these seconds.
    fn set() -> (Arc<AtomicU64>, Clock) {
        let shown = Arc::new(AtomicU64::new(1_000_000_000));
        let wall = Arc::clone(&shown);
        (shown, Clock::of(move || Duration::from_secs(wall.load(Ordering::Relaxed))))
    }

    fn seconds(clock: &Clock) -> u64 {
        clock.now().get() / 1_000_000_000
    }

    const YEAR: u64 = 365 * 86_400;

    #[test]
    fn a_wall_clock_that_is_a_year_ahead_is_not_followed() {
        let (wall, clock) = set();
        let before = seconds(&clock);
        wall.fetch_add(YEAR, Ordering::Relaxed);
        assert!((before..before + 60).contains(&seconds(&clock)), "it goes on at its own pace");
        // Set right, it is followed again.
        wall.fetch_sub(YEAR - 120, Ordering::Relaxed);
        assert!((before + 120..before + 180).contains(&seconds(&clock)));
    }

    #[test]
    fn the_time_of_the_log_is_followed_however_far_ahead_it_is() {
        let (_, clock) = set();
        let later = clock.now().after(YEAR * 1_000_000_000);
        assert!(clock.not_before(later) >= later && clock.now() >= later);
    }

    const HOUR: u64 = 3_600_000_000_000;

    #[test]
    fn time_goes_on_where_the_wall_clock_is_set_back() {
        let clock = Clock::default();
        let first = clock.now();
        // As if the system's clock had been ahead by an hour just now, and were set back.
        let ahead = clock.not_before(first.after(HOUR));
        assert!(ahead >= first.after(HOUR));
        let since = clock.begun.elapsed();
        while clock.begun.elapsed() == since {
            std::hint::spin_loop();
        }
        let later = clock.now();
        assert!(later > ahead);
        assert!(clock.clone().not_before(first) >= later, "what was is no news");
    }
}

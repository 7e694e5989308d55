//! The only clock of the node: wall time that never goes back.

use std::time::{Duration, SystemTime};

use lockstep_types::Timestamp;
use tokio::time::Instant;

/// Wall time, read once at the start and carried on by the monotonic clock, so that a clock that is
/// set back while the node runs moves no deadline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    wall: Timestamp,
    origin: Instant,
}

impl Clock {
    /// A clock that starts from the wall time of now.
    #[must_use]
    pub(crate) fn new() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { wall: Timestamp::new(nanoseconds(since)), origin: Instant::now() }
    }

    /// The time now.
    #[must_use]
    pub(crate) fn now(&self) -> Timestamp {
        self.wall.after(nanoseconds(self.origin.elapsed()))
    }

    /// When a time comes, on the runtime's own clock.
    #[must_use]
    pub(crate) fn instant(&self, at: Timestamp) -> Instant {
        let wait = at.get().saturating_sub(self.wall.get());
        self.origin.checked_add(Duration::from_nanos(wait)).unwrap_or(self.origin)
    }
}

/// The whole of it in nanoseconds, or as many as there are.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

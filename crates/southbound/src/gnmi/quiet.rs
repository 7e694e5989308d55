//! Devices that take signs of life for an attack.
//!
//! Servers of gRPC may end a connection on which a client pings while nothing is under way, and many
//! are built so: after the third ping, unless they were told otherwise. Such a device would be
//! disconnected over and over, and read again each time. So once a connection ends as this makes it
//! end, idle connections to that device are left to TCP's own keepalive, which notices a host that
//! is gone, if not a process that hangs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::wire::End;

/// Whether a device is to be left in peace; shared by its driver and its lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Calm(Arc<AtomicBool>);

impl Calm {
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long nothing has been asked on a connection.
#[derive(Debug)]
pub(super) struct Quiet {
    since: Mutex<Instant>,
    keepalive: Duration,
    calm: Calm,
}

impl Quiet {
    pub(super) fn new(keepalive: Duration, calm: Calm) -> Self {
        Self { since: Mutex::new(Instant::now()), keepalive, calm }
    }

    /// From now on.
    pub(super) fn begins(&self) {
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// The connection ended. A restart may by chance look the same, and then costs little: a hung
    /// device is noticed by the next request instead of a ping.
    pub(super) fn ended(&self, end: &End) {
        let since = *self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if *end == End::Device && is_like_too_many_pings(since.elapsed(), self.keepalive) {
            tracing::info!("the device closed an idle connection, perhaps for our signs of life");
            self.calm.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Three pings are too many, and the first may not count; a ping goes out each `keepalive`.
fn is_like_too_many_pings(quiet: Duration, keepalive: Duration) -> bool {
    quiet >= keepalive.mul_f64(2.8) && quiet <= keepalive.mul_f64(5.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEEPALIVE: Duration = Duration::from_secs(20);

    /// Whether calm is wanted after a connection that ended so after so many seconds of quiet.
    async fn wanted_after(quiet: u64, end: End) -> bool {
        let calm = Calm::default();
        let line = Quiet::new(KEEPALIVE, calm.clone());
        tokio::time::advance(KEEPALIVE * 3).await;
        line.begins();
        tokio::time::advance(Duration::from_secs(quiet)).await;
        line.ended(&end);
        calm.is_wanted()
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_after_some_pings_looks_like_too_many() {
        for quiet in [60, 80, 100] {
            assert!(wanted_after(quiet, End::Device).await, "{quiet}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn any_other_end_does_not() {
        for quiet in [5, 40, 200] {
            assert!(!wanted_after(quiet, End::Device).await, "{quiet}");
        }
        for end in [End::Ours, End::Silence, End::Broken("reset".into())] {
            assert!(!wanted_after(80, end).await);
        }
    }
}

//! Reading what a device holds to see whether it was changed.

use std::time::Duration;

use lockstep_protocol::Answer;
use lockstep_types::{Configuration, Path};
use tokio::time::{sleep, timeout};

use super::pace::room;
use super::{GnmiLine, Tell};
use crate::backoff::{Backoff, chance};
use crate::{Notice, Watch};

/// So often in a row it is read again because the node changed it meanwhile.
const READS: u32 = 5;

impl GnmiLine {
    /// All that the device holds, as soon as it says so. What the node changes meanwhile is told by the
    /// stream, right after this.
    pub(super) async fn all(&self, watch: &Watch) -> Notice {
        let mut backoff = Backoff::default();
        loop {
            self.busy.is_over().await;
            if let Some(held) = self.held().await {
                return watch.all(held);
            }
            sleep(backoff.next()).await;
        }
    }

    /// Reads from time to time, the first time soon: something may have been missed.
    pub(super) async fn reads(&self, watch: &Watch, tell: &Tell) {
        sleep(self.drift_interval.mul_f64(chance())).await;
        loop {
            let Ok(place) = room(tell).await else { return };
            if let Some(held) = self.held_now().await {
                place.send(watch.all(held));
            }
            sleep(about(self.drift_interval)).await;
        }
    }

    /// All that the device holds, when the node wants nothing of it; none if it does not say, or is
    /// changed by the node over and over.
    async fn held_now(&self) -> Option<Configuration> {
        let mut backoff = Backoff::default();
        for _ in 0..READS {
            let before = self.busy.is_over().await;
            let held = self.held().await?;
            // Else nobody knows whether this is from before or after.
            if self.busy.changes() == before {
                return Some(held);
            }
            sleep(backoff.next()).await;
        }
        None
    }

    async fn held(&self) -> Option<Configuration> {
        let read = timeout(self.timeout, self.get(&Path::root())).await.ok();
        self.quiet.begins();
        read?
            .inspect_err(|answer| {
                // The words may quote values.
                let code = match answer {
                    Answer::Refused(failure) => failure.code.as_str(),
                    _ => "not answered",
                };
                tracing::debug!(address = self.address, code, "not read to see whether it drifted");
            })
            .ok()
    }
}

/// This long, a quarter more or less.
fn about(time: Duration) -> Duration {
    time.mul_f64(0.75 + chance() / 2.0)
}

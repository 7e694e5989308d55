//! Watching what a device holds: by a subscription to changes, or by reading it from time to time.
//!
//! ```text
//!   subscribe ──► synchronised ──► read: All ──► Changed, Changed, … ──► the stream ends
//!      │ ▲                           ▲                │ nobody takes it    │
//!      │ │                           └────────────────┘                    │
//!      │ └──────── after a wait, a few times in a row ─────────────────────┘
//!      └─ refused, or ended too often ──► read from time to time, for the rest of the connection
//! ```

use std::time::Duration;

use lockstep_gnmi::proto::gnmi::SubscribeResponse;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response as Told;
use lockstep_types::Path;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Request, Status};

use super::{GnmiLine, aside};
use crate::backoff::{Backoff, chance};
use crate::gnmi::subscription::Subscription;
use crate::gnmi::{answer, watch};
use crate::{Notice, Watch};

/// After so many streams in a row that did not last, the device is read instead.
const STREAMS: u32 = 5;

type Tell = mpsc::Sender<Notice>;

/// How a subscription ended.
enum End {
    /// The device does not tell of changes.
    Refused(String),
    /// It did, or may, and stopped.
    Died(String),
}

impl GnmiLine {
    /// Watches for ever; whoever waits for this has to see when the connection is gone.
    pub(super) async fn watching(&self, watch: &Watch, tell: &Tell) {
        let mut backoff = Backoff::default();
        let mut short = 0;
        while short < STREAMS {
            let began = Instant::now();
            let address = &self.address;
            match self.changes(watch, tell).await {
                End::Refused(words) => {
                    tracing::info!(address, words, "the device does not tell of changes");
                    break;
                }
                End::Died(words) => {
                    tracing::info!(address, words, "the device tells of changes no more");
                }
            }
            short += 1;
            if Backoff::is_long(began.elapsed()) {
                (short, backoff) = (0, Backoff::default());
            }
            sleep(backoff.next()).await;
        }
        self.reads(watch, tell).await;
    }

    /// One subscription, from its beginning to its end.
    async fn changes(&self, watch: &Watch, tell: &Tell) -> End {
        let mut changes = match timeout(self.timeout, self.subscribe()).await {
            Err(_) => return End::Refused("no answer to Subscribe".to_owned()),
            Ok(Err(status)) => return refused(&status),
            Ok(Ok(changes)) => changes,
        };
        if let Err(end) = self.synchronised(&mut changes).await {
            return end;
        }
        // What changed before is told by reading all of it.
        let mut missed = true;
        loop {
            tokio::select! {
                biased;
                room = tell.reserve(), if missed => match room {
                    Ok(room) => {
                        room.send(self.all(watch).await);
                        missed = false;
                    }
                    // The end of all this is near.
                    Err(_) => return End::Died("nobody listens".to_owned()),
                },
                told = changes.next() => match told {
                    Err(status) => return End::Died(status.to_string()),
                    Ok(None) => return End::Died("it ended the stream".to_owned()),
                    // Who reads all of it later does not need this.
                    Ok(Some(_)) if missed => {}
                    Ok(Some(told)) => missed = self.tell(watch, tell, told).await.is_err(),
                },
            }
        }
    }

    async fn subscribe(&self) -> Result<Subscription, Status> {
        let first = watch::request(self.models.origin(), self.encoding);
        Subscription::begin(self.client.clone(), Request::new(first)).await
    }

    /// Waits until the device has told all that stands, which it was asked not to tell.
    async fn synchronised(&self, changes: &mut Subscription) -> Result<(), End> {
        loop {
            let told = timeout(self.timeout, changes.next()).await;
            let told = told.map_err(|_| End::Refused("it never was synchronised".to_owned()))?;
            match told.map_err(|status| refused(&status))?.map(|told| told.response) {
                Some(Some(Told::SyncResponse(true))) => return Ok(()),
                Some(_) => {}
                None => return Err(End::Died("it ended the stream at once".to_owned())),
            }
        }
    }

    /// Tells of one change; an error: whoever listens has missed it.
    async fn tell(&self, watch: &Watch, tell: &Tell, told: SubscribeResponse) -> Result<(), ()> {
        let Some(Told::Update(notification)) = told.response else { return Ok(()) };
        let models = self.models.clone();
        let edit = aside(move || watch::edit(&models, &notification)).await;
        let edit = edit.map_err(|answer| {
            let address = &self.address;
            tracing::warn!(address, ?answer, "a change that cannot be read");
        })?;
        match watch.changed(edit) {
            Some(changed) => tell.try_send(changed).map_err(|_| ()),
            None => Ok(()),
        }
    }

    /// All that the device holds, as soon as it says so.
    async fn all(&self, watch: &Watch) -> Notice {
        let mut backoff = Backoff::default();
        loop {
            if let Some(all) = self.read_now(watch).await {
                return all;
            }
            sleep(backoff.next()).await;
        }
    }

    /// Reads from time to time, the first time soon: something may have been missed.
    async fn reads(&self, watch: &Watch, tell: &Tell) {
        sleep(self.drift_interval.mul_f64(chance())).await;
        loop {
            let Ok(room) = tell.reserve().await else { return };
            if let Some(all) = self.read_now(watch).await {
                room.send(all);
            }
            sleep(about(self.drift_interval)).await;
        }
    }

    /// All that the device holds, when the node wants nothing of it; none if it does not say.
    async fn read_now(&self, watch: &Watch) -> Option<Notice> {
        self.busy.is_over().await;
        let read = timeout(self.timeout, self.get(&Path::root())).await;
        self.quiet.begins();
        match read {
            Ok(Ok(held)) => Some(watch.all(held)),
            Ok(Err(answer)) => {
                let address = &self.address;
                tracing::debug!(
                    address,
                    ?answer,
                    "the device cannot be read to see whether it drifted"
                );
                None
            }
            Err(_) => None,
        }
    }
}

/// Whether a device that will not begin to tell of changes may do so later.
fn refused(status: &Status) -> End {
    if answer::is_passing(status) {
        End::Died(status.to_string())
    } else {
        End::Refused(status.to_string())
    }
}

/// This long, a quarter more or less.
fn about(time: Duration) -> Duration {
    time.mul_f64(0.75 + chance() / 2.0)
}

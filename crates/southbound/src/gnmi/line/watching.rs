//! Watching what a device holds: by a subscription to changes, or by reading it from time to time.
//!
//! ```text
//!   subscribe ──► synchronised ──► read: All ──► Changed, Changed, … ──► the stream ends
//!      │ ▲                           ▲                │ nobody takes it    │
//!      │ │                           └────────────────┘                    │
//!      │ └──────── after a wait, a few times in a row ─────────────────────┘
//!      └─ refused, or ended too often ──► read from time to time, for the rest of the connection
//! ```

mod pace;
mod reads;

use lockstep_gnmi::proto::gnmi::SubscribeResponse;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response as Told;
use lockstep_protocol::record::Failure;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Request, Status};

use super::GnmiLine;
use super::aside::{aside, is_little_news};
use crate::backoff::Backoff;
use crate::gnmi::subscription::Subscription;
use crate::gnmi::{answer, watch};
use crate::{Notice, Watch};
use pace::Pace;

/// After so many streams in a row that did not last, the device is read instead.
const STREAMS: u32 = 5;

type Tell = mpsc::Sender<Notice>;

/// Why whoever listens was not told of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missed {
    /// It is slow.
    Slow,
    /// The change cannot be understood.
    Unreadable,
}

/// How a subscription ended, in words for the log.
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
                End::Refused(why) => {
                    tracing::info!(address, why, "the device does not tell of changes");
                    break;
                }
                End::Died(why) => {
                    tracing::info!(address, why, "the device tells of changes no more");
                }
            }
            short += 1;
            if Backoff::is_long(began.elapsed()) {
                (short, backoff) = (0, Backoff::default());
            }
            sleep(backoff.next()).await;
        }
        Box::pin(self.reads(watch, tell)).await;
    }

    /// One subscription, from its beginning to its end.
    async fn changes(&self, watch: &Watch, tell: &Tell) -> End {
        let mut changes = match timeout(self.timeout, Box::pin(self.subscribe())).await {
            Err(_) => return End::Refused("no answer to Subscribe".to_owned()),
            Ok(Err(status)) => return refused(&status),
            Ok(Ok(changes)) => changes,
        };
        match timeout(self.timeout, synchronised(&mut changes)).await {
            Err(_) => return End::Refused("it never was synchronised".to_owned()),
            Ok(Err(end)) => return end,
            Ok(Ok(())) => {}
        }
        // What changed before is told by reading all of it.
        let (mut missed, mut pace) = (true, Pace::default());
        loop {
            tokio::select! {
                biased;
                room = pace.room(tell), if missed => match room {
                    Ok(room) => {
                        // Boxed, here and below: while nothing happens, which is most of the time, there is no need to
                        // have room for what it takes.
                        room.send(Box::pin(self.all(watch)).await);
                        missed = false;
                    }
                    // The end of all this is near.
                    Err(_) => return End::Died("nobody listens".to_owned()),
                },
                told = changes.next() => match told {
                    Err(status) => return End::Died(answer::for_log(&status)),
                    Ok(None) => return End::Died("it ended the stream".to_owned()),
                    // Who reads all of it later does not need this.
                    Ok(Some(_)) if missed => {}
                    Ok(Some(told)) => {
                        let told = Box::pin(self.tell(watch, tell, told)).await;
                        missed = told.is_err();
                        if told == Err(Missed::Unreadable) {
                            pace.slow_down();
                        }
                    }
                },
            }
        }
    }

    async fn subscribe(&self) -> Result<Subscription, Status> {
        let first = watch::request(self.models.origin(), self.encoding);
        Subscription::begin(self.client.clone(), Request::new(first)).await
    }

    /// Tells of one change; an error: whoever listens has missed it.
    async fn tell(
        &self,
        watch: &Watch,
        tell: &Tell,
        told: SubscribeResponse,
    ) -> Result<(), Missed> {
        let Some(Told::Update(notification)) = told.response else { return Ok(()) };
        let models = self.models.clone();
        // Where, and not why: that would quote the value, which may be a secret.
        let edit = aside(is_little_news(&notification), move || {
            let edit = watch::edit(&models, &notification);
            edit.map_err(|failure| Failure { message: watch::paths(&notification), ..failure })
        });
        let edit = edit.await.map_err(|answer| {
            let address = &self.address;
            tracing::warn!(address, ?answer, "a change that cannot be read");
            Missed::Unreadable
        })?;
        match watch.changed(edit) {
            Some(changed) => tell.try_send(changed).map_err(|_| Missed::Slow),
            None => Ok(()),
        }
    }
}

/// Waits until the device has told all that stands, which it was asked not to tell.
async fn synchronised(changes: &mut Subscription) -> Result<(), End> {
    loop {
        let told = changes.next().await.map_err(|status| refused(&status))?;
        match told.map(|told| told.response) {
            Some(Some(Told::SyncResponse(true))) => return Ok(()),
            Some(_) => {}
            None => return Err(End::Died("it ended the stream at once".to_owned())),
        }
    }
}

/// Whether a device that will not begin to tell of changes may do so later.
fn refused(status: &Status) -> End {
    if answer::is_passing(status) {
        End::Died(answer::for_log(status))
    } else {
        End::Refused(answer::for_log(status))
    }
}

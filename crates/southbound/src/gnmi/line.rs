//! One connection to a device that speaks gNMI.

mod aside;
mod claim;
mod commit;
mod following;
mod reading;
mod watching;

use std::time::Duration;

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::{SetRequest, SetResponse};
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_types::{Configuration, Delta, Index, Unit};
use lockstep_yang::ModelSet;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};
use tonic::{Request, Response, Status};

use self::aside::{aside, is_little_to_write};
use super::answer::{self, Asked, Meaning};
use super::arbitration::Manner;
use super::busy::Busy;
use super::known::Known;
use super::quiet::Quiet;
use super::way::Reading;
use super::wire::Hold;
use super::{Client, Encoding, Gnmi, set};
use crate::{BoxFuture, Fencing, Follow, Followed, Line, Look, Mandate, Notice, Report, Watch};

/// One connection, from Capabilities to its end.
#[derive(Debug)]
pub(super) struct GnmiLine {
    address: String,
    client: Client,
    hold: Hold,
    models: ModelSet,
    encoding: Encoding,
    timeout: Duration,
    /// How often it is read where changes cannot be subscribed to.
    drift_interval: Duration,
    /// Whether it may be asked for commits that are to be confirmed.
    may_confirm: bool,
    manner: Manner,
    reading: Reading,
    known: Known,
    busy: Busy,
    quiet: Quiet,
}

impl GnmiLine {
    pub(super) fn new(
        address: String,
        (client, hold): (Client, Hold),
        encoding: Encoding,
        driver: &Gnmi,
    ) -> Self {
        Self {
            address,
            client,
            hold,
            models: driver.models.clone(),
            encoding,
            timeout: driver.options.timeout,
            drift_interval: driver.options.drift_interval,
            may_confirm: driver.options.commit_confirmed,
            manner: Manner::new(&driver.options.role),
            reading: Reading::default(),
            known: Known::default(),
            busy: Busy::new(),
            quiet: Quiet::new(driver.options.keepalive, driver.calm.clone()),
        }
    }

    async fn answer(&self, mandate: &Mandate, ask: Ask, by: Instant) -> Answer {
        let epoch = mandate.epoch;
        match ask {
            Ask::Claim => self.claim(mandate, by).await,
            Ask::Read => self.read().await,
            Ask::Set(delta) => self.set(mandate, delta, by).await,
            Ask::Trial { index, delta, rollback } => {
                let rollback = Duration::from_nanos(rollback);
                self.try_out(mandate, index, delta, rollback, by).await
            }
            Ask::Confirm(index) => {
                self.settle(mandate, extension::confirm(&commit::id(epoch, index)), by).await
            }
            Ask::Cancel(index) => {
                self.settle(mandate, extension::cancel(&commit::id(epoch, index)), by).await
            }
        }
    }

    async fn set(&self, mandate: &Mandate, delta: Delta, by: Instant) -> Answer {
        let request = match self.prepare(delta).await {
            Ok(request) => request,
            Err(answer) => return answer,
        };
        match self.send(request, mandate, by).await {
            Ok(response) => answer::accepted(&response),
            Err(status) => match self.meaning(Asked::Set, &status) {
                Meaning::Answer(answer) => answer,
                Meaning::Denied(failure) => self.denied(mandate, failure, by).await,
                Meaning::Lost | Meaning::Another(_) => Answer::Refused(answer::failure(&status)),
            },
        }
    }

    /// The request for a delta, or the answer if there is none.
    async fn prepare(&self, delta: Delta) -> Result<SetRequest, Answer> {
        let mut held = Configuration::new();
        let to_be_read = set::to_be_read(&delta);
        let little = to_be_read.is_empty() && is_little_to_write(&delta);
        for path in to_be_read {
            for (path, content) in self.get(&path).await?.iter() {
                held.assign(path.clone(), Unit::present(content.clone(), Index::ZERO));
            }
        }
        let (models, encoding) = (self.models.clone(), self.encoding);
        aside(little, move || set::request(&models, encoding, &delta, &held)).await
    }

    /// A Set was denied. If we still are the master, it was the device's own rules.
    async fn denied(&self, mandate: &Mandate, failure: Failure, by: Instant) -> Answer {
        match self.claim(mandate, by).await {
            Answer::Accepted | Answer::Refused(_) => Answer::Refused(failure),
            answer => answer,
        }
    }

    /// Sends a Set, if it still is for this node to do so. It is waited for until `by`, however long it took to
    /// prepare: later it is not to have an effect any more.
    async fn send(
        &self,
        set: SetRequest,
        mandate: &Mandate,
        by: Instant,
    ) -> Result<SetResponse, Status> {
        let mut extension = self.manner.extensions(mandate.election);
        extension.extend(set.extension);
        let left = by.saturating_duration_since(Instant::now());
        let request = request(SetRequest { extension, ..set }, left);
        // The last look: a device that turns nobody away would take it after another master has begun.
        if mandate.lease.is_over() {
            return Err(Status::resource_exhausted("the session is over, so nothing was sent"));
        }
        self.client.clone().set(request).await.map(Response::into_inner)
    }

    /// What an error means. Where the answer has no room for it, it is logged.
    fn meaning(&self, asked: Asked, status: &Status) -> Meaning {
        let meaning = answer::classify(asked, status);
        if let Meaning::Answer(answer @ (Answer::Unknown | Answer::Busy | Answer::Fenced)) =
            &meaning
        {
            self.not_done(asked, answer, &answer::for_log(status));
        }
        meaning
    }

    /// Logs what the answer has no room for.
    fn not_done(&self, asked: Asked, answer: &Answer, why: &str) {
        let address = &self.address;
        tracing::warn!(address, ?asked, ?answer, why, "not done, or not known to be");
    }

    /// What an accepted claim is worth. Where nobody could find out, no more than on a device that takes
    /// anyone's.
    fn claimed(&self) -> Answer {
        match self.known.fencing() {
            Some(Fencing::Device) => Answer::Accepted,
            Some(Fencing::StoreOnly) | None => {
                Answer::Unfenced(u64::try_from(self.timeout.as_nanos()).unwrap_or(u64::MAX))
            }
        }
    }

    /// A request that is waited for as long as any.
    fn request<T>(&self, message: T) -> Request<T> {
        request(message, self.timeout)
    }

    /// Until when what is asked now is waited for.
    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}

/// The device is told, too, how long it is waited for, so that it may give up by itself.
fn request<T>(message: T, timeout: Duration) -> Request<T> {
    let mut request = Request::new(message);
    request.set_timeout(timeout);
    request
}

impl Line for GnmiLine {
    fn ask(&self, mandate: Mandate, ask: Ask) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            let _busy = self.busy.begin(ask.may_change());
            let (asked, by) = (Asked::from(&ask), self.deadline());
            let answered = timeout_at(by, self.answer(&mandate, ask, by)).await;
            // The request itself has the same deadline: whichever is noticed first, the same is told.
            let answer = answered.unwrap_or_else(|_| {
                self.not_done(asked, &Answer::Unknown, answer::LATE);
                Answer::Unknown
            });
            let answer = if asked == Asked::Claim && answer == Answer::Accepted {
                let another = self.probe(&mandate).await;
                another.map_or_else(|| self.claimed(), Answer::Refused)
            } else {
                answer
            };
            self.quiet.begins();
            answer
        })
    }

    fn fencing(&self) -> Option<Fencing> {
        self.known.fencing()
    }

    fn confirms(&self) -> Option<bool> {
        self.known.confirms()
    }

    fn watch(&self, watch: Watch, tell: mpsc::Sender<Notice>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            tokio::select! {
                () = self.watching(&watch, &tell) => {}
                () = tell.closed() => {}
            }
        })
    }

    fn look(&self, look: Look) -> BoxFuture<'_, Result<Vec<Report>, Failure>> {
        Box::pin(async move {
            timeout(self.timeout, self.state(&look)).await.unwrap_or_else(|_| {
                let message = format!("the device did not answer within {:?}", self.timeout);
                Err(Failure { code: "DEADLINE_EXCEEDED".to_owned(), message })
            })
        })
    }

    fn follow(&self, follow: Follow, tell: mpsc::Sender<Followed>) -> BoxFuture<'_, Failure> {
        Box::pin(async move { self.following(&follow, &tell).await })
    }

    fn closed(&self) -> BoxFuture<'_, String> {
        Box::pin(async {
            let end = self.hold.ended().await;
            self.quiet.ended(&end);
            end.to_string()
        })
    }
}

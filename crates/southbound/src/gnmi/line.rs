//! One connection to a device that speaks gNMI.

mod reading;

use std::time::Duration;

use lockstep_gnmi::Election;
use lockstep_gnmi::proto::gnmi::{SetRequest, SetResponse};
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_types::{Configuration, Delta, Index, Unit};
use lockstep_yang::ModelSet;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tonic::{Code, Request, Response, Status};

use super::answer::{self, Asked, Meaning};
use super::arbitration::{Level, Manner};
use super::quiet::Quiet;
use super::wire::Hold;
use super::{Client, Encoding, Gnmi, endpoint, set};
use crate::{BoxFuture, Line, Look, Report};

/// One connection, from Capabilities to its end.
#[derive(Debug)]
pub(super) struct GnmiLine {
    address: String,
    client: Client,
    hold: Hold,
    models: ModelSet,
    encoding: Encoding,
    timeout: Duration,
    manner: Manner,
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
            manner: Manner::new(&driver.options.role),
            quiet: Quiet::new(driver.options.keepalive, driver.calm.clone()),
        }
    }

    async fn answer(&self, election: Election, ask: Ask) -> Answer {
        match ask {
            Ask::Claim => self.claim(election).await,
            Ask::Read => self.read().await,
            Ask::Set(delta) => self.set(election, delta).await,
        }
    }

    /// An empty Set with our election id. A device that does not understand it as it is said is told in
    /// fewer words; one that understands none is nobody's, and nothing is left to say.
    async fn claim(&self, election: Election) -> Answer {
        loop {
            let level = self.manner.level();
            if level == Level::None {
                return Answer::Accepted;
            }
            match self.send(SetRequest::default(), election).await {
                Ok(_) => return Answer::Accepted,
                Err(status) if status.code() == Code::Unimplemented => {
                    let (address, words) = (&self.address, status.message());
                    tracing::info!(address, ?level, words, "the device has no such arbitration");
                    self.manner.lower(level);
                }
                Err(status) => match self.meaning(Asked::Claim, &status) {
                    Meaning::Answer(answer) => return answer,
                    Meaning::Denied(_) => return Answer::Fenced,
                },
            }
        }
    }

    async fn set(&self, election: Election, delta: Delta) -> Answer {
        let request = match self.prepare(delta).await {
            Ok(request) => request,
            Err(answer) => return answer,
        };
        match self.send(request, election).await {
            Ok(response) => accepted(&response),
            Err(status) => match self.meaning(Asked::Set, &status) {
                Meaning::Answer(answer) => answer,
                Meaning::Denied(failure) => self.denied(election, failure).await,
            },
        }
    }

    /// The request for a delta, or the answer if there is none.
    async fn prepare(&self, delta: Delta) -> Result<SetRequest, Answer> {
        let mut held = Configuration::new();
        for path in set::to_be_read(&delta) {
            for (path, content) in self.get(&path).await?.iter() {
                held.assign(path.clone(), Unit::present(content.clone(), Index::ZERO));
            }
        }
        let (models, encoding) = (self.models.clone(), self.encoding);
        aside(move || set::request(&models, encoding, &delta, &held)).await
    }

    /// A Set was denied. If we still are the master, it was the device's own rules.
    async fn denied(&self, election: Election, failure: Failure) -> Answer {
        match self.claim(election).await {
            Answer::Accepted | Answer::Refused(_) => Answer::Refused(failure),
            answer => answer,
        }
    }

    async fn send(&self, set: SetRequest, election: Election) -> Result<SetResponse, Status> {
        let extension = self.manner.extensions(election);
        let request = self.request(SetRequest { extension, ..set });
        self.client.clone().set(request).await.map(Response::into_inner)
    }

    /// What an error means. Where the answer has no room for the words, they are logged.
    fn meaning(&self, asked: Asked, status: &Status) -> Meaning {
        let meaning = answer::classify(asked, status);
        if let Meaning::Answer(answer @ (Answer::Unknown | Answer::Busy | Answer::Fenced)) =
            &meaning
        {
            let (address, words) = (&self.address, endpoint::chain(status));
            tracing::warn!(address, ?asked, ?answer, words, "not done, or not known to be");
        }
        meaning
    }

    /// The device is told, too, how long it is waited for, so that it may give up by itself.
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(self.timeout);
        request
    }
}

impl Line for GnmiLine {
    fn ask(&self, election: Election, ask: Ask) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            let answered = timeout(self.timeout, self.answer(election, ask)).await;
            self.quiet.begins();
            answered.unwrap_or_else(|_| {
                let (address, after) = (&self.address, self.timeout);
                tracing::warn!(address, ?after, "the device did not answer in time");
                Answer::Unknown
            })
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

    fn closed(&self) -> BoxFuture<'_, String> {
        Box::pin(async {
            let end = self.hold.ended().await;
            self.quiet.ended(&end);
            end.to_string()
        })
    }
}

/// Old servers answer OK and put their refusal inside.
fn accepted(response: &SetResponse) -> Answer {
    #[allow(deprecated, reason = "what an old device says has to be heard")]
    let errors = response.response.iter().filter_map(|result| result.message.as_ref());
    #[allow(deprecated, reason = "what an old device says has to be heard")]
    let error = response.message.iter().chain(errors).find(|error| error.code != 0);
    match error {
        None => Answer::Accepted,
        Some(error) => {
            let code = i32::try_from(error.code).map_or(Code::Unknown, Code::from);
            let status = Status::new(code, error.message.clone());
            Answer::Refused(answer::failure(&status))
        }
    }
}

/// Work on a whole configuration takes long enough to hold up other devices, so it is done aside.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Answer> {
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(Answer::Refused),
        Err(fault) if fault.is_panic() => Err(Answer::Refused(Failure {
            code: "INTERNAL".to_owned(),
            message: "a fault in Lockstep; nothing was sent. Please report it with its log"
                .to_owned(),
        })),
        // The process is ending.
        Err(_) => Err(Answer::Unknown),
    }
}

//! One connection to a device that speaks gNMI.

use std::time::Duration;

use lockstep_gnmi::Election;
use lockstep_gnmi::proto::gnmi::{GetResponse, SetRequest, SetResponse};
use lockstep_protocol::record::Failure;
use lockstep_protocol::{Answer, Ask};
use lockstep_types::{Configuration, Delta, Index, Path, Unit};
use lockstep_yang::ModelSet;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tonic::{Code, Request, Response, Status};

use super::answer::{self, Asked, Meaning};
use super::arbitration::{Level, Manner};
use super::quiet::Quiet;
use super::wire::Hold;
use super::{Client, Encoding, Gnmi, get, once, set};
use crate::{BoxFuture, Line};

/// One connection, from Capabilities to its end.
#[derive(Debug)]
pub(super) struct GnmiLine {
    client: Client,
    hold: Hold,
    models: ModelSet,
    encoding: Encoding,
    timeout: Duration,
    manner: Manner,
    quiet: Quiet,
}

impl GnmiLine {
    pub(super) fn new(client: Client, hold: Hold, encoding: Encoding, driver: &Gnmi) -> Self {
        Self {
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
                    tracing::info!(?level, words = status.message(), "no such arbitration here");
                    self.manner.lower(level);
                }
                Err(status) => match answer::classify(Asked::Claim, &status) {
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
            Err(status) => match answer::classify(Asked::Set, &status) {
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

    async fn read(&self) -> Answer {
        self.get(&Path::root()).await.map_or_else(|answer| answer, Answer::Values)
    }

    /// What the device holds at and below a path, or the answer if it does not say.
    async fn get(&self, path: &Path) -> Result<Configuration, Answer> {
        let response = match self.get_or_subscribe(path).await {
            Ok(response) => response,
            Err(status) if get::is_empty(&status) => return Ok(Configuration::new()),
            Err(status) => match answer::classify(Asked::Read, &status) {
                Meaning::Answer(answer) => return Err(answer),
                Meaning::Denied(failure) => return Err(Answer::Refused(failure)),
            },
        };
        let models = self.models.clone();
        aside(move || get::units(&models, &response)).await
    }

    async fn get_or_subscribe(&self, path: &Path) -> Result<GetResponse, Status> {
        let request = || self.request(get::request(path, self.models.origin(), self.encoding));
        let refusal = match self.client.clone().get(request()).await {
            Err(status) if status.code() == Code::Unimplemented => status,
            answered => return answered.map(Response::into_inner),
        };
        match once::read(self.client.clone(), request()).await {
            // Neither is there: the words about Get are the ones to go by.
            Err(status) if status.code() == Code::Unimplemented => Err(refusal),
            told => told,
        }
    }

    async fn send(&self, set: SetRequest, election: Election) -> Result<SetResponse, Status> {
        let extension = self.manner.extensions(election);
        let request = self.request(SetRequest { extension, ..set });
        self.client.clone().set(request).await.map(Response::into_inner)
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
                tracing::warn!(after = ?self.timeout, "the device did not answer in time");
                Answer::Unknown
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
        // The process is ending.
        Err(_) => Err(Answer::Unknown),
    }
}

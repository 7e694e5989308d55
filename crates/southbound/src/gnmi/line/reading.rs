//! What a device holds: by Get, or by Subscribe where there is no Get.

use lockstep_gnmi::proto::gnmi::GetResponse;
use lockstep_protocol::Answer;
use lockstep_protocol::record::Failure;
use lockstep_types::{Configuration, Path};
use tonic::{Code, Response, Status};

use super::{GnmiLine, aside};
use crate::gnmi::answer::{self, Asked, Meaning};
use crate::gnmi::{get, once};
use crate::{Look, Report};

impl GnmiLine {
    /// All that the device holds within the models.
    pub(super) async fn read(&self) -> Answer {
        self.get(&Path::root()).await.map_or_else(|answer| answer, Answer::Values)
    }

    /// What the device holds at and below a path, or the answer if it does not say.
    pub(super) async fn get(&self, path: &Path) -> Result<Configuration, Answer> {
        let response = match self.get_or_subscribe(path).await {
            Ok(response) => response,
            Err(status) if get::is_empty(&status) => return Ok(Configuration::new()),
            Err(status) => match self.meaning(Asked::Read, &status) {
                Meaning::Answer(answer) => return Err(answer),
                _ => return Err(Answer::Refused(answer::failure(&status))),
            },
        };
        let models = self.models.clone();
        aside(move || get::units(&models, &response)).await
    }

    /// What the device reports of its state. Nothing at all is an answer too.
    pub(super) async fn state(&self, look: &Look) -> Result<Vec<Report>, Failure> {
        let request = self.request(get::look(look, self.models.origin()));
        match self.client.clone().get(request).await {
            Ok(response) => get::reports(response.get_ref()),
            Err(status) if get::is_empty(&status) => Ok(Vec::new()),
            Err(status) => Err(answer::failure(&status)),
        }
    }

    async fn get_or_subscribe(&self, path: &Path) -> Result<GetResponse, Status> {
        let request = || self.request(get::request(path, self.models.origin(), self.encoding));
        let refusal = match self.client.clone().get(request()).await {
            Err(status) if needs_a_stream(&status) => status,
            answered => return answered.map(Response::into_inner),
        };
        match once::read(self.client.clone(), request()).await {
            // Neither is there: the words about Get are the ones to go by.
            Err(status) if status.code() == Code::Unimplemented => Err(refusal),
            told => told,
        }
    }
}

/// Whether a device says that it has no Get, or that its answer does not fit into one message.
fn needs_a_stream(status: &Status) -> bool {
    match status.code() {
        Code::Unimplemented => true,
        Code::ResourceExhausted => answer::is_too_large(status),
        _ => false,
    }
}

//! What a device holds: by Get, or by Subscribe where there is no Get.

use lockstep_gnmi::proto::gnmi::{GetRequest, GetResponse};
use lockstep_protocol::Answer;
use lockstep_protocol::record::Failure;
use lockstep_types::{Configuration, Path};
use tonic::{Response, Status};

use super::GnmiLine;
use super::aside::{aside, is_little_to_read};
use crate::gnmi::answer::{self, Asked, Meaning};
use crate::gnmi::way::Way;
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
        aside(is_little_to_read(&response), move || get::units(&models, &response)).await
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

    /// In the first way that the device has.
    async fn get_or_subscribe(&self, path: &Path) -> Result<GetResponse, Status> {
        let mut refusal = None;
        loop {
            let way = self.reading.way();
            match self.read_by(way, path).await {
                Err(status) if way.is_not_there(&status) => {
                    let next = self.reading.after(way);
                    // The words about the first way are the ones to go by.
                    let first = refusal.get_or_insert(status);
                    if !next {
                        return Err(first.clone());
                    }
                }
                answered => return answered,
            }
        }
    }

    async fn read_by(&self, way: Way, path: &Path) -> Result<GetResponse, Status> {
        let get = get::request(path, self.models.origin(), self.encoding);
        match way {
            Way::Configuration => self.get_now(get).await,
            Way::Everything => self.get_now(get::of_all(get)).await,
            Way::Subscription => once::read(self.client.clone(), self.request(get)).await,
        }
    }

    async fn get_now(&self, get: GetRequest) -> Result<GetResponse, Status> {
        self.client.clone().get(self.request(get)).await.map(Response::into_inner)
    }
}

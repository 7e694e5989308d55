//! Trials: commits that the device takes back by itself unless they are confirmed.

use std::time::Duration;

use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::{code, extension};
use lockstep_protocol::Answer;
use lockstep_types::{Delta, Epoch, Index};
use tokio::time::Instant;
use tonic::Code;

use super::GnmiLine;
use crate::Mandate;
use crate::gnmi::answer::{self, Asked, Meaning};

/// The name of a trial on the device. Stores have epochs of their own, so no other trial has it; and a
/// master that claimed the device meanwhile finds it again.
pub(super) fn id(epoch: Epoch, index: Index) -> String {
    format!("lockstep-{epoch}-{index}")
}

impl GnmiLine {
    /// A Set with a timer.
    pub(super) async fn try_out(
        &self,
        mandate: &Mandate,
        index: Index,
        delta: Delta,
        rollback: Duration,
        by: Instant,
    ) -> Answer {
        match self.prepare(delta).await {
            Ok(request) => {
                let extension = extension::commit(&id(mandate.epoch, index), rollback);
                self.commit(Asked::Set, mandate, (request, extension), by).await
            }
            Err(answer) => answer,
        }
    }

    /// Keeps the trial or takes it back, as the extension says. A device that knows of no such thing has
    /// nothing on trial.
    pub(super) async fn settle(
        &self,
        mandate: &Mandate,
        extension: Extension,
        by: Instant,
    ) -> Answer {
        let answer = self.commit(Asked::Settle, mandate, (SetRequest::default(), extension), by);
        match answer.await {
            Answer::Refused(failure) if failure.code == code::name(Code::Unimplemented) => {
                Answer::Lost
            }
            answer => answer,
        }
    }

    async fn commit(
        &self,
        asked: Asked,
        mandate: &Mandate,
        (request, extension): (SetRequest, Extension),
        by: Instant,
    ) -> Answer {
        let request = SetRequest { extension: vec![extension], ..request };
        match self.send(request, mandate, by).await {
            Ok(response) => answer::accepted(&response),
            Err(status) => match self.meaning(asked, &status) {
                Meaning::Answer(answer) => answer,
                Meaning::Denied(failure) => self.denied(mandate, failure, by).await,
                Meaning::Lost => Answer::Lost,
                Meaning::Another(failure) => Answer::Refused(failure),
            },
        }
    }
}

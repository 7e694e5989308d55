//! Commits that the device takes back by itself unless they are confirmed.

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::SetRequest;
use lockstep_protocol::Answer;
use tokio::time::Instant;

use super::GnmiLine;
use crate::gnmi::answer::{self, Asked, Meaning};
use crate::{Commit, Election, Phase, Settled};

impl GnmiLine {
    /// One step, with the answer of the device classified.
    pub(super) async fn settle(&self, election: Election, commit: Commit, by: Instant) -> Settled {
        let Commit { id, phase } = commit;
        let (asked, request, extension) = match phase {
            Phase::Set { delta, rollback } => match self.prepare(delta).await {
                Ok(request) => (Asked::Set, request, extension::commit(&id, rollback)),
                Err(answer) => return Settled::Answer(answer),
            },
            Phase::Confirm => (Asked::Settle, SetRequest::default(), extension::confirm(&id)),
            Phase::Cancel => (Asked::Settle, SetRequest::default(), extension::cancel(&id)),
        };
        let request = SetRequest { extension: vec![extension], ..request };
        match self.send(request, election, by).await {
            Ok(response) => Settled::Answer(answer::accepted(&response)),
            Err(status) => match self.meaning(asked, &status) {
                Meaning::Answer(answer) => Settled::Answer(answer),
                Meaning::Denied(failure) => {
                    Settled::Answer(self.denied(election, failure, by).await)
                }
                Meaning::Lost => Settled::Lost,
                Meaning::Another(failure) => Settled::Another(failure),
            },
        }
    }

    /// Nobody knows what became of a step.
    pub(super) fn unsettled(&self) -> Settled {
        let (address, after) = (&self.address, self.timeout);
        tracing::warn!(address, ?after, "the device did not answer in time");
        Settled::Answer(Answer::Unknown)
    }
}

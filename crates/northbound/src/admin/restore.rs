//! Restore, as operators ask for it.

use std::collections::BTreeMap;

use lockstep_gnmi::proto::lockstep::v1::RestoreRequest;
use lockstep_protocol::record::{Kind, Mode};
use lockstep_protocol::{Body, Request, Until};
use lockstep_types::Index;
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::{Service, target_names};
use crate::comment;
use crate::deadline::times;
use crate::refusal;

impl Service {
    pub(super) fn restore_to(
        &self,
        metadata: &MetadataMap,
        asked: &RestoreRequest,
    ) -> Result<Request, Status> {
        let mode = if asked.queued { Mode::Queued } else { Mode::Atomic };
        let wait = refusal::duration(asked.deadline.as_ref())?;
        let times = times(self.node.now(), wait, metadata, mode);
        Ok(Request {
            id: self.ids.of(&asked.id)?,
            body: Body {
                kind: Kind::Restore { to: Index::new(asked.index) },
                binding: None,
                mode,
                edits: BTreeMap::new(),
                only: target_names(&asked.targets)?,
                window: refusal::window(asked.confirm.as_ref())?,
            },
            until: if asked.r#async { Until::Decision } else { Until::Outcome },
            deadline: times.deadline,
            answer_by: Some(times.answer_by),
            author: String::new(),
            comment: comment::checked(&asked.comment)?,
        })
    }
}

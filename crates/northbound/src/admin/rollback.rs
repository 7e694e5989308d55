//! Rollback, as operators ask for it.

use std::collections::BTreeMap;

use lockstep_gnmi::proto::lockstep::v1::{RollbackRequest, RollbackRule};
use lockstep_protocol::record::{Kind, Mode, Rule};
use lockstep_protocol::{Body, Request, Until};
use lockstep_types::Index;
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::{Service, target_names};
use crate::comment;
use crate::deadline::times;
use crate::refusal;

impl Service {
    pub(super) fn rollback_of(
        &self,
        metadata: &MetadataMap,
        asked: &RollbackRequest,
    ) -> Result<Request, Status> {
        let rule = match asked.rule() {
            RollbackRule::Target => Rule::Target,
            RollbackRule::Path => Rule::Path,
        };
        let wait = refusal::duration(asked.deadline.as_ref())?;
        let times = times(self.node.now(), wait, metadata, Mode::Atomic);
        Ok(Request {
            id: self.ids.of(&asked.id)?,
            body: Body {
                kind: Kind::Rollback { of: Index::new(asked.index), rule },
                mode: Mode::Atomic,
                edits: BTreeMap::new(),
                only: target_names(&asked.targets)?,
                window: None,
                binding: None,
            },
            until: if asked.r#async { Until::Decision } else { Until::Outcome },
            deadline: times.deadline,
            answer_by: Some(times.answer_by),
            author: String::new(),
            comment: comment::checked(&asked.comment)?,
        })
    }
}

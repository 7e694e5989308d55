//! Letting go of the past on demand: the earlier part of the log, and what the store keeps of its revisions.

use lockstep_gnmi::proto::lockstep::v1::{CompactRequest, CompactResponse};
use lockstep_node::Uncompacted;
use tonic::Status;

use super::Service;
use crate::access::Right;
use crate::guard::Call;

impl Service {
    /// What is gone is gone for everybody, so it is for those who operate everything.
    pub(super) async fn compacted(
        &self,
        call: &Call,
        asked: &CompactRequest,
    ) -> Result<CompactResponse, Status> {
        call.everywhere(Right::Operate)?;
        if asked.keep > 0 {
            call.note_detail(&format!("keep {}", asked.keep));
            let moved = self.node.compact(&self.records, asked.keep).await;
            moved.map_err(|error| match error {
                Uncompacted::Busy => Status::aborted(
                    "the log is appended to faster than its horizon can be moved; try again",
                ),
                Uncompacted::Store(error) => {
                    Status::unavailable(format!("the store cannot be written: {error}; try again"))
                }
            })?;
        }
        let view = self.fresh.view(call).await?;
        let revision = self.fresh.revision(call).await?;
        let let_go = self.records.store().compact(revision).await;
        let_go.map_err(|error| Status::unavailable(format!("the store: {error}; try again")))?;
        Ok(CompactResponse { horizon: view.horizon().get(), revision: revision.get() })
    }
}

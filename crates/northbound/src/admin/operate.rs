//! Orders of operators about a target.

use lockstep_gnmi::proto::lockstep::v1::{OperateTargetRequest, OperateTargetResponse};
use lockstep_protocol::{Order, Reply};
use tonic::Status;

use super::{Service, target_name};
use crate::access::Right;
use crate::guard::Call;
use crate::{outcome, refusal};

impl Service {
    pub(super) async fn operated(
        &self,
        call: &Call,
        asked: &OperateTargetRequest,
    ) -> Result<OperateTargetResponse, Status> {
        let target = target_name(&asked.name)?;
        call.note_detail(&asked.order);
        call.whole(Right::Operate, &self.node, &target)?;
        let order = match asked.order.as_str() {
            "pause" => Order::Pause,
            "resume" => Order::Resume,
            "sync" => Order::Sync,
            "adopt" => Order::Adopt,
            "claim" => self.node.claim(),
            other => {
                let known = "there are pause, resume, sync, adopt and claim";
                return Err(Status::invalid_argument(format!(
                    "there is no order {other:?}; {known}"
                )));
            }
        };
        let reply = self.node.operate(target.clone(), order, call.author(), call.answer_by()).await;
        match reply.map_err(|busy| outcome::busy(&self.node, call, busy))? {
            Reply::Refused(refused) => Err(refusal::told(&self.node, call, refused)),
            Reply::Done | Reply::Transaction { .. } => {
                let target = self.shown_target(call, &target);
                Ok(OperateTargetResponse { target })
            }
        }
    }
}

//! The wires behind a device, for those who have only its address.

mod client;
mod wire;

pub use client::{Client, Error};

use lockstep_gnmi::proto::lockstep::sim::v1::control_server::{Control, ControlServer};
use lockstep_gnmi::proto::lockstep::sim::v1::{
    GetJournalRequest, GetJournalResponse, RestartRequest, RestartResponse, SetFaultsRequest,
    SetFaultsResponse,
};
use tonic::{Request, Response, Status};

use crate::device::{Device, Spared};

/// The control service of a device.
pub(crate) fn server(device: Device) -> ControlServer<impl Control> {
    ControlServer::new(Service(device))
}

struct Service(Device);

#[tonic::async_trait]
impl Control for Service {
    async fn set_faults(
        &self,
        request: Request<SetFaultsRequest>,
    ) -> Result<Response<SetFaultsResponse>, Status> {
        let faults = request.into_inner().faults.unwrap_or_default();
        self.0.set_faults(wire::read_faults(&faults)?);
        Ok(Response::new(SetFaultsResponse {}))
    }

    async fn restart(
        &self,
        request: Request<RestartRequest>,
    ) -> Result<Response<RestartResponse>, Status> {
        if let Some(line) = request.extensions().get::<Spared>() {
            line.spare();
        }
        let (device, keep) = (self.0.clone(), request.get_ref().keep);
        // On its own, so that the device comes back even if the client does not wait for it.
        let restarted = tokio::spawn(async move { device.restart(keep).await }).await;
        match restarted {
            Ok(Ok(())) => Ok(Response::new(RestartResponse {})),
            Ok(Err(error)) => Err(Status::unavailable(error.to_string())),
            Err(error) => Err(Status::internal(format!("the simulator failed: {error}"))),
        }
    }

    async fn get_journal(
        &self,
        request: Request<GetJournalRequest>,
    ) -> Result<Response<GetJournalResponse>, Status> {
        let entries = self.0.journal_after(request.get_ref().after);
        let entries = entries.into_iter().map(wire::write_entry).collect();
        Ok(Response::new(GetJournalResponse { entries }))
    }
}

//! The wires behind a device, for those who have only its address.

mod changes;
mod client;
mod wire;

pub use client::{Client, Error};
pub(crate) use wire::faults::read_one as read_fault;

use lockstep_gnmi::proto::lockstep::sim::v1::control_server::{Control, ControlServer};
use lockstep_gnmi::proto::lockstep::sim::v1::{
    AddFaultsRequest, AddFaultsResponse, DriftRequest, DriftResponse, GetFaultsRequest,
    GetFaultsResponse, GetJournalRequest, GetJournalResponse, ReleaseRequest, ReleaseResponse,
    RestartRequest, RestartResponse, SetFaultsRequest, SetFaultsResponse,
};
use tonic::{Request, Response, Status};

use crate::device::{Device, Hold};

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
        self.0.set_faults(wire::faults::read(&faults).map_err(Status::invalid_argument)?);
        Ok(Response::new(SetFaultsResponse {}))
    }

    async fn add_faults(
        &self,
        request: Request<AddFaultsRequest>,
    ) -> Result<Response<AddFaultsResponse>, Status> {
        let faults = request.into_inner().faults.unwrap_or_default();
        self.0.add_faults(wire::faults::read(&faults).map_err(Status::invalid_argument)?);
        Ok(Response::new(AddFaultsResponse {}))
    }

    async fn get_faults(
        &self,
        _: Request<GetFaultsRequest>,
    ) -> Result<Response<GetFaultsResponse>, Status> {
        let faults = Some(wire::faults::write(&self.0.faults()));
        Ok(Response::new(GetFaultsResponse { faults }))
    }

    async fn release(
        &self,
        _: Request<ReleaseRequest>,
    ) -> Result<Response<ReleaseResponse>, Status> {
        self.0.release();
        Ok(Response::new(ReleaseResponse {}))
    }

    async fn drift(
        &self,
        request: Request<DriftRequest>,
    ) -> Result<Response<DriftResponse>, Status> {
        let DriftRequest { path, value } = request.into_inner();
        let path = path.parse().map_err(|error| format!("path `{path}`: {error}"));
        let drift = path.and_then(|path| Ok((path, wire::faults::json(&value)?)));
        let (path, value) = drift.map_err(Status::invalid_argument)?;
        self.0
            .drift(&path, value)
            .await
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        Ok(Response::new(DriftResponse {}))
    }

    async fn restart(
        &self,
        request: Request<RestartRequest>,
    ) -> Result<Response<RestartResponse>, Status> {
        if let Some(line) = request.extensions().get::<Hold>() {
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
        let GetJournalRequest { after, changes } = request.into_inner();
        let entries = match changes {
            true => changes::write(self.0.journal_after(after.saturating_sub(1)), after),
            false => self.0.journal_after(after).into_iter().map(wire::write_entry).collect(),
        };
        Ok(Response::new(GetJournalResponse { entries }))
    }
}

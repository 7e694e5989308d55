//! gNMI, as a device speaks it.

mod capabilities;
mod extensions;
mod get;
mod refusal;
mod request;
mod set;

use std::io;

use lockstep_gnmi::proto::gnmi::g_nmi_server::{GNmi, GNmiServer};
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, CapabilityResponse, GetRequest, GetResponse, SetRequest, SetResponse,
    SubscribeRequest, SubscribeResponse,
};
use tokio_stream::{Empty, Stream};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};
use tracing::warn;

use crate::control;
use crate::device::{Device, Line};

/// Room for a Set that replaces the configuration of a large device.
const LARGEST_MESSAGE: usize = 64 << 20;

/// Serves one boot of a device, until nothing more connects.
pub(crate) async fn serve(
    device: Device,
    boot: u64,
    incoming: impl Stream<Item = io::Result<Line>>,
) {
    let address = device.address();
    let gnmi = GNmiServer::new(Service { device: device.clone(), boot })
        .max_decoding_message_size(LARGEST_MESSAGE);
    let control = control::server(device);
    let served =
        Server::builder().add_service(gnmi).add_service(control).serve_with_incoming(incoming);
    if let Err(error) = served.await {
        warn!(%address, %error, "a device stopped serving");
    }
}

/// A device as it was started at one time.
struct Service {
    device: Device,
    boot: u64,
}

impl Service {
    /// Runs what may take long where it holds up no one.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Device, u64) -> Result<T, Status> + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let (device, boot) = (self.device.clone(), self.boot);
        let done = tokio::task::spawn_blocking(move || work(&device, boot)).await;
        match done {
            Ok(result) => result.map(Response::new),
            Err(error) => Err(Status::internal(format!("the simulator failed: {error}"))),
        }
    }
}

#[tonic::async_trait]
impl GNmi for Service {
    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        self.device.state().alive(self.boot)?;
        capabilities::answer(self.device.models(), request.get_ref()).map(Response::new)
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        self.work(move |device, boot| get::answer(device, boot, request.get_ref())).await
    }

    async fn set(&self, request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        let turn = self.device.sets().lock_owned().await;
        self.work(move |device, boot| {
            let answer = set::answer(device, boot, request.get_ref());
            drop(turn);
            answer
        })
        .await
    }

    type SubscribeStream = Empty<Result<SubscribeResponse, Status>>;

    async fn subscribe(
        &self,
        _: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Self::SubscribeStream>, Status> {
        Err(Status::unimplemented("this device has no Subscribe; use Get"))
    }
}

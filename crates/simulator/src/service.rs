//! gNMI, as a device speaks it.

mod asked;
mod capabilities;
mod commit;
mod extensions;
mod get;
mod pace;
mod refusal;
mod request;
mod set;
mod subscribe;

use std::io;

use lockstep_gnmi::proto::gnmi::g_nmi_server::{GNmi, GNmiServer};
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, CapabilityResponse, GetRequest, GetResponse, SetRequest, SetResponse,
    SubscribeRequest, SubscribeResponse,
};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use tracing::warn;

use crate::control;
use crate::device::{Device, Hold, Line};
use crate::journal::{self, Kind};

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
    let mut server = device.server();
    let control = control::server(device);
    let served = server.add_service(gnmi).add_service(control).serve_with_incoming(incoming);
    if let Err(error) = served.await {
        warn!(%address, %error, "a device stopped serving");
    }
}

/// A device as it was started at one time.
#[derive(Clone)]
struct Service {
    device: Device,
    boot: u64,
}

impl Service {
    /// Runs what may take long where it holds up no one.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Device, u64) -> T + Send + 'static,
    ) -> Result<T, Status> {
        let (device, boot) = (self.device.clone(), self.boot);
        let done = tokio::task::spawn_blocking(move || work(&device, boot)).await;
        done.map_err(|error| Status::internal(format!("the simulator failed: {error}")))
    }
}

#[tonic::async_trait]
impl GNmi for Service {
    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        self.device.state().alive(self.boot)?;
        let acting = asked::capabilities(&self.device, &request.get_ref().extension);
        self.pace(Kind::Capabilities, &acting, request.extensions().get::<Hold>()).await;
        if let Some(status) = acting.lacks.or(acting.refuse) {
            return Err(status);
        }
        capabilities::answer(self.device.models(), request.get_ref()).map(Response::new)
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        let arrived = journal::now();
        let acting = asked::get(&self.device, request.get_ref());
        self.pace(Kind::Get, &acting, request.extensions().get::<Hold>()).await;
        let answer = self.work(move |device, boot| {
            get::answer(device, boot, request.get_ref(), &acting, arrived)
        });
        answer.await?.map(Response::new)
    }

    /// What has come in is done, whether the client waits for it or not.
    async fn set(&self, request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        let hold = request.extensions().get::<Hold>().cloned();
        let done = tokio::spawn(self.clone().carry_out(request.into_inner(), hold)).await;
        match done {
            Ok(Some(answer)) => answer.map(Response::new),
            Ok(None) => std::future::pending().await,
            Err(error) => Err(Status::internal(format!("the simulator failed: {error}"))),
        }
    }

    type SubscribeStream = ReceiverStream<Result<SubscribeResponse, Status>>;

    async fn subscribe(
        &self,
        request: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Self::SubscribeStream>, Status> {
        let hold = request.extensions().get::<Hold>().cloned();
        let answers = self.follow(request.into_inner(), hold);
        Ok(Response::new(ReceiverStream::new(answers)))
    }
}

//! The gNMI service.

mod capabilities;
mod encoding;
mod filter;
mod get;
mod masters;
pub(crate) mod place;
mod set;
mod subscribe;

use std::sync::Arc;

use lockstep_gnmi::proto::gnmi::g_nmi_server::{GNmi, GNmiServer};
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, CapabilityResponse, GetRequest, GetResponse, SetRequest, SetResponse,
    SubscribeRequest, SubscribeResponse,
};
use lockstep_node::Handle;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, Streaming};

use crate::fresh::Fresh;
use crate::guard::Call;
use crate::hub::{Hub, Queue};
use crate::ids::Ids;
use crate::serve::{Limits, Options};
use crate::workers::Workers;
use masters::Masters;
use subscribe::Places;

pub(crate) use set::{asked, judge};
pub(crate) use subscribe::{Outlet, Told, watch};

/// gNMI in front of every target of a node.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub(crate) node: Handle,
    pub(crate) ids: Arc<Ids>,
    pub(crate) workers: Workers,
    pub(crate) fresh: Fresh,
    pub(crate) hub: Hub,
    places: Places,
    masters: Masters,
    /// The largest message, in bytes.
    pub(crate) message: usize,
    /// Nothing new is served, and what has no end of its own ends.
    stopping: CancellationToken,
}

impl Service {
    pub(crate) fn new(
        node: Handle,
        ids: Arc<Ids>,
        options: &Options,
        stopping: CancellationToken,
    ) -> Self {
        let Limits { message, subscriptions, behind, .. } = options.limits;
        Self {
            ids,
            workers: Workers::new(),
            fresh: Fresh::new(node.clone(), options.records.clone()),
            // Beside what waits to be sent, and larger than any one message.
            hub: Hub::new(node.clone(), Queue { count: behind, bytes: message.saturating_mul(4) }),
            places: Places::new(subscriptions),
            masters: Masters::default(),
            message,
            stopping,
            node,
        }
    }

    pub(crate) fn server(self) -> GNmiServer<Self> {
        let message = self.message;
        GNmiServer::new(self).max_decoding_message_size(message).max_encoding_message_size(message)
    }
}

#[tonic::async_trait]
impl GNmi for Service {
    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        Call::of(&request)?.anything()?;
        capabilities::capabilities(&self.node.models().all(), request.get_ref()).map(Response::new)
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        let call = Call::of(&request)?;
        get::get(self, call, request.into_inner()).await.map(Response::new)
    }

    async fn set(&self, request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        let call = Call::of(&request)?;
        let (metadata, _, request) = request.into_parts();
        set::set(self, &call, &metadata, request).await.map(Response::new)
    }

    type SubscribeStream = Told<SubscribeResponse>;

    async fn subscribe(
        &self,
        request: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Self::SubscribeStream>, Status> {
        let call = Call::of(&request)?;
        subscribe::subscribe(self, call, request.into_inner()).map(Response::new)
    }
}

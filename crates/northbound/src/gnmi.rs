//! The gNMI service.

mod capabilities;
mod get;
mod place;
mod set;

use std::sync::Arc;

use lockstep_gnmi::proto::gnmi::g_nmi_server::{GNmi, GNmiServer};
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, CapabilityResponse, GetRequest, GetResponse, SetRequest, SetResponse,
    SubscribeRequest, SubscribeResponse,
};
use lockstep_node::Handle;
use lockstep_yang::ModelSet;
use tokio_stream::Empty;
use tonic::{Request, Response, Status, Streaming};

use crate::answers;
use crate::ids::Ids;
use crate::serve::Options;
use crate::workers::Workers;

pub(crate) use set::judge;

/// gNMI in front of every target of a node.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    node: Handle,
    ids: Arc<Ids>,
    workers: Workers,
    models: Arc<[ModelSet]>,
    message: usize,
}

impl Service {
    pub(crate) fn server(node: Handle, ids: Arc<Ids>, options: &Options) -> GNmiServer<Self> {
        let message = options.message;
        let models = options.models.clone().into();
        GNmiServer::new(Self { node, ids, workers: Workers::new(), models, message })
            .max_decoding_message_size(message)
            .max_encoding_message_size(message)
    }
}

#[tonic::async_trait]
impl GNmi for Service {
    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        capabilities::capabilities(&self.models, request.get_ref()).map(Response::new)
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        let answer = get::get(self, request.into_inner()).await?;
        answers::fitting(answer, self.message).map(Response::new)
    }

    async fn set(&self, request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        let (metadata, _, request) = request.into_parts();
        set::set(self, &metadata, request).await.map(Response::new)
    }

    type SubscribeStream = Empty<Result<SubscribeResponse, Status>>;

    async fn subscribe(
        &self,
        _: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Self::SubscribeStream>, Status> {
        Err(Status::unimplemented("Subscribe is not implemented yet; Get serves the configuration"))
    }
}

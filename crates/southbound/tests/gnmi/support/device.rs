//! A gNMI server that reacts as a test says, and remembers what it was asked.

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use lockstep_gnmi::proto::gnmi::g_nmi_server::{GNmi, GNmiServer};
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, CapabilityResponse, Encoding, GetRequest, GetResponse, Notification,
    SetRequest, SetResponse, SubscribeRequest, SubscribeResponse, SubscriptionList,
    subscribe_request, subscribe_response, subscription_list,
};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream};
use tokio_stream::{Stream, StreamExt};
use tonic::metadata::MetadataMap;
use tonic::transport::{Server, ServerTlsConfig};
use tonic::{Request, Response, Status, Streaming};

/// What becomes of a request.
pub(crate) enum Reaction<T> {
    Answer(T),
    Refuse(Status),
    /// The answer of this moment, given when the test says so.
    Late(oneshot::Receiver<()>, T),
    Hang,
}

impl<T> Reaction<T> {
    async fn happen(self) -> Result<Response<T>, Status> {
        match self {
            Self::Answer(answer) => Ok(Response::new(answer)),
            Self::Refuse(status) => Err(status),
            Self::Late(now, answer) => {
                drop(now.await);
                Ok(Response::new(answer))
            }
            Self::Hang => std::future::pending().await,
        }
    }
}

type React<Q, A> = Box<dyn FnMut(&Q) -> Reaction<A> + Send>;

/// Clones are the same device.
#[derive(Clone)]
pub(crate) struct Device(Arc<Mutex<State>>);

struct State {
    capabilities: React<CapabilityRequest, CapabilityResponse>,
    get: React<GetRequest, GetResponse>,
    set: React<SetRequest, SetResponse>,
    gets: Vec<GetRequest>,
    sets: Vec<SetRequest>,
    metadata: Vec<MetadataMap>,
    told: Option<Vec<Notification>>,
    stream: OnStream,
}

type OnStream = Box<dyn FnMut(&SubscriptionList) -> Result<Changes, Status> + Send>;

/// What a STREAM tells, and how it ends.
pub(crate) type Changes = mpsc::UnboundedReceiver<Result<SubscribeResponse, Status>>;

impl Device {
    /// One that accepts everything, holds nothing, and speaks both kinds of JSON.
    pub(crate) fn new() -> Self {
        let encodings = vec![Encoding::Json.into(), Encoding::JsonIetf.into()];
        let capabilities =
            CapabilityResponse { supported_encodings: encodings, ..Default::default() };
        Self(Arc::new(Mutex::new(State {
            capabilities: Box::new(move |_| Reaction::Answer(capabilities.clone())),
            get: Box::new(|_| Reaction::Answer(GetResponse::default())),
            set: Box::new(|_| Reaction::Answer(SetResponse::default())),
            gets: Vec::new(),
            sets: Vec::new(),
            metadata: Vec::new(),
            told: None,
            stream: Box::new(|_| Err(Status::unimplemented("not here"))),
        })))
    }

    pub(crate) fn on_capabilities(
        &self,
        react: impl FnMut(&CapabilityRequest) -> Reaction<CapabilityResponse> + Send + 'static,
    ) {
        self.0.lock().unwrap().capabilities = Box::new(react);
    }

    pub(crate) fn on_get(
        &self,
        react: impl FnMut(&GetRequest) -> Reaction<GetResponse> + Send + 'static,
    ) {
        self.0.lock().unwrap().get = Box::new(react);
    }

    pub(crate) fn on_set(
        &self,
        react: impl FnMut(&SetRequest) -> Reaction<SetResponse> + Send + 'static,
    ) {
        self.0.lock().unwrap().set = Box::new(react);
    }

    /// What a subscription is told; before this, there are none.
    pub(crate) fn tells(&self, told: Vec<Notification>) {
        self.0.lock().unwrap().told = Some(told);
    }

    /// What a STREAM is told; before this, there are none.
    pub(crate) fn on_stream(
        &self,
        react: impl FnMut(&SubscriptionList) -> Result<Changes, Status> + Send + 'static,
    ) {
        self.0.lock().unwrap().stream = Box::new(react);
    }

    pub(crate) fn sets(&self) -> Vec<SetRequest> {
        self.0.lock().unwrap().sets.clone()
    }

    pub(crate) fn gets(&self) -> Vec<GetRequest> {
        self.0.lock().unwrap().gets.clone()
    }

    pub(crate) fn metadata(&self) -> Vec<MetadataMap> {
        self.0.lock().unwrap().metadata.clone()
    }

    /// Listens, until it is told to stop in an orderly way.
    pub(crate) async fn listen_until(&self, stop: oneshot::Receiver<()>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = Server::builder().add_service(GNmiServer::new(self.clone()));
        let incoming = TcpListenerStream::new(listener);
        tokio::spawn(serving.serve_with_incoming_shutdown(incoming, async {
            drop(stop.await);
        }));
        address
    }

    /// Listens, for as long as the test runs.
    pub(crate) async fn listen(&self, tls: Option<ServerTlsConfig>) -> SocketAddr {
        match tls {
            None => self.listen_as(Server::builder()).await,
            Some(tls) => self.listen_as(Server::builder().tls_config(tls).unwrap()).await,
        }
    }

    /// Listens as a server of this kind.
    pub(crate) async fn listen_as(&self, mut server: Server) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let service = GNmiServer::new(self.clone()).max_decoding_message_size(64 << 20);
        let serving = server.add_service(service);
        tokio::spawn(serving.serve_with_incoming(TcpListenerStream::new(listener)));
        address
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Device")
    }
}

#[tonic::async_trait]
impl GNmi for Device {
    type SubscribeStream = Pin<Box<dyn Stream<Item = Result<SubscribeResponse, Status>> + Send>>;

    async fn capabilities(
        &self,
        request: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        let reaction = {
            let mut state = self.0.lock().unwrap();
            state.metadata.push(request.metadata().clone());
            (state.capabilities)(request.get_ref())
        };
        reaction.happen().await
    }

    async fn get(&self, request: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        let reaction = {
            let mut state = self.0.lock().unwrap();
            state.metadata.push(request.metadata().clone());
            state.gets.push(request.get_ref().clone());
            (state.get)(request.get_ref())
        };
        reaction.happen().await
    }

    async fn set(&self, request: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        let reaction = {
            let mut state = self.0.lock().unwrap();
            state.metadata.push(request.metadata().clone());
            state.sets.push(request.get_ref().clone());
            (state.set)(request.get_ref())
        };
        reaction.happen().await
    }

    async fn subscribe(
        &self,
        request: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Self::SubscribeStream>, Status> {
        let told = self.0.lock().unwrap().told.clone();
        let first = request.into_inner().message().await?;
        let Some(subscribe_request::Request::Subscribe(list)) = first.and_then(|one| one.request)
        else {
            return Err(Status::invalid_argument("no list"));
        };
        if list.mode() == subscription_list::Mode::Stream {
            let changes = (self.0.lock().unwrap().stream)(&list)?;
            return Ok(Response::new(Box::pin(UnboundedReceiverStream::new(changes))));
        }
        assert_eq!(list.mode(), subscription_list::Mode::Once);
        let told = told.ok_or_else(|| Status::unimplemented("not here"))?;
        let updates = told.into_iter().map(subscribe_response::Response::Update);
        let end = subscribe_response::Response::SyncResponse(true);
        let messages = updates.chain([end]).map(|response| {
            Ok(SubscribeResponse { response: Some(response), ..Default::default() })
        });
        // Not ended by this side, as some devices do not.
        let stream = tokio_stream::iter(messages.collect::<Vec<_>>());
        Ok(Response::new(Box::pin(stream.chain(tokio_stream::pending()))))
    }
}

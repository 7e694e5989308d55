//! The floor of every request: a server on the same stack that does nothing, and clients of it.

use std::net::SocketAddr;
use std::pin::Pin;
use std::time::{Duration, Instant};

use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::gnmi::g_nmi_server::{GNmi, GNmiServer};
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::subscribe_response::Response as Told;
use lockstep_gnmi::proto::gnmi::{
    CapabilityRequest, CapabilityResponse, Encoding, GetRequest, GetResponse, Notification, Path,
    SetRequest, SetResponse, SubscribeRequest, SubscribeResponse, Update,
};
use lockstep_gnmi::{path, value};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_stream::wrappers::{BroadcastStream, TcpListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

use crate::Failed;
use crate::times::Times;

/// Over how many connections clients call, as `lockstep bench` does.
const CONNECTIONS: usize = 8;
/// Room for whole configurations.
const MESSAGE: usize = 256 << 20;
/// How many messages a subscriber may be behind.
const BEHIND: usize = 1024;

/// Does nothing.
#[derive(Debug)]
struct Empty {
    get: GetResponse,
    messages: broadcast::Sender<SubscribeResponse>,
}

type Messages = Pin<Box<dyn Stream<Item = Result<SubscribeResponse, Status>> + Send>>;

#[tonic::async_trait]
impl GNmi for Empty {
    async fn capabilities(
        &self,
        _: Request<CapabilityRequest>,
    ) -> Result<Response<CapabilityResponse>, Status> {
        Ok(Response::new(CapabilityResponse::default()))
    }

    async fn get(&self, _: Request<GetRequest>) -> Result<Response<GetResponse>, Status> {
        Ok(Response::new(self.get.clone()))
    }

    async fn set(&self, _: Request<SetRequest>) -> Result<Response<SetResponse>, Status> {
        Ok(Response::new(SetResponse::default()))
    }

    type SubscribeStream = Messages;

    async fn subscribe(
        &self,
        _: Request<Streaming<SubscribeRequest>>,
    ) -> Result<Response<Messages>, Status> {
        let messages = BroadcastStream::new(self.messages.subscribe())
            .map(|message| message.map_err(|_| Status::data_loss("too slow")));
        Ok(Response::new(Box::pin(messages)))
    }
}

/// One message of a subscription, as a node sends it.
fn message(number: u64) -> Result<SubscribeResponse, Failed> {
    let at = "/interfaces/interface[name=bench0]/description".parse()?;
    let update = Update {
        path: Some(path::write(&at)),
        val: Some(value::json(&json!(format!("bench {number}")), true)),
        ..Update::default()
    };
    let notification = Notification {
        timestamp: 1_700_000_000_000_000_000,
        prefix: Some(Path { target: "leaf1".into(), ..Path::default() }),
        update: vec![update],
        ..Notification::default()
    };
    Ok(SubscribeResponse { response: Some(Told::Update(notification)), ..Default::default() })
}

/// Serves until it is killed.
pub(crate) async fn serve(bytes: usize, rate: u64) -> Result<(), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", json!({ "address": listener.local_addr()?.to_string() }));
    let update =
        Update { val: Some(value::json(&json!("x".repeat(bytes)), true)), ..Update::default() };
    let notification = Notification { update: vec![update], ..Notification::default() };
    let get = GetResponse { notification: vec![notification], ..GetResponse::default() };
    let messages = broadcast::channel(BEHIND).0;
    if rate > 0 {
        tokio::spawn(tell(messages.clone(), rate));
    }
    let service = GNmiServer::new(Empty { get, messages }).max_encoding_message_size(MESSAGE);
    let incoming = TcpListenerStream::new(listener);
    let mut server = Server::builder().tcp_nodelay(true);
    Ok(server.add_service(service).serve_with_incoming(incoming).await?)
}

async fn tell(messages: broadcast::Sender<SubscribeResponse>, rate: u64) -> Result<(), Failed> {
    let mut ticks = interval(Duration::from_secs(1) / u32::try_from(rate)?);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0.. {
        ticks.tick().await;
        // Nobody may be listening yet.
        let _none = messages.send(message(number)?);
    }
    Ok(())
}

async fn connect(address: SocketAddr, count: usize) -> Result<Vec<GNmiClient<Channel>>, Failed> {
    let mut clients = Vec::new();
    for _ in 0..count {
        let channel = Endpoint::from_shared(format!("http://{address}"))?.connect().await?;
        clients.push(GNmiClient::new(channel).max_decoding_message_size(MESSAGE));
    }
    Ok(clients)
}

/// A Get of what is configured on a target.
pub(crate) fn get(target: &str, at: &str) -> Result<GetRequest, Failed> {
    Ok(GetRequest {
        prefix: Some(Path { target: target.to_owned(), ..Path::default() }),
        path: vec![path::write(&at.parse()?)],
        r#type: DataType::Config.into(),
        encoding: Encoding::JsonIetf.into(),
        ..GetRequest::default()
    })
}

/// Calls one after the other, from so many clients at once.
pub(crate) async fn call(
    address: SocketAddr,
    clients: usize,
    seconds: f64,
    get: Option<GetRequest>,
) -> Result<Value, Failed> {
    let connected = connect(address, clients.clamp(1, CONNECTIONS)).await?;
    let (began, over) = (Instant::now(), Duration::from_secs_f64(seconds));
    let mut tasks = JoinSet::new();
    for (_, client) in (0..clients).zip(connected.iter().cycle()) {
        let (mut client, get) = (client.clone(), get.clone());
        tasks.spawn(async move {
            let mut times = Times::new()?;
            while began.elapsed() < over {
                let start = Instant::now();
                match &get {
                    Some(get) => drop(client.get(get.clone()).await?),
                    None => drop(client.capabilities(CapabilityRequest::default()).await?),
                }
                times.record(start.elapsed())?;
            }
            Ok::<_, Failed>(times)
        });
    }
    let mut all = Times::new()?;
    while let Some(done) = tasks.join_next().await {
        all.add(&done??)?;
    }
    Ok(all.told(began.elapsed()))
}

/// Counts what so many subscribers are told.
pub(crate) async fn subscribe(
    address: SocketAddr,
    subscribers: usize,
    seconds: f64,
) -> Result<Value, Failed> {
    let connected = connect(address, subscribers.clamp(1, CONNECTIONS)).await?;
    let mut tasks = JoinSet::new();
    for (_, client) in (0..subscribers).zip(connected.iter().cycle()) {
        let mut client = client.clone();
        tasks.spawn(async move {
            let none = tokio_stream::pending::<SubscribeRequest>();
            let mut stream = client.subscribe(none).await?.into_inner();
            let mut count = 0_u64;
            let counted = async {
                while stream.message().await?.is_some() {
                    count += 1;
                }
                Ok::<_, Status>(())
            };
            // It ends when there is no more time, and with an error only if it was cut off.
            if let Ok(cut) = timeout(Duration::from_secs_f64(seconds), counted).await {
                cut?;
            }
            Ok::<_, Failed>(count)
        });
    }
    let mut messages = 0;
    while let Some(done) = tasks.join_next().await {
        messages += done??;
    }
    Ok(json!({ "messages": messages }))
}

//! The floor of every request: a server on the same stack that does nothing, and clients of it.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::{Stream, StreamExt};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

use crate::Failed;
use crate::times::Times;

/// Over how many connections clients call, as `lockstep bench` does.
const CONNECTIONS: usize = 8;
/// Room for whole configurations.
const MESSAGE: usize = 256 << 20;
/// How often it is looked whether subscribers are there.
const LOOK: Duration = Duration::from_millis(10);
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
    // As a node has it: otherwise what does not fit one packet waits for the client to acknowledge it.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    Ok(Server::builder().add_service(service).serve_with_incoming(incoming).await?)
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

/// What subscribers are told.
#[derive(Debug, Default)]
struct Heard {
    /// How many are there.
    there: AtomicUsize,
    /// From when on it counts; none: not yet.
    from: OnceLock<Instant>,
    messages: AtomicU64,
}

/// Counts what so many subscribers are told, once all of them are there. When that was: so that what the server used can be
/// told for just that time.
pub(crate) async fn subscribe(
    address: SocketAddr,
    subscribers: usize,
    seconds: f64,
) -> Result<Value, Failed> {
    let connected = connect(address, subscribers.clamp(1, CONNECTIONS)).await?;
    let (heard, over) = (Arc::<Heard>::default(), Duration::from_secs_f64(seconds));
    let mut tasks = JoinSet::new();
    for (_, client) in (0..subscribers).zip(connected.iter().cycle()) {
        tasks.spawn(listen(client.clone(), Arc::clone(&heard), over));
    }
    while heard.there.load(Relaxed) < subscribers {
        tokio::select! {
            () = sleep(LOOK) => {}
            // Nobody ends before that, other than with an error.
            Some(done) = tasks.join_next() => done??,
        }
    }
    heard.from.get_or_init(Instant::now);
    sleep(over).await;
    let until = SystemTime::now();
    let messages = heard.messages.load(Relaxed);
    if let Some(ended) = tasks.try_join_next() {
        ended??;
    }
    let since = |at: SystemTime| at.duration_since(UNIX_EPOCH).map(|since| since.as_secs_f64());
    let told =
        json!({ "messages": messages, "from": since(until - over)?, "until": since(until)? });
    tasks.shutdown().await;
    Ok(told)
}

async fn listen(
    mut client: GNmiClient<Channel>,
    heard: Arc<Heard>,
    over: Duration,
) -> Result<(), Failed> {
    let none = tokio_stream::pending::<SubscribeRequest>();
    let mut stream = client.subscribe(none).await?.into_inner();
    heard.there.fetch_add(1, Relaxed);
    while stream.message().await?.is_some() {
        if heard.from.get().is_some_and(|from| from.elapsed() < over) {
            heard.messages.fetch_add(1, Relaxed);
        }
    }
    Err("the server ended it".into())
}

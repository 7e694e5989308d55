//! gNMI, as the client of a device.
//!
//! A [`Gnmi`] is the driver of one device. Each of its lines is one TCP connection with its own channel
//! of tonic, on which Capabilities was answered before anyone else hears of it:
//!
//! ```text
//!   Ask::Claim ──► empty Set with our election id      ┐
//!   Ask::Read  ──► Get of `/`, CONFIG ──► yang::read   ├─► answer: the table ──► Answer
//!   Ask::Set   ──► set: Delta ──► one SetRequest       │
//!   a trial    ──► a Set with the extension for it     ┘
//!   Watch      ──► Subscribe ON_CHANGE, or reads ──► watch: yang::read ──► Notice
//! ```
//!
//! A claim that was accepted is followed by two probes, once per connection: an empty Set with a
//! smaller election id, which a device that fences denies, and a confirm of a commit that nobody made,
//! which a device that has such commits answers with FAILED_PRECONDITION.

mod answer;
mod arbitration;
mod busy;
mod capabilities;
mod credentials;
mod endpoint;
mod follow;
mod get;
mod known;
mod line;
mod once;
mod options;
mod quiet;
mod set;
mod subscription;
mod unverified;
mod watch;
mod way;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_yang::ModelSet;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

use crate::{BoxFuture, ConnectError, Driver, Line};
use credentials::Credentials;
use line::GnmiLine;
use quiet::Calm;
use wire::{Hold, Once};

pub use options::{Encoding, Options};

/// A whole configuration may come in one message. The limit only stops a device from filling the
/// memory.
const LARGEST_MESSAGE: usize = 256 << 20;

type Client = GNmiClient<InterceptedService<Channel, Credentials>>;

/// The driver of one device that speaks gNMI.
#[derive(Debug)]
pub struct Gnmi {
    options: Options,
    models: ModelSet,
    calm: Calm,
}

impl Gnmi {
    /// A driver for the device that these options lead to, and that is configured with these models.
    pub fn new(options: Options, models: ModelSet) -> Self {
        Self { options, models, calm: Calm::default() }
    }

    async fn first_that_answers(&self) -> Result<Arc<dyn Line>, ConnectError> {
        let mut tried = Vec::new();
        for address in &self.options.addresses {
            match self.open(address).await {
                Ok(line) => return Ok(line),
                Err(error) => tried.push(error),
            }
        }
        match tried.len() {
            0 => Err(ConnectError::Option {
                option: "addresses",
                reason: "there is none; a device needs at least one `host:port`".to_owned(),
            }),
            1 => Err(tried.remove(0)),
            _ => Err(ConnectError::Everywhere { tried }),
        }
    }

    /// A line to this address, on which the device has said what it can.
    async fn open(&self, address: &str) -> Result<Arc<dyn Line>, ConnectError> {
        let endpoint = endpoint::endpoint(&self.options, address, !self.calm.is_wanted()).await?;
        let credentials = Credentials::new(&self.options)?;
        let (after, said) = (self.options.timeout, self.options.say(address).to_owned());
        let opening = async {
            let (hold, channel) = connect(&endpoint, address, &self.options).await?;
            let client = GNmiClient::with_interceptor(channel, credentials)
                .max_decoding_message_size(LARGEST_MESSAGE)
                .max_encoding_message_size(LARGEST_MESSAGE);
            let encoding =
                capabilities::ask(client.clone(), &said, &self.options, &self.models).await?;
            Ok(GnmiLine::new(said.clone(), (client, hold), encoding, self))
        };
        let opened = timeout(after, opening).await;
        match opened {
            Ok(line) => line.map(|line| Arc::new(line) as Arc<dyn Line>),
            Err(_) => Err(ConnectError::Timeout { address: said, after }),
        }
    }
}

impl Driver for Gnmi {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Line>, ConnectError>> {
        Box::pin(self.first_that_answers())
    }

    fn patience(&self) -> Duration {
        self.options.timeout
    }
}

/// Opens the one connection, and a channel on it.
async fn connect(
    endpoint: &Endpoint,
    address: &str,
    options: &Options,
) -> Result<(Hold, Channel), ConnectError> {
    let keepalive = options.keepalive;
    let unreachable = |reason: String| ConnectError::Unreachable {
        address: options.say(address).to_owned(),
        reason,
    };
    let stream =
        TcpStream::connect(address).await.map_err(|error| unreachable(error.to_string()))?;
    prepare(&stream, keepalive).map_err(|error| unreachable(error.to_string()))?;
    let (hold, wire) = wire::new(stream, keepalive);
    let channel = endpoint.connect_with_connector(Once::new(wire)).await;
    let channel = channel.map_err(|error| unreachable(endpoint::chain(&error)))?;
    Ok((hold, channel))
}

/// Requests are small and waited for; and a host that is gone is to be noticed.
fn prepare(stream: &TcpStream, keepalive: Duration) -> std::io::Result<()> {
    // TCP counts in whole seconds.
    let quiet = keepalive.max(Duration::from_secs(1));
    let signs = TcpKeepalive::new().with_time(quiet).with_interval(quiet);
    stream.set_nodelay(true)?;
    SockRef::from(stream).set_tcp_keepalive(&signs.with_retries(3))
}

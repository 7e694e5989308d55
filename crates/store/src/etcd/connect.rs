//! Connecting to a member, which is used only once it has shown that it will do.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use etcd_client::{Channel, Client, ConnectOptions, StatusResponse};
use tokio::time::timeout;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use super::fault::{Fault, Late, Unfit};
use super::options::{Options, Tls};
use super::version;
use crate::{Error, Source};

/// How often a quiet connection is tried. etcd closes those that do it more often than every 5 s.
const PING: Duration = Duration::from_secs(8);
/// Room for large pages on the wire; the usual window costs a round trip for every 64 KiB.
const WINDOW: u32 = 4 << 20;

/// The way to one member.
pub(super) struct Connector {
    /// Where it is.
    pub(super) name: String,
    endpoint: Endpoint,
    options: ConnectOptions,
    timeout: Duration,
}

impl fmt::Debug for Connector {
    /// Without the options, which hold the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connector({})", self.name)
    }
}

impl Connector {
    pub(super) fn new(name: &str, options: &Options) -> Result<Self, Error> {
        // Without a leader a member answers at once that it has none, and ends its watches.
        let mut connect =
            ConnectOptions::new().with_require_leader(true).with_auto_token_refresh(true);
        if let Some(user) = &options.user {
            connect = connect.with_user(&user.name, &user.password);
        }
        let endpoint =
            endpoint(name, options).map_err(|error| Error::Failed { source: Arc::new(error) })?;
        let (name, timeout) = (name.to_owned(), options.timeout);
        Ok(Self { name, endpoint, options: connect, timeout })
    }

    /// Connects, and sees whether the member will do.
    pub(super) async fn connect(&self) -> Result<Client, Fault> {
        let channel = match timeout(self.timeout, self.endpoint.connect()).await {
            Ok(channel) => channel.map_err(|error| self.unreachable(Arc::new(error)))?,
            Err(_) => return Err(self.unreachable(Arc::new(Late))),
        };
        match timeout(self.timeout, self.greet(Channel::Tonic(channel))).await {
            Ok(Ok((client, status))) => {
                self.look(&status)?;
                Ok(client)
            }
            Ok(Err(error)) => Err(match Fault::from(error) {
                Fault::NotDone(source) | Fault::Unknown(source) => self.unreachable(source),
                fault => fault,
            }),
            Err(_) => Err(self.unreachable(Arc::new(Late))),
        }
    }

    /// Says who we are, and asks how it is. A stalled member takes connections, but does not answer.
    async fn greet(
        &self,
        channel: Channel,
    ) -> Result<(Client, StatusResponse), etcd_client::Error> {
        let client = Client::from_channel(channel, Some(self.options.clone())).await?;
        let status = client.maintenance_client().status().await?;
        Ok((client, status))
    }

    fn look(&self, status: &StatusResponse) -> Result<(), Fault> {
        let name = self.name.clone();
        if status.leader() == 0 {
            return Err(Fault::NotDone(Arc::new(Unfit::NoLeader(name))));
        }
        if status.is_learner() {
            return Err(Fault::NotDone(Arc::new(Unfit::Learner(name))));
        }
        version::look(&name, status.version())
    }

    fn unreachable(&self, source: Source) -> Fault {
        tracing::debug!(
            member = self.name,
            error = &*source as &dyn std::error::Error,
            "a member of etcd could not be reached"
        );
        Fault::NotDone(Arc::new(Unfit::Unreachable(self.name.clone(), source)))
    }
}

fn endpoint(name: &str, options: &Options) -> Result<Endpoint, tonic::transport::Error> {
    let scheme = if options.tls.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{name}"))?
        .connect_timeout(options.timeout)
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(options.timeout)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(2 * WINDOW)
        .tcp_nodelay(true);
    match &options.tls {
        Some(tls) => endpoint.tls_config(config(tls)),
        None => Ok(endpoint),
    }
}

fn config(tls: &Tls) -> ClientTlsConfig {
    let mut config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&tls.ca));
    if let Some((certificate, key)) = &tls.identity {
        config = config.identity(Identity::from_pem(certificate, key));
    }
    if let Some(name) = &tls.server_name {
        config = config.domain_name(name);
    }
    config
}

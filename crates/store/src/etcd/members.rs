//! The members of the cluster: one is used at a time, and left for another when it fails.
//!
//! Not the client's own balancing: that goes on giving every nth request to a member that has
//! stopped answering. Here a member is only used after it has shown that it answers and has a
//! leader, and whoever finds it wanting takes everyone along to the next, watches too.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use etcd_client::{Channel, Client, ConnectOptions, KvClient, LeaseClient, WatchClient};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use super::fault::{Fault, Late, Unfit};
use super::options::{Options, Tls};
use super::version;
use crate::{Error, Source};

/// How often a quiet connection is tried. etcd closes those that do it more often than every 5 s.
const PING: Duration = Duration::from_secs(8);
/// The first pause after every member has failed, and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));
/// Room for large pages on the wire; the usual window costs a round trip for every 64 KiB.
const WINDOW: u32 = 4 << 20;

/// A connection to the member in use.
pub(super) struct Member {
    client: Client,
    /// Which connection this is; another is never given the same number.
    pub(super) number: u64,
    at: usize,
}

pub(super) struct Members {
    endpoints: Vec<(String, Endpoint)>,
    connect: ConnectOptions,
    /// How long one request may take.
    pub(super) timeout: Duration,
    /// How long one that may be asked again is, in all.
    patience: Duration,
    current: RwLock<Option<Arc<Member>>>,
    /// Held by whoever looks for another member, with the place of the next to be tried and the
    /// number of the last connection.
    search: Mutex<(usize, u64)>,
    /// The last connection that was left.
    left: watch::Sender<u64>,
}

// Each a client of its own: taking the whole one along with every request costs more than the request.
impl Member {
    pub(super) fn kv(&self) -> KvClient {
        self.client.kv_client()
    }

    pub(super) fn leases(&self) -> LeaseClient {
        self.client.lease_client()
    }

    pub(super) fn watches(&self) -> WatchClient {
        self.client.watch_client()
    }
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Member({}, connection {})", self.at, self.number)
    }
}

impl std::fmt::Debug for Members {
    /// Without the way to connect, which holds the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.endpoints.iter().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

impl Members {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let endpoint = |name: &String| Ok((name.clone(), endpoint(name, options)?));
        let endpoints =
            options.endpoints.iter().map(endpoint).collect::<Result<Vec<_>, Error>>()?;
        // Without a leader a member answers at once that it has none, and ends its watches.
        let mut connect =
            ConnectOptions::new().with_require_leader(true).with_auto_token_refresh(true);
        if let Some(user) = &options.user {
            connect = connect.with_user(&user.name, &user.password);
        }
        Ok(Self {
            endpoints,
            connect,
            timeout: options.timeout,
            patience: options.timeout * 4,
            current: RwLock::new(None),
            search: Mutex::new((0, 0)),
            left: watch::Sender::new(0),
        })
    }

    /// Asks for something that may be done twice, of one member after the other.
    pub(super) async fn ask<T, F>(&self, request: impl Fn(Arc<Member>) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        let again = |fault: &Fault| matches!(fault, Fault::NotDone(_) | Fault::Unknown(_));
        self.tries(request, again).await
    }

    /// Asks for something that must not be done twice: again only if it certainly was not done.
    pub(super) async fn write<T, F>(&self, request: impl Fn(Arc<Member>) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        self.tries(request, |fault| matches!(fault, Fault::NotDone(_))).await
    }

    async fn tries<T, F>(
        &self,
        request: impl Fn(Arc<Member>) -> F,
        again: impl Fn(&Fault) -> bool,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        let deadline = Instant::now() + self.patience;
        let mut pause = PAUSE.0;
        loop {
            match self.once(deadline, &request).await {
                Err(fault) if again(&fault) && Instant::now() < deadline => {}
                answer => return answer,
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    async fn once<T, F>(
        &self,
        deadline: Instant,
        request: impl Fn(Arc<Member>) -> F,
    ) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, etcd_client::Error>>,
    {
        let member = self.member(deadline).await?;
        let answer = match timeout(self.timeout, request(Arc::clone(&member))).await {
            Ok(answer) => answer.map_err(Fault::from),
            Err(_) => Err(Fault::late()),
        };
        if let Err(fault @ (Fault::Unknown(source) | Fault::NotDone(source))) = &answer {
            tracing::warn!(
                member = self.endpoints[member.at].0,
                error = &**source as &dyn std::error::Error,
                done = if matches!(fault, Fault::Unknown(_)) { "unknown" } else { "no" },
                "a request to etcd failed"
            );
            self.leave(member.number);
        }
        answer
    }

    /// The member in use, or the next that will do. Looks until the deadline, and goes through all of
    /// them at least once.
    pub(super) async fn member(&self, deadline: Instant) -> Result<Arc<Member>, Fault> {
        if let Some(member) = self.current() {
            return Ok(member);
        }
        let Ok(mut search) = timeout_at(deadline, self.search.lock()).await else {
            return Err(Fault::NotDone(Arc::new(Late)));
        };
        let mut pause = PAUSE.0;
        loop {
            if let Some(member) = self.current() {
                return Ok(member);
            }
            let mut last = None;
            for _ in 0..self.endpoints.len() {
                let at = search.0 % self.endpoints.len();
                search.0 = at + 1;
                match self.connect(at).await {
                    Ok(client) => {
                        search.1 += 1;
                        return Ok(self.take(Member { client, number: search.1, at }));
                    }
                    Err(refused @ Fault::Refused(_)) => return Err(refused),
                    Err(fault) => last = Some(fault),
                }
            }
            if Instant::now() >= deadline {
                let fault = last.unwrap_or_else(Fault::late);
                // Nothing was sent to any of them.
                return Err(match fault {
                    Fault::Unknown(source) => Fault::NotDone(source),
                    fault => fault,
                });
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    fn current(&self) -> Option<Arc<Member>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn take(&self, member: Member) -> Arc<Member> {
        let member = Arc::new(member);
        tracing::info!(member = self.endpoints[member.at].0, "connected to etcd");
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&member));
        member
    }

    /// Stops using a connection, unless that was done already.
    pub(super) fn leave(&self, number: u64) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|member| member.number == number) {
            *current = None;
            self.left.send_replace(number);
        }
    }

    /// Waits until this connection is no longer used.
    pub(super) async fn left(&self, number: u64) {
        // The sender lives as long as this.
        let _ = self.left.subscribe().wait_for(|left| *left >= number).await;
    }

    /// Connects to a member, and sees whether it will do.
    async fn connect(&self, at: usize) -> Result<Client, Fault> {
        let (name, endpoint) = &self.endpoints[at];
        let unreachable = |source: Source| {
            tracing::debug!(member = name, error = &*source as &dyn std::error::Error, "left out");
            Fault::NotDone(Arc::new(Unfit::Unreachable(name.clone(), source)))
        };
        let channel = match timeout(self.timeout, endpoint.connect()).await {
            Ok(channel) => channel.map_err(|error| unreachable(Arc::new(error)))?,
            Err(_) => return Err(unreachable(Arc::new(Late))),
        };
        let channel = Channel::Tonic(channel);
        let connected = async {
            let client = Client::from_channel(channel, Some(self.connect.clone())).await?;
            let status = client.maintenance_client().status().await?;
            Ok::<_, etcd_client::Error>((client, status))
        };
        let (client, status) = match timeout(self.timeout, connected).await {
            Ok(Ok(connected)) => connected,
            Ok(Err(error)) => {
                return Err(match Fault::from(error) {
                    Fault::NotDone(source) | Fault::Unknown(source) => unreachable(source),
                    fault => fault,
                });
            }
            Err(_) => return Err(unreachable(Arc::new(Late))),
        };
        if status.leader() == 0 {
            return Err(Fault::NotDone(Arc::new(Unfit::NoLeader(name.clone()))));
        }
        if status.is_learner() {
            return Err(Fault::NotDone(Arc::new(Unfit::Learner(name.clone()))));
        }
        version::look(name, status.version())?;
        Ok(client)
    }
}

fn endpoint(name: &str, options: &Options) -> Result<Endpoint, Error> {
    let failed = |error: tonic::transport::Error| Error::Failed { source: Arc::new(error) };
    let scheme = if options.tls.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{name}")).map_err(failed)?;
    let endpoint = endpoint
        .connect_timeout(options.timeout)
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(options.timeout)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(2 * WINDOW)
        .tcp_nodelay(true);
    match &options.tls {
        Some(tls) => endpoint.tls_config(config(tls)).map_err(failed),
        None => Ok(endpoint),
    }
}

fn config(tls: &Tls) -> ClientTlsConfig {
    let mut config = ClientTlsConfig::new();
    if let Some(ca) = &tls.ca {
        config = config.ca_certificate(Certificate::from_pem(ca));
    }
    if let Some((certificate, key)) = &tls.identity {
        config = config.identity(Identity::from_pem(certificate, key));
    }
    if let Some(name) = &tls.server_name {
        config = config.domain_name(name);
    }
    config
}

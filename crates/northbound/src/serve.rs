//! The listeners.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lockstep_node::Handle;
use lockstep_store::Records;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server as Grpc;
use tonic_health::server::HealthReporter;

use crate::access::Access;
use crate::audit::{Audit, itself};
use crate::connection::Listener;
use crate::directory::Directory;
use crate::guard::{self, Guard, Guarded};
use crate::http::Health;
use crate::porch::Porch;
use crate::shares::Shares;
use crate::tls::{self, Certificates};
use crate::{admin, gnmi, http, ids::Ids, serving};

/// How long clients have to take their answers and go, once nothing is served any more.
const GRACE: Duration = Duration::from_secs(2);

/// How many calls one connection may have at once; the others wait.
const STREAMS: u32 = 256;

/// How long a client may say nothing before it is asked whether it is there, and how long it has to answer. One
/// that vanished would keep its subscriptions otherwise.
pub(crate) const ALIVE: Duration = Duration::from_secs(30);

/// Certificates of a listener, as files.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate chain.
    pub cert: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// Who may sign clients' certificates.
    pub ca: Option<PathBuf>,
    /// Whether a client must have one.
    pub require_client_cert: bool,
}

/// What is served where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The store, for whoever exports it.
    pub records: Records,
    /// Who reads what operators say of targets and models.
    pub directory: Arc<dyn Directory>,
    /// gNMI and the admin API.
    pub listen: SocketAddr,
    /// HTTP; none: not served.
    pub http: Option<Arc<Porch>>,
    /// None: plaintext.
    pub tls: Option<Tls>,
    /// How much is served at once.
    pub limits: Limits,
    /// Who may do what.
    pub access: Access,
}

/// How much is served at once. Beyond, the answer is RESOURCE_EXHAUSTED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest message, in bytes.
    pub message: usize,
    /// How many Subscribe calls may be open.
    pub subscriptions: usize,
    /// How many connections may be open, of gRPC and HTTP together.
    pub connections: usize,
    /// How many transactions a subscriber may be behind before it is cut off.
    pub behind: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message: 16 << 20, subscriptions: 1000, connections: 1000, behind: 1000 }
    }
}

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
    /// A certificate or key cannot be read.
    #[error("cannot read {path}: {error}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A certificate or key cannot be used.
    #[error("the certificate or its key cannot be used: {0}")]
    Certificate(String),
    /// The audit cannot be written.
    #[error("audit: cannot write {path}: {error}", path = .path.display())]
    Audit {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Without them nobody's password could be looked at.
    #[error("the system has no random numbers")]
    Random,
    /// Reflection cannot describe what is served.
    #[error("the services cannot be described: {0}")]
    Reflection(tonic_reflection::server::Error),
}

/// Everything that is served, until it is stopped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    http: Option<SocketAddr>,
    stop: CancellationToken,
    /// HTTP says that the node stops, for as long as it does.
    stop_http: CancellationToken,
    cut: CancellationToken,
    tasks: JoinSet<()>,
    guard: Guard,
}

impl Server {
    /// Where gNMI and the admin API are.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where HTTP is.
    #[must_use]
    pub fn http(&self) -> Option<SocketAddr> {
        self.http
    }

    /// Opens the file of the audit anew: the one before was moved away.
    pub async fn reopen(&self) {
        if let Some(audit) = self.guard.audit() {
            audit.reopen().await;
        }
    }

    /// Takes no more calls, and no more connections of gRPC; lets go of each connection whose calls have ended. HTTP goes
    /// on to say that the node stops.
    pub fn close(&self) {
        self.stop.cancel();
    }

    /// Closes it, and ends within seconds: a connection that is still held then is cut.
    pub async fn stop(mut self) {
        self.close();
        self.stop_http.cancel();
        if timeout(GRACE, drain(&mut self.tasks)).await.is_err() {
            tracing::debug!("connections are still held; cutting them");
            self.cut.cancel();
            // What does not end even now is aborted with the set.
            let _ = timeout(GRACE, drain(&mut self.tasks)).await;
        }
        // Whose client has gone may still have something to be written down.
        if timeout(GRACE, self.guard.finished()).await.is_err() {
            tracing::warn!("calls were cut off before they were written down");
        }
    }
}

async fn drain(tasks: &mut JoinSet<()>) {
    while tasks.join_next().await.is_some() {}
}

/// Serves a node. Listening has begun when this returns.
///
/// # Errors
/// An address or a certificate cannot be used.
pub async fn serve(node: Handle, options: Options) -> Result<Server, Error> {
    let (stop, cut) = (CancellationToken::new(), CancellationToken::new());
    let stop_http = CancellationToken::new();
    let mut tasks = JoinSet::new();
    let audit = options.access.audit.clone().map(Audit::open).transpose();
    let audit = audit.map_err(|(path, error)| Error::Audit { path, error })?;
    let guard = Guard::new(options.access.clone(), audit).ok_or(Error::Random)?;
    let (listener, address) = listen(options.listen).await?;
    if let Some(audit) = guard.audit() {
        tasks.spawn(itself::follow(node.clone(), audit.clone(), stop_http.clone()));
    }
    let ids = Arc::new(Ids::new(node.session().clone()));
    let records = options.records.clone();
    let health = Health { node: node.clone(), records, stopping: stop.clone() };
    let gnmi = gnmi::Service::new(node, ids, &options, stop.clone());
    let admin = admin::Service::new(gnmi.clone(), &options);
    let seats = Shares::new(options.limits.connections);
    let http = match &options.http {
        Some(porch) => {
            let (listener, certificates) = porch.take()?;
            let listener = Listener::new(listener, cut.clone(), seats.clone());
            let router = http_router(admin.clone(), health.clone(), guard.clone());
            tasks.spawn(http::run(listener, certificates, router, stop_http.clone()));
            Some(porch.address())
        }
        None => None,
    };
    let (reporter, server, services) =
        grpc(gnmi, admin, options.limits.message, guard.clone()).await?;
    tasks.spawn(serving::follow(health, reporter, stop_http.clone()));
    let listener = Listener::new(listener, cut.clone(), seats);
    let stopped = stop.clone().cancelled_owned();
    let certificates = options.tls.map(Certificates::for_grpc).transpose()?;
    tasks.spawn(async move {
        let ended = match certificates {
            Some(certificates) => {
                let incoming = tls::accept(listener, certificates);
                server.serve_with_incoming_shutdown(services, incoming, stopped).await
            }
            None => {
                server.serve_with_incoming_shutdown(services, listener.into_stream(), stopped).await
            }
        };
        if let Err(error) = ended {
            tracing::error!(%error, "the gRPC listener ended");
        }
    });
    Ok(Server { address, http, stop, stop_http, cut, tasks, guard })
}

async fn listen(at: SocketAddr) -> Result<(TcpListener, SocketAddr), Error> {
    let listener = TcpListener::bind(at).await;
    let listener = listener.map_err(|error| Error::Listen { address: at, error })?;
    let address = listener.local_addr().map_err(|error| Error::Listen { address: at, error })?;
    Ok((listener, address))
}

async fn grpc(
    gnmi: gnmi::Service,
    admin: admin::Service,
    limit: usize,
    guard: Guard,
) -> Result<(HealthReporter, Grpc, Guarded), Error> {
    let (health, health_service) = tonic_health::server::health_reporter();
    serving::begin(&health).await;
    // Clients of before 2023 know the older name alone.
    let routes = Routes::new(health_service)
        .add_service(reflection().build_v1().map_err(Error::Reflection)?)
        .add_service(reflection().build_v1alpha().map_err(Error::Reflection)?)
        .add_service(gnmi.server())
        .add_service(admin.server());
    let server = Grpc::builder()
        .max_concurrent_streams(Some(STREAMS))
        .http2_keepalive_interval(Some(ALIVE))
        .http2_keepalive_timeout(Some(ALIVE));
    Ok((health, server, Guarded::new(guard, routes, limit)))
}

/// Describes what is served here, and nothing else.
fn reflection<'a>() -> tonic_reflection::server::Builder<'a> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(lockstep_gnmi::NODE_DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

fn http_router(admin: admin::Service, health: Health, guard: Guard) -> axum::Router {
    let guarded = axum::middleware::from_fn_with_state(guard.clone(), guard::http);
    http::router(admin, health, guard).layer(guarded)
}

//! A connection to a node, for the operator's commands.

use std::error::Error;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::lockstep::v1::admin_client::AdminClient;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Status};

use lockstep_gnmi::outcome;

use crate::cli::{Failed, Global};
use crate::config::has_port;
use crate::exit::{Ended, NO_NODE, NOT_APPLIED, USAGE};
use crate::login::Shown;

/// How long a node may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How often a node that says nothing is asked whether it is there, and how long it may take to say so.
const ALIVE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(10));
/// Room for whole configurations.
const MESSAGE: usize = 256 << 20;

/// Certificates for the node that is asked. Only commands that ask one take them: `sim` and others have
/// certificates of their own.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Certificates {
    /// Who signed the node's certificate (PEM)
    #[arg(long, global = true, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// Our certificate, with --tls-key (PEM)
    #[arg(long, global = true, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of our certificate (PEM)
    #[arg(long, global = true, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// A node that answers.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    channel: Channel,
    shown: Shown,
}

/// A channel that says who asks.
pub(crate) type Asking = InterceptedService<Channel, Shown>;

impl Client {
    /// Connects to the node that was named.
    pub(crate) async fn connect(
        global: &Global,
        certificates: &Certificates,
    ) -> Result<Self, Failed> {
        let shown = global.login.shown()?;
        if shown.is_secret() && is_overheard(global) {
            return Err(format!(
                "{} is not this machine, and without TLS others would hear the password or token; leave --insecure out",
                global.server
            )
            .into());
        }
        let scheme = if global.insecure { "http" } else { "https" };
        let no_address = || {
            let words = format!("{:?} is no address of a node; give HOST:PORT", global.server);
            Ended::with(USAGE, words)
        };
        if !has_port(&global.server) {
            return Err(no_address());
        }
        let mut endpoint = Endpoint::from_shared(format!("{scheme}://{}", global.server))
            .map_err(|_| no_address())?
            .connect_timeout(CONNECT)
            // However long something takes, a node that is there says so.
            .http2_keep_alive_interval(ALIVE.0)
            .keep_alive_timeout(ALIVE.1);
        if !global.insecure {
            endpoint = endpoint.tls_config(tls(certificates)?)?;
        }
        let channel = endpoint.connect().await.map_err(|error| {
            let why = crate::output::chain(&error);
            let hint = if global.insecure {
                "is it running? (--server ADDR or LOCKSTEP_SERVER names another)"
            } else {
                "is it running, and with TLS? (--insecure asks without)"
            };
            let words = format!("no node answers at {}: {why}; {hint}", global.server);
            Ended::with(NO_NODE, words)
        })?;
        Ok(Self { channel, shown })
    }

    /// What operators ask.
    pub(crate) fn admin(&self) -> AdminClient<Asking> {
        AdminClient::with_interceptor(self.channel.clone(), self.shown.clone())
            .max_decoding_message_size(MESSAGE)
    }

    /// What anyone asks.
    pub(crate) fn gnmi(&self) -> GNmiClient<Asking> {
        GNmiClient::with_interceptor(self.channel.clone(), self.shown.clone())
            .max_decoding_message_size(MESSAGE)
            .max_encoding_message_size(MESSAGE)
    }
}

/// Whether others may hear what is said to the node.
pub(crate) fn is_overheard(global: &Global) -> bool {
    global.insecure && !is_here(&global.server)
}

/// Whether an address is on this machine.
fn is_here(server: &str) -> bool {
    let host = server.rsplit_once(':').map_or(server, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn tls(certificates: &Certificates) -> Result<ClientTlsConfig, Failed> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let mut config = ClientTlsConfig::new().with_enabled_roots();
    if let Some(ca) = &certificates.tls_ca {
        config = config.ca_certificate(Certificate::from_pem(read(ca)?));
    }
    if let (Some(cert), Some(key)) = (&certificates.tls_cert, &certificates.tls_key) {
        config = config.identity(Identity::from_pem(read(cert)?, read(key)?));
    }
    Ok(config)
}

/// What a node answered when it did not go well, as a sentence.
pub(crate) fn refused(status: &Status) -> Failed {
    let name = lockstep_gnmi::code::name(status.code());
    match status.code() {
        Code::Unauthenticated => format!(
            "{} ({name}); --username with LOCKSTEP_PASSWORD, --token-file or --tls-cert say who asks",
            status.message()
        )
        .into(),
        Code::Unavailable if status.message().is_empty() => {
            Ended::with(NO_NODE, "the node went away")
        }
        // No node said this: it is what became of the connection to it.
        _ if status.source().is_some() => {
            // What it says of itself is for those who build it.
            let why = status.source().map(crate::output::chain).unwrap_or_default();
            let next = "what was asked of it may go on: `lockstep tx list` shows it once a node answers";
            Ended::with(NO_NODE, format!("the node does not answer any more: {why}; {next}"))
        }
        _ => match outcome::read(status) {
            None => format!("{} ({name}){}", status.message(), next(status)).into(),
            Some(became) => {
                let next = format!("`lockstep tx show {}` has it all", became.index);
                Ended::with(NOT_APPLIED, format!("{} ({name}); {next}", status.message()))
            }
        },
    }
}

/// What to do next, where that is not said already.
fn next(status: &Status) -> &'static str {
    let says = |words: &str| status.message().contains(words);
    match status.code() {
        Code::NotFound if says("there is no target") => {
            "; `lockstep target list` has those there are"
        }
        Code::PermissionDenied if says("no role gives") => {
            "; whoever keeps `roles` in the nodes' configuration can give it"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::is_here;

    #[test]
    fn only_this_machine_is_here() {
        assert!(
            ["127.0.0.1:9339", "localhost:1", "[::1]:9339", "127.8.8.8:1"].into_iter().all(is_here)
        );
        assert!(
            ["10.0.0.1:9339", "node1:9339", "[::2]:1", "localhost.example:1"]
                .into_iter()
                .all(|at| !is_here(at))
        );
    }
}

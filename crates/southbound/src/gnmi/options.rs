//! What an operator says about how to reach a device.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How a device is reached, and who we are to it. The files are read anew for each connection, so a
/// certificate that was renewed is used from then on.
#[derive(Clone)]
pub struct Options {
    /// Where it may be, as `host:port`; tried in this order.
    pub addresses: Vec<String>,
    /// What is said in the place of an address that is not for everybody to read.
    pub said: BTreeMap<String, String>,
    /// Without TLS.
    pub insecure: bool,
    /// With TLS, but whoever answers is believed to be the device.
    pub skip_verify: bool,
    /// The certificates that the device's may be signed by, as a PEM file.
    pub tls_ca: Option<PathBuf>,
    /// Our own certificate, as a PEM file.
    pub tls_cert: Option<PathBuf>,
    /// The key of our own certificate, as a PEM file.
    pub tls_key: Option<PathBuf>,
    /// The name in the device's certificate, where it is not that of the address.
    pub tls_server_name: Option<String>,
    /// Sent with each request, as devices expect it.
    pub username: Option<String>,
    /// Sent with the user name.
    pub password: Option<String>,
    /// A bearer token, sent with each request.
    pub token: Option<String>,
    /// How long a connection or an answer is waited for.
    pub timeout: Duration,
    /// How long a connection is quiet before the device is asked for a sign of life, and how long that
    /// is then waited for.
    pub keepalive: Duration,
    /// How often what the device holds is read where changes cannot be subscribed to; each time it is
    /// somewhat sooner or later, so that many devices are not read at once.
    pub drift_interval: Duration,
    /// Whether the device may be asked for commits that it takes back unless they are confirmed.
    pub commit_confirmed: bool,
    /// What to speak; none: what the device prefers.
    pub encoding: Option<Encoding>,
    /// Among which clients of the device we are the only master.
    pub role: String,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Plain names and numbers.
    Json,
    /// RFC 7951.
    JsonIetf,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            addresses: Vec::new(),
            said: BTreeMap::new(),
            insecure: false,
            skip_verify: false,
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            tls_server_name: None,
            username: None,
            password: None,
            token: None,
            timeout: Duration::from_secs(10),
            keepalive: Duration::from_secs(20),
            drift_interval: Duration::from_secs(300),
            commit_confirmed: true,
            encoding: None,
            role: "lockstep".to_owned(),
        }
    }
}

impl Options {
    /// An address, as it may be told.
    pub(super) fn say<'a>(&'a self, address: &'a str) -> &'a str {
        self.said.get(address).map_or(address, String::as_str)
    }
}

/// Without what must not end up in a log.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses: Vec<&str> = self.addresses.iter().map(|one| self.say(one)).collect();
        f.debug_struct("Options")
            .field("addresses", &addresses)
            .field("insecure", &self.insecure)
            .field("skip_verify", &self.skip_verify)
            .field("username", &self.username)
            .field("timeout", &self.timeout)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}

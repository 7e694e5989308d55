//! Where the cluster is and how to reach it.

use std::fmt;
use std::time::Duration;

/// How a URL of this store begins.
const SCHEME: &str = "etcd://";
/// etcd's port for clients.
const PORT: u16 = 2379;
/// Under which keys records are kept unless the URL says otherwise.
const PREFIX: &str = "lockstep";
/// Longer ones would leave too little of a transaction to what is written.
const LONGEST_PREFIX: usize = 256;

/// Long enough for a slow disk, short enough that a session outlasts a member that does not answer: it is renewed every
/// third of it, and with the next member as soon as this one was waited for.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Where the cluster is and how to reach it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The members, each as `host:port`. One is used at a time; the others when it fails.
    pub endpoints: Vec<String>,
    /// What the keys begin with, without slashes around it. Nobody else may write below it.
    pub prefix: String,
    /// TLS; none: plaintext.
    pub tls: Option<Tls>,
    /// Who we are, where the cluster wants to know.
    pub user: Option<User>,
    /// How long one request may take before another member is asked.
    pub timeout: Duration,
    /// How often history is let go of that was there the time before, for the whole cluster; none: that
    /// is left to others.
    pub compaction: Option<Duration>,
}

/// TLS to the cluster.
#[derive(Clone)]
pub struct Tls {
    /// Who signed the members' certificates, in PEM.
    pub ca: Vec<u8>,
    /// Our certificate and its key, in PEM.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// The name in the members' certificates, where it is not the host of the endpoint.
    pub server_name: Option<String>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tls {{ identity: {} }}", self.identity.is_some())
    }
}

/// A user of the cluster.
#[derive(Clone)]
pub struct User {
    /// The name.
    pub name: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "User({})", self.name)
    }
}

/// What is wrong with the URL of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Another kind of URL.
    #[error("the store URL {0} does not begin with {SCHEME}")]
    Scheme(String),
    /// Credentials in a URL end up in logs.
    #[error("the store URL holds a user or a password: give them as store-user and store-password")]
    Credentials,
    /// Options are no part of it.
    #[error("the store URL {0} has a query or a fragment, which mean nothing here")]
    Query(String),
    /// There is no host where one should be.
    #[error("the store URL {0} names no host in one of its places")]
    NoHost(String),
    /// A host that is none.
    #[error("{0} is no host: expected a name, an IPv4 address or an IPv6 address in brackets")]
    Host(String),
    /// A port that is none.
    #[error("{port} is no port (of the host {host})")]
    Port {
        /// The host it stands behind.
        host: String,
        /// What stands there.
        port: String,
    },
    /// A member is named twice.
    #[error("the store URL names {0} twice")]
    Twice(String),
    /// A prefix that cannot be used.
    #[error("{0:?} is no key prefix: at most 256 bytes, no empty part, no space")]
    Prefix(String),
}

impl Options {
    /// Reads `etcd://host:2379,host:2379/prefix`. A port that is left out is 2379, a prefix that is
    /// left out `lockstep`.
    ///
    /// # Errors
    /// What is wrong with it.
    ///
    /// ```
    /// let options = lockstep_store::etcd::Options::parse("etcd://10.0.0.1,[::1]:4001/net").unwrap();
    /// assert_eq!(options.endpoints, ["10.0.0.1:2379", "[::1]:4001"]);
    /// assert_eq!(options.prefix, "net");
    /// ```
    pub fn parse(url: &str) -> Result<Self, UrlError> {
        let rest = url.strip_prefix(SCHEME).ok_or_else(|| UrlError::Scheme(url.to_owned()))?;
        if rest.contains('@') {
            return Err(UrlError::Credentials);
        }
        if rest.contains(['?', '#']) {
            return Err(UrlError::Query(url.to_owned()));
        }
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut endpoints = Vec::new();
        for host in hosts.split(',') {
            let endpoint = endpoint(host, url)?;
            if endpoints.contains(&endpoint) {
                return Err(UrlError::Twice(endpoint));
            }
            endpoints.push(endpoint);
        }
        let prefix = prefix(path)?;
        Ok(Self { endpoints, prefix, tls: None, user: None, timeout: TIMEOUT, compaction: None })
    }

    /// What every key of ours begins with.
    pub(super) fn root(&self) -> String {
        format!("/{}/", self.prefix)
    }
}

fn prefix(path: &str) -> Result<String, UrlError> {
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() {
        return Ok(PREFIX.to_owned());
    }
    let odd = |c: char| c.is_whitespace() || c.is_control();
    if path.len() > LONGEST_PREFIX || path.contains(odd) || path.split('/').any(str::is_empty) {
        return Err(UrlError::Prefix(path.to_owned()));
    }
    Ok(path.to_owned())
}

fn endpoint(text: &str, url: &str) -> Result<String, UrlError> {
    if text.is_empty() || text.starts_with(':') {
        return Err(UrlError::NoHost(url.to_owned()));
    }
    let wrong = || UrlError::Host(text.to_owned());
    let (host, port) = if let Some(bracketed) = text.strip_prefix('[') {
        let (address, rest) = bracketed.split_once(']').ok_or_else(wrong)?;
        address.parse::<std::net::Ipv6Addr>().map_err(|_| wrong())?;
        let port = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            None => return Err(wrong()),
            port => port,
        };
        (format!("[{address}]"), port)
    } else {
        let (host, port) = text.split_once(':').map_or((text, None), |(h, p)| (h, Some(p)));
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !host.chars().all(fine) {
            return Err(wrong());
        }
        (host.to_owned(), port)
    };
    let port = match port {
        None => PORT,
        Some(text) => {
            let port = text.parse().ok().filter(|port| *port != 0);
            port.ok_or_else(|| UrlError::Port { host: host.clone(), port: text.to_owned() })?
        }
    };
    Ok(format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    //! URLs that are read, and those that are refused with a reason.

    use super::{Options, UrlError};

    #[test]
    fn a_url_names_members_and_a_prefix() {
        for (url, endpoints, prefix) in [
            ("etcd://a", &["a:2379"][..], "lockstep"),
            ("etcd://a/", &["a:2379"], "lockstep"),
            ("etcd://a:1,b.example:2/p", &["a:1", "b.example:2"], "p"),
            ("etcd://10.1.2.3:99/p/q/", &["10.1.2.3:99"], "p/q"),
            ("etcd://[::1],[fe80::2]:7/p", &["[::1]:2379", "[fe80::2]:7"], "p"),
        ] {
            let read = Options::parse(url).unwrap();
            assert_eq!(read.endpoints, endpoints);
            assert_eq!(read.prefix, prefix);
        }
    }

    #[test]
    fn what_is_wrong_with_a_url_is_said() {
        let refused = |url: &str| Options::parse(url).unwrap_err();
        assert!(matches!(refused("http://a"), UrlError::Scheme(_)));
        assert!(matches!(refused("./data"), UrlError::Scheme(_)));
        assert_eq!(refused("etcd://me:secret@a"), UrlError::Credentials);
        assert!(!refused("etcd://me:secret@a").to_string().contains("secret"));
        assert!(matches!(refused("etcd://a/p?x=1"), UrlError::Query(_)));
        for url in ["etcd://", "etcd:///p", "etcd://a,,b", "etcd://a,/p", "etcd://:2379"] {
            assert!(matches!(refused(url), UrlError::NoHost(_)), "{url}");
        }
        for url in ["etcd://a b", "etcd://::1", "etcd://[::1", "etcd://[x]", "etcd://[::1]2"] {
            let error = refused(url);
            assert!(matches!(error, UrlError::Host(_) | UrlError::NoHost(_)), "{url}: {error}");
        }
        for url in ["etcd://a:", "etcd://a:0", "etcd://a:x", "etcd://a:65536", "etcd://[::1]:"] {
            assert!(matches!(refused(url), UrlError::Port { .. }), "{url}");
        }
        assert_eq!(refused("etcd://a,b,a:2379"), UrlError::Twice("a:2379".into()));
        for url in ["etcd://a/p//q", "etcd://a//p", "etcd://a/p q"] {
            assert!(matches!(refused(url), UrlError::Prefix(_)), "{url}");
        }
        let long = format!("etcd://a/{}", "p".repeat(257));
        assert!(matches!(refused(&long), UrlError::Prefix(_)));
    }
}

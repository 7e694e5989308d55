//! TLS of the listener, with certificates that may be renewed while it listens.
//!
//! Each new connection looks whether the files have changed, and then reads them again. Files that cannot
//! be used, as when only one of two was replaced so far, leave the certificates before them in use, and
//! are tried again with the next connection. Connections that are open stay as they are.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use crate::connection::{Connection, Listener};
use crate::identity::valid_until;
use crate::metrics;
use crate::serve::{Error, Tls};

/// How long a client may take to agree on keys.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How many may be at it at once; beyond, the next ones wait to be accepted.
const HANDSHAKES: usize = 256;

/// What a file was like when it was read.
type Stamp = Vec<Option<(SystemTime, u64)>>;

/// The certificates in use.
#[derive(Debug)]
pub(crate) struct Certificates {
    files: Tls,
    /// What can be spoken once keys are agreed on, the best first.
    speaks: &'static [&'static [u8]],
    current: Mutex<(Stamp, Arc<ServerConfig>)>,
}

impl Certificates {
    /// For gRPC.
    pub(crate) fn for_grpc(files: Tls) -> Result<Self, Error> {
        Self::read(files, &[b"h2"])
    }

    /// For HTTP. A browser keeps all that its windows watch on one connection, if it can speak HTTP/2.
    pub(crate) fn for_http(files: Tls) -> Result<Self, Error> {
        Self::read(files, &[b"h2", b"http/1.1"])
    }

    fn read(files: Tls, speaks: &'static [&'static [u8]]) -> Result<Self, Error> {
        let stamp = stamp(&files);
        let current = Mutex::new((stamp, Arc::new(config(&files, speaks)?)));
        Ok(Self { files, speaks, current })
    }

    /// For the next connection.
    fn acceptor(&self) -> TlsAcceptor {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = stamp(&self.files);
        if current.0 != stamp {
            match config(&self.files, self.speaks) {
                Ok(config) => {
                    tracing::info!("the certificates were renewed");
                    *current = (stamp, Arc::new(config));
                }
                Err(error) => {
                    tracing::warn!(%error, "the new certificates cannot be used; the old ones are");
                }
            }
        }
        Arc::clone(&current.1).into()
    }
}

fn stamp(files: &Tls) -> Stamp {
    let each = [Some(&files.cert), Some(&files.key), files.ca.as_ref()].into_iter().flatten();
    let of = |path: &PathBuf| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    each.map(of).collect()
}

fn config(files: &Tls, speaks: &[&[u8]]) -> Result<ServerConfig, Error> {
    let provider = Arc::new(crypto::ring::default_provider());
    let certificate = |error: &dyn std::fmt::Display| Error::Certificate(error.to_string());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| certificate(&error))?;
    let builder = match &files.ca {
        None => builder.with_no_client_auth(),
        Some(ca) => {
            let mut roots = RootCertStore::empty();
            for one in certificates(ca)? {
                roots.add(one).map_err(|error| certificate(&error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = match files.require_client_cert {
                true => verifier,
                false => verifier.allow_unauthenticated(),
            };
            let verifier = verifier.build().map_err(|error| certificate(&error))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::from_pem_slice(&read(&files.key)?);
    let key =
        key.map_err(|error| Error::Certificate(format!("{}: {error}", files.key.display())))?;
    let chain = certificates(&files.cert)?;
    if let Some(until) = chain.first().and_then(|first| valid_until(first)) {
        let until = until.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        metrics::CERTIFICATE.set(until.as_secs_f64());
    }
    let chain = builder.with_single_cert(chain, key);
    let mut config = chain.map_err(|error| certificate(&error))?;
    config.alpn_protocols = speaks.iter().map(|one| one.to_vec()).collect();
    Ok(config)
}

fn certificates(path: &PathBuf) -> Result<Vec<CertificateDer<'static>>, Error> {
    let wrong = |why: String| Error::Certificate(format!("{}: {why}", path.display()));
    let read = read(path)?;
    let found = CertificateDer::pem_slice_iter(&read).collect::<Result<Vec<_>, _>>();
    match found {
        Ok(found) if found.is_empty() => Err(wrong("there is no certificate in it".into())),
        Ok(found) => Ok(found),
        Err(error) => Err(wrong(error.to_string())),
    }
}

fn read(path: &PathBuf) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| Error::File { path: path.clone(), error })
}

/// Connections whose keys are agreed on. One that takes its time holds up no other.
pub(crate) fn accept(
    listener: Listener,
    certificates: Certificates,
) -> impl tokio_stream::Stream<Item = Result<TlsStream<Connection>, io::Error>> {
    let state = (listener, certificates, JoinSet::new());
    futures_util::stream::unfold(state, |(mut listener, certificates, mut open)| async move {
        let ready = loop {
            tokio::select! {
                biased;
                Some(done) = open.join_next() => match done {
                    Ok(Some(stream)) => break stream,
                    Ok(None) => {}
                    Err(error) => tracing::debug!(%error, "a handshake was cut off"),
                },
                connection = listener.next(), if open.len() < HANDSHAKES => {
                    let acceptor = certificates.acceptor();
                    let from = connection.connect_info().address;
                    open.spawn(async move {
                        match timeout(HANDSHAKE, acceptor.accept(connection)).await {
                            Ok(Ok(stream)) => Some(stream),
                            Ok(Err(error)) => {
                                tracing::debug!(%from, %error, "no keys were agreed on");
                                None
                            }
                            Err(_) => None,
                        }
                    });
                }
            }
        };
        Some((Ok(ready), (listener, certificates, open)))
    })
}

//! The address of HTTP, held for as long as the process runs: while there is no node behind it, it says so.

use std::net::{SocketAddr, TcpListener as Socket};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::connection::Listener;
use crate::http::{self, alive, not_ready, said};
use crate::metrics;
use crate::serve::{Error, Tls};
use crate::shares::Shares;
use crate::tls::Certificates;

/// Whoever looks how a node does while it is not there yet: a few.
const CALLERS: usize = 16;

/// The address of HTTP.
#[derive(Debug)]
pub struct Porch {
    socket: Socket,
    address: SocketAddr,
    tls: Option<Tls>,
    /// Whoever answers while there is no node.
    waiting: Mutex<Option<JoinHandle<()>>>,
}

impl Porch {
    /// Takes the address. On one of the machine itself there is no TLS: nobody listens in, and whoever looks whether
    /// the node lives needs no certificate.
    ///
    /// # Errors
    /// It cannot be listened on.
    pub fn open(at: SocketAddr, tls: Option<Tls>) -> Result<Self, Error> {
        let failed = |error| Error::Listen { address: at, error };
        let socket = Socket::bind(at).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let tls = tls.filter(|_| !at.ip().is_loopback());
        Ok(Self { socket, address, tls, waiting: Mutex::default() })
    }

    /// The address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until a node is served here: the process is alive, and not ready for this reason. Has to be called within
    /// a tokio runtime.
    ///
    /// # Errors
    /// The certificates cannot be used.
    pub fn wait(&self, why: &str) -> Result<(), Error> {
        let (never, cut) = (CancellationToken::new(), CancellationToken::new());
        let listener = Listener::new(self.listener()?, cut.clone(), Shares::new(CALLERS));
        let (certificates, router) = (self.certificates()?, router(why));
        let waiting = tokio::spawn(async move {
            // Connections end with this, whoever holds on to one.
            let _cut = cut.drop_guard();
            http::run(listener, certificates, router, never).await;
        });
        self.replace(Some(waiting));
        Ok(())
    }

    /// What a node is to be served on; nobody else answers from here on.
    pub(crate) fn take(&self) -> Result<(TcpListener, Option<Certificates>), Error> {
        let taken = (self.listener()?, self.certificates()?);
        self.replace(None);
        Ok(taken)
    }

    fn replace(&self, by: Option<JoinHandle<()>>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = std::mem::replace(&mut *waiting, by) {
            before.abort();
        }
    }

    fn listener(&self) -> Result<TcpListener, Error> {
        let listener = self.socket.try_clone().and_then(TcpListener::from_std);
        listener.map_err(|error| Error::Listen { address: self.address, error })
    }

    fn certificates(&self) -> Result<Option<Certificates>, Error> {
        self.tls.clone().map(Certificates::for_http).transpose()
    }
}

impl Drop for Porch {
    fn drop(&mut self) {
        self.replace(None);
    }
}

fn router(why: &str) -> Router {
    let why: Arc<str> = why.into();
    let (ready, other) = (Arc::clone(&why), why);
    let metrics = || async {
        lockstep_node::metrics::no_node();
        lockstep_metrics::process::look();
        said(lockstep_metrics::text(metrics::everything()))
    };
    alive()
        .route("/readyz", get(move || async move { not_ready(&ready) }))
        .route("/metrics", get(metrics))
        .fallback(move || async move {
            http::refused(&Status::unavailable(format!("not ready: {other}")), None)
        })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    async fn ask(at: SocketAddr, path: &str) -> String {
        let mut stream = TcpStream::connect(at).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).await.unwrap();
        said
    }

    #[tokio::test]
    async fn while_there_is_no_node_it_says_why() {
        let porch = Porch::open((Ipv4Addr::LOCALHOST, 0).into(), None).unwrap();
        porch.wait("the node is starting").unwrap();
        let at = porch.address();
        assert!(ask(at, "/healthz").await.contains("200 OK"));
        let ready = ask(at, "/readyz").await;
        assert!(
            ready.contains(" 503 ") && ready.ends_with("not ready: the node is starting\n"),
            "{ready}"
        );
        assert!(ask(at, "/metrics").await.contains("\nlockstep_session_held 0\n"));
        let other = ask(at, "/api/v1/summary").await;
        assert!(other.contains(" 503 ") && other.contains("UNAVAILABLE"), "{other}");
        porch.wait("another reason").unwrap();
        assert!(ask(at, "/readyz").await.contains("another reason"));
        // Taken by a node, it is that node's to answer.
        let (listener, _) = porch.take().unwrap();
        let asked = tokio::spawn(async move { TcpStream::connect(at).await.is_ok() });
        assert!(listener.accept().await.is_ok() && asked.await.unwrap());
    }
}

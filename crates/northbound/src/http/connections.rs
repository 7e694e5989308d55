//! HTTP on the connections of a listener, each of which lasts for as long as its client says something.

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::extract::connect_info::ConnectInfo;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use futures_util::{Stream, StreamExt};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tonic::codegen::Service;

use crate::connection::Listener;
use crate::guard::Peer;
use crate::serve::ALIVE;
use crate::tls::{self, Certificates};

/// How long a client may take to say what it asks, and may have nothing to ask after an answer: longer than whoever
/// looks every minute lets a connection rest. One of HTTP/2 is asked whether it is there instead.
const QUIET: Duration = Duration::from_secs(90);

/// Serves until it is stopped, and every connection has its answers.
pub(crate) async fn run(
    listener: Listener,
    certificates: Option<Certificates>,
    router: Router,
    stop: CancellationToken,
) {
    let router = router.layer(from_fn(noted));
    match certificates {
        None => each(listener.into_stream(), router, stop).await,
        Some(certificates) => each(tls::accept(listener, certificates), router, stop).await,
    }
}

/// The connection is one on which something is asked.
async fn noted(ConnectInfo(peer): ConnectInfo<Peer>, request: Request, next: Next) -> Response {
    peer.asked.note();
    next.run(request).await
}

async fn each<I>(
    incoming: impl Stream<Item = io::Result<I>>,
    router: Router,
    stop: CancellationToken,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    for<'a> Peer: From<&'a I>,
{
    let mut open = JoinSet::new();
    {
        let mut incoming = pin!(incoming);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                // Nothing is to be done about one that ended.
                Some(_) = open.join_next() => {}
                Some(Ok(io)) = incoming.next() => {
                    open.spawn(connection(io, router.clone(), stop.clone()));
                }
            }
        }
    }
    while open.join_next().await.is_some() {}
}

async fn connection<I>(io: I, router: Router, stop: CancellationToken)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    for<'a> Peer: From<&'a I>,
{
    let peer = Peer::from(&io);
    let mut services = router.into_make_service_with_connect_info::<Peer>();
    let Ok(service) = services.call(peer).await;
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(QUIET);
    let mut http2 = builder.http2();
    http2.timer(TokioTimer::new()).keep_alive_interval(ALIVE).keep_alive_timeout(ALIVE);
    let served = builder.serve_connection(TokioIo::new(io), TowerToHyperService::new(service));
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection of HTTP ended");
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::Instant;

    use super::*;
    use crate::http::alive;
    use crate::shares::Shares;

    const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

    async fn served() -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let at = listener.local_addr().unwrap();
        let listener = Listener::new(listener, CancellationToken::new(), Shares::new(4));
        tokio::spawn(run(listener, None, alive(), CancellationToken::new()));
        at
    }

    /// How long a connection is held on which this is said, and nothing more; and what was answered.
    async fn held(said: &[u8]) -> (Duration, String) {
        let mut stream = TcpStream::connect(served().await).await.unwrap();
        let (begun, mut answer) = (Instant::now(), Vec::new());
        stream.write_all(said).await.unwrap();
        // However it ends.
        let _cut = stream.read_to_end(&mut answer).await;
        (begun.elapsed(), String::from_utf8_lossy(&answer).into_owned())
    }

    // rule: limit-quiet
    #[tokio::test(start_paused = true)]
    async fn a_connection_on_which_nothing_is_asked_is_closed() {
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice();
        for said in
            [b"".as_slice(), b"P", b"GET /healthz HT", &REQUEST[..REQUEST.len() - 2], preface]
        {
            let (held, _) = held(said).await;
            assert!((25..=35).contains(&held.as_secs()), "{said:?}: {held:?}");
        }
    }

    // rule: limit-quiet
    #[tokio::test(start_paused = true)]
    async fn a_connection_that_rests_is_held_for_a_while() {
        for said in [REQUEST.to_vec(), [REQUEST, b"GET /heal"].concat()] {
            let (held, answer) = held(&said).await;
            assert!(answer.contains("200 OK"), "{answer}");
            assert!((85..=95).contains(&held.as_secs()), "{held:?}");
        }
    }
}

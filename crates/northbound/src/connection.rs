//! Connections that end when they are told to, whatever whoever holds the other end does.
//!
//! A server that stops waits for its connections, and a client may keep one open for good: a stream of
//! health, half a request, or nothing but the connection. So each of them can be cut from here.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use lockstep_metrics::Held;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::{Connected, TcpConnectInfo};

use crate::metrics;
use crate::network::network;
use crate::shares::{Share, Shares};

/// How long nothing is accepted after the system could not: it is out of files, say.
const PAUSE: Duration = Duration::from_millis(100);

/// A connection that can be cut.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    _seat: Seat,
    _counted: Held,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Connection {
    /// Every server reads as long as it has a connection, so this is where it hears of its end.
    fn poll_cut(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        match self.cut.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::ErrorKind::ConnectionAborted.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll_cut(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_cut(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_cut(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

/// So many connections at once, by network.
pub(crate) type Seats = Shares<IpAddr>;
type Seat = Share<IpAddr>;

/// Accepts connections that are cut all at once, as many as there are seats.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: TcpListener,
    cut: CancellationToken,
    seats: Seats,
}

impl Listener {
    pub(crate) fn new(listener: TcpListener, cut: CancellationToken, seats: Seats) -> Self {
        Self { listener, cut, seats }
    }

    /// The next connection; never an end.
    pub(crate) async fn next(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) => {
                    let seat = match self.seats.take(Some(network(from.ip()))) {
                        Ok(seat) => seat,
                        Err(taken) => {
                            metrics::TURNED_AWAY.inc();
                            tracing::debug!(%from, ?taken, "too many connections; this one is closed");
                            continue;
                        }
                    };
                    // Answers are small and awaited.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "a connection that was gone at once");
                    }
                    let cut = Box::pin(self.cut.clone().cancelled_owned());
                    let _counted = metrics::CONNECTIONS.hold();
                    return (Connection { stream, _seat: seat, _counted, cut }, from);
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// As the gRPC server takes them.
    pub(crate) fn into_stream(
        self,
    ) -> impl tokio_stream::Stream<Item = Result<Connection, io::Error>> {
        futures_util::stream::unfold(self, |mut listener| async move {
            let (connection, _) = listener.next().await;
            Some((Ok(connection), listener))
        })
    }
}

impl axum::serve::Listener for Listener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        self.next().await
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

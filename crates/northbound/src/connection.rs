//! Connections that end when they are told to, whatever whoever holds the other end does.
//!
//! A server that stops waits for its connections, and a client may keep one open for good: a stream of
//! health, half a request, or nothing but the connection. So each of them can be cut from here; and one on which nothing is
//! ever asked is cut by itself.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use lockstep_metrics::Held;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use crate::metrics;
use crate::network::network;
use crate::patience::{Asked, Patience};
use crate::shares::{Share, Shares};

/// How long nothing is accepted after the system could not: it is out of files, say.
const PAUSE: Duration = Duration::from_millis(100);

/// A connection that can be cut.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    from: SocketAddr,
    _seat: Seat,
    _counted: Held,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    patience: Patience,
}

/// Where a connection comes from, for whoever answers what is asked on it.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    pub(crate) asked: Asked,
}

impl Connection {
    /// Every server reads as long as it has a connection, so this is where it hears of its end.
    fn poll_cut(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if self.cut.as_mut().poll(context).is_ready() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        match self.patience.poll_end(context) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
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
    type ConnectInfo = Origin;

    fn connect_info(&self) -> Origin {
        Origin { address: self.from, asked: self.patience.asked() }
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
    pub(crate) async fn next(&mut self) -> Connection {
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
                    let (_seat, patience) = (seat, Patience::new());
                    return Connection { stream, from, _seat, _counted, cut, patience };
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// As servers take them.
    pub(crate) fn into_stream(
        self,
    ) -> impl tokio_stream::Stream<Item = Result<Connection, io::Error>> {
        futures_util::stream::unfold(self, |mut listener| async move {
            let connection = listener.next().await;
            Some((Ok(connection), listener))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::AsyncReadExt;
    use tokio::time::timeout;

    use super::*;
    use crate::shares::Shares;

    // rule: limit-quiet
    #[tokio::test(start_paused = true)]
    async fn one_on_which_nothing_is_asked_ends_by_itself() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let at = listener.local_addr().unwrap();
        let mut listener = Listener::new(listener, CancellationToken::new(), Shares::new(4));
        let long = Duration::from_secs(3600);
        for asked in [false, true] {
            let (_client, mut connection) = tokio::join!(TcpStream::connect(at), listener.next());
            if asked {
                connection.connect_info().asked.note();
            }
            match timeout(long, connection.read_u8()).await {
                Ok(ended) => {
                    assert!(!asked && ended.unwrap_err().kind() == io::ErrorKind::TimedOut);
                }
                Err(_held) => assert!(asked),
            }
        }
    }
}

//! The one TCP connection under a line: who ended it is known, and it is never opened again.
//!
//! A channel of tonic opens a new connection by itself when the old one is gone. A device that
//! restarted would then answer the next request as if nothing had happened, with none of its
//! configuration. So the channel is handed one open connection, and nothing when it asks for more.

use std::fmt;
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tonic::codegen::Service;
use tonic::transport::Uri;

/// Why a connection is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The device closed it, or said goodbye.
    Device,
    /// We did.
    Ours,
    /// HTTP/2 gave it up: nothing came for too long.
    Silence,
    /// It broke.
    Broken(String),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Device => "the device closed the connection",
            Self::Ours => "closed by this node",
            Self::Silence => "the device gave no sign of life",
            Self::Broken(reason) => reason,
        })
    }
}

/// The side of the connection that a line holds.
#[derive(Debug)]
pub(super) struct Hold(Arc<Shared>);

/// The side of the connection that HTTP/2 reads and writes.
#[derive(Debug)]
pub(super) struct Wire(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    stream: Mutex<Option<TcpStream>>,
    /// How long HTTP/2 waits for a sign of life.
    patience: Duration,
    /// When something came last.
    heard: Mutex<Instant>,
    /// Why the connection is gone; the first to say so is believed.
    ended: watch::Sender<Option<End>>,
}

/// Both sides of this connection, on which HTTP/2 waits so long for a sign of life.
pub(super) fn new(stream: TcpStream, patience: Duration) -> (Hold, Wire) {
    let shared = Arc::new(Shared {
        stream: Mutex::new(Some(stream)),
        patience,
        heard: Mutex::new(Instant::now()),
        ended: watch::Sender::default(),
    });
    (Hold(Arc::clone(&shared)), Wire(shared))
}

impl Hold {
    /// Comes back when the connection is gone, with the reason.
    pub(super) async fn ended(&self) -> End {
        let mut ended = self.0.ended.subscribe();
        let end = ended.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
        end.unwrap_or(End::Ours)
    }
}

/// At once, without a word to the device: what is still under way is not waited for.
impl Drop for Hold {
    fn drop(&mut self) {
        self.0.end(End::Ours);
    }
}

impl Shared {
    fn stream(&self) -> MutexGuard<'_, Option<TcpStream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, end: End) {
        drop(self.stream().take());
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert(end);
            first
        });
    }

    fn with<T>(
        &self,
        act: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let done = match &mut *self.stream() {
            Some(stream) => act(Pin::new(stream)),
            None => Poll::Ready(Err(gone())),
        };
        if let Poll::Ready(Err(error)) = &done {
            self.end(End::Broken(error.to_string()));
        }
        done
    }
}

/// HTTP/2 is done with the connection. If nobody said why, it was for lack of a sign of life, unless
/// something came just now: then that was a goodbye.
impl Drop for Wire {
    fn drop(&mut self) {
        let heard = *self.0.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = heard.elapsed() >= self.0.patience.mul_f64(0.9);
        self.0.end(if silent { End::Silence } else { End::Device });
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = self.0.with(|stream| stream.poll_read(context, buffer));
        if matches!(read, Poll::Ready(Ok(()))) && room > 0 {
            if buffer.filled().len() == before {
                self.0.end(End::Device);
            }
            *self.0.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
        read
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.with(|stream| stream.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.with(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.with(|stream| stream.poll_shutdown(context))
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the connection is gone")
}

/// Hands out the connection the first time it is asked, and nothing after that.
pub(super) struct Once(Option<Wire>);

impl Once {
    pub(super) fn new(wire: Wire) -> Self {
        Self(Some(wire))
    }
}

impl Service<Uri> for Once {
    type Response = TokioIo<Wire>;
    type Error = io::Error;
    type Future = Ready<io::Result<TokioIo<Wire>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(self.0.take().map(TokioIo::new).ok_or_else(gone))
    }
}

//! A connection that can be cut from outside.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tonic::transport::server::Connected;

/// One accepted connection. It ends with an error at once when its device is turned off, however
/// many calls are under way on it.
pub(crate) struct Line {
    stream: TcpStream,
    /// The device is turned off.
    cut: Option<Switch>,
    /// The simulator is stopped.
    stop: Switch,
    /// This connection alone is dropped.
    dropped: Switch,
    hold: Hold,
}

/// What a call can do to the connection that it came in on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hold {
    spared: Arc<AtomicBool>,
    dropped: Arc<watch::Sender<bool>>,
}

/// One end of a switch that is thrown once.
struct Switch {
    thrown: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Whoever throws it can wait until all ends are gone, and with them the connections.
    _end: watch::Receiver<bool>,
}

impl Hold {
    /// Keeps it when its device is turned off, for the call that does so comes in on one.
    pub(crate) fn spare(&self) {
        self.spared.store(true, Ordering::Relaxed);
    }

    /// Ends it at once.
    pub(crate) fn hang_up(&self) {
        self.dropped.send_replace(true);
    }
}

impl Line {
    pub(crate) fn new(
        stream: TcpStream,
        cut: watch::Receiver<bool>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let hold = Hold::default();
        let (cut, stop) = (Some(Switch::new(cut)), Switch::new(stop));
        Self { stream, cut, stop, dropped: Switch::new(hold.dropped.subscribe()), hold }
    }

    /// Fails once the line is cut. A connection always waits to read, so it is woken for that.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let cut = self.cut.as_mut().is_some_and(|cut| cut.is_thrown(context));
        if cut && self.hold.spared.load(Ordering::Relaxed) {
            self.cut = None;
        } else if cut || self.stop.is_thrown(context) || self.dropped.is_thrown(context) {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Ok(())
    }
}

impl Switch {
    fn new(end: watch::Receiver<bool>) -> Self {
        Self { thrown: Some(Box::pin(thrown(end.clone()))), _end: end }
    }

    fn is_thrown(&mut self, context: &mut Context<'_>) -> bool {
        let Some(thrown) = &mut self.thrown else { return true };
        let now = thrown.as_mut().poll(context).is_ready();
        if now {
            self.thrown = None;
        }
        now
    }
}

/// Resolves when the switch is thrown, or nobody is left to throw it.
pub(crate) async fn thrown(mut end: watch::Receiver<bool>) {
    let _either = end.wait_for(|thrown| *thrown).await;
}

impl Connected for Line {
    type ConnectInfo = Hold;

    fn connect_info(&self) -> Hold {
        self.hold.clone()
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

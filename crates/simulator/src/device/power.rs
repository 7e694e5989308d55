//! Turning a device off and on: its listener and its connections.

use std::io;
use std::net::{SocketAddr, TcpListener as Bound};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tracing::{debug, warn};

use super::{Device, Line, line};
use crate::{Error, service};

/// How long to wait for a port that something else took while the device was off.
const PORT_TAKEN: Duration = Duration::from_secs(5);
/// How long to wait for connections to notice that they are cut. They do at once; this is only so
/// that a mistake of ours shows as a warning and not as a hang.
const CUT_HEARD: Duration = Duration::from_secs(2);
/// Between two tries, where the machine has run out of something.
const PAUSE: Duration = Duration::from_millis(20);

/// The switch of a device.
#[derive(Debug)]
pub(super) struct Power {
    running: Mutex<Option<Running>>,
    stop: watch::Sender<bool>,
}

#[derive(Debug)]
struct Running {
    cut: watch::Sender<bool>,
    server: JoinHandle<()>,
}

impl Default for Power {
    fn default() -> Self {
        Self { running: Mutex::default(), stop: watch::Sender::new(false) }
    }
}

impl Device {
    /// Turns the device off and on again: its listener and all its connections close at once, as
    /// those of a killed process, and it listens on the same port when this returns. `keep`:
    /// with its configuration, otherwise empty.
    pub async fn restart(&self, keep: bool) -> Result<(), Error> {
        let mut running = self.0.power.running.lock().await;
        self.off(&mut running, keep).await;
        self.on(&mut running).await
    }

    /// Turns the device off, until [`Device::switch_on`].
    pub async fn switch_off(&self, keep: bool) {
        let mut running = self.0.power.running.lock().await;
        self.off(&mut running, keep).await;
    }

    /// Turns the device on again, on the same port. Nothing happens if it is on.
    pub async fn switch_on(&self) -> Result<(), Error> {
        let mut running = self.0.power.running.lock().await;
        if running.is_some() { Ok(()) } else { self.on(&mut running).await }
    }

    /// Ends the device for good, spared connections included.
    pub(crate) async fn stop(&self) {
        self.abandon();
        let mut running = self.0.power.running.lock().await;
        self.off(&mut running, true).await;
        // Those that were spared earlier.
        self.gone(&self.0.power.stop).await;
    }

    /// As [`Device::stop`], without waiting for it.
    pub(crate) fn abandon(&self) {
        self.0.power.stop.send_replace(true);
        self.release();
    }

    /// Whether it was ended for good.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.0.power.stop.borrow()
    }

    /// Starts the device with a listener that is there already.
    pub(super) fn first_boot(&self, listener: Bound) -> Result<(), Error> {
        let running = self.serve(listener)?;
        // Nobody else knows this device yet.
        if let Ok(mut power) = self.0.power.running.try_lock() {
            *power = Some(running);
        }
        Ok(())
    }

    async fn off(&self, running: &mut Option<Running>, keep: bool) {
        let Some(Running { cut, server }) = running.take() else { return };
        // First, so that nothing under way can still take effect.
        {
            let mut state = self.state();
            state.kill(keep);
            self.save(&state);
        }
        // What hangs finds that it never happened.
        self.release();
        cut.send_replace(true);
        self.gone(&cut).await;
        if let Err(error) = server.await {
            warn!(address = %self.address(), %error, "the server of a device failed");
        }
    }

    /// Waits until everything on this switch is gone.
    async fn gone(&self, switch: &watch::Sender<bool>) {
        if timeout(CUT_HEARD, switch.closed()).await.is_err() {
            warn!(address = %self.address(), "a connection did not notice that it was cut");
        }
    }

    async fn on(&self, running: &mut Option<Running>) -> Result<(), Error> {
        if *self.0.power.stop.borrow() {
            return Err(Error::Stopped);
        }
        let deadline = Instant::now() + PORT_TAKEN;
        let listener = loop {
            match bind(self.address()) {
                Ok(listener) => break listener,
                Err(taken)
                    if taken.kind() == io::ErrorKind::AddrInUse && Instant::now() < deadline =>
                {
                    sleep(PAUSE).await;
                }
                Err(source) => return Err(Error::Listen { address: self.address(), source }),
            }
        };
        *running = Some(self.serve(listener)?);
        Ok(())
    }

    fn serve(&self, listener: Bound) -> Result<Running, Error> {
        let listener = TcpListener::from_std(listener)
            .map_err(|source| Error::Listen { address: self.address(), source })?;
        let boot = {
            let mut state = self.state();
            // The first start; later ones are counted when the device goes off.
            state.boot = state.boot.max(1);
            state.boot
        };
        debug!(address = %self.address(), boot, "a device is on");
        let (cut, stop) = (watch::Sender::new(false), self.0.power.stop.subscribe());
        let (lines, incoming) = mpsc::channel(16);
        let accepting = accept(listener, lines, cut.subscribe(), stop);
        let serving = service::serve(self.clone(), boot, ReceiverStream::new(incoming));
        let server = tokio::spawn(async move {
            tokio::join!(accepting, serving);
        });
        Ok(Running { cut, server })
    }
}

/// A listener that tokio can take over. The port may still have connections of an earlier boot.
pub(super) fn bind(address: SocketAddr) -> io::Result<Bound> {
    let listener = Bound::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Hands on what connects, until the device is turned off; then the listener closes.
async fn accept(
    listener: TcpListener,
    lines: mpsc::Sender<io::Result<Line>>,
    cut: watch::Receiver<bool>,
    stop: watch::Receiver<bool>,
) {
    loop {
        let accepted = tokio::select! {
            biased;
            () = line::thrown(cut.clone()) => return,
            () = line::thrown(stop.clone()) => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    debug!(%error, "a connection may be slow");
                }
                if lines.send(Ok(Line::new(stream, cut.clone(), stop.clone()))).await.is_err() {
                    return;
                }
            }
            Err(error) => {
                warn!(%error, "a device cannot accept a connection");
                sleep(PAUSE).await;
            }
        }
    }
}

//! Being told to end, by Ctrl-C or by whoever runs the process; and to open files anew.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT and SIGTERM, from the moment this is made.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Begins to listen, so that neither ends the process by itself any more.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) -> Interrupted {
        tokio::select! {
            _ = self.interrupt.recv() => Interrupted(SignalKind::interrupt()),
            _ = self.terminate.recv() => Interrupted(SignalKind::terminate()),
        }
    }
}

/// A command that was ended before it was done, by this signal.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted(SignalKind);

impl Interrupted {
    /// What a shell shows of a process that a signal ended.
    pub(crate) fn status(&self) -> u8 {
        u8::try_from(128 + self.0.as_raw_value()).unwrap_or(u8::MAX)
    }
}

/// SIGHUP, from the moment this is made: files that are written to were moved away, or the models that the
/// configuration file names are others.
#[derive(Debug)]
pub(crate) struct Hangups(Signal);

impl Hangups {
    /// Begins to listen, so that it does not end the process any more.
    pub(crate) fn new() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        self.0.recv().await;
    }
}

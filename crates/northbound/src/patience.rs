//! How long a connection is held on which nothing is asked: it has a seat that others may want.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// How long whoever connects may take to ask for something.
const FIRST: Duration = Duration::from_secs(30);

/// Whether anything was asked on a connection. Shared by the connection and by whoever answers what is asked on it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Arc<AtomicBool>);

impl Asked {
    /// Something was.
    pub(crate) fn note(&self) {
        // A connection that is busy has its line of memory to itself.
        if !self.is_noted() {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a connection has of it.
#[derive(Debug)]
pub(crate) struct Patience {
    asked: Asked,
    /// None: something was asked, so it is for whoever serves that to say how long it lasts.
    left: Option<Pin<Box<Sleep>>>,
}

impl Patience {
    pub(crate) fn new() -> Self {
        Self { asked: Asked::default(), left: Some(Box::pin(sleep(FIRST))) }
    }

    pub(crate) fn asked(&self) -> Asked {
        self.asked.clone()
    }

    /// Ready: it is at its end.
    pub(crate) fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(left) = &mut self.left else { return Poll::Pending };
        if !self.asked.is_noted() {
            return left.as_mut().poll(context);
        }
        self.left = None;
        Poll::Pending
    }
}

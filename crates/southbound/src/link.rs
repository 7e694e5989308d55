//! One target's connection, kept up.

mod follows;
mod looks;
mod seen;
mod session;
mod task;
mod visit;
mod watching;

use std::sync::Arc;
use std::time::Duration;

use crate::Mandate;
use lockstep_protocol::{Ask, Event};
use lockstep_types::{Connection, Index, Sequence, Target};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;
use tracing::Instrument;

use crate::{Driver, Fencing, Follow, Look, Report, Watch};
use follows::{Following, STREAMS};
use looks::{LOOKS, Looking};
use seen::Seen;
use task::{Inbox, Task};
use watching::Watching;

pub use follows::Stream;
pub use visit::Visits;
pub use watching::Noticed;

// What goes to the task is boxed: a channel has room for some dozens of messages from the beginning, and most
// devices are asked nothing most of the time.

/// The handle of a target's connection. A task keeps the connection up, with growing waits between
/// tries, and tells of it as events; see the crate for what may be relied on. Dropping the handle
/// ends the task and closes the connection, without a further event.
#[derive(Debug)]
pub struct Link {
    // Without a bound, because the core has at most one request outstanding on a connection; a bound
    // would make the loop that runs its commands wait for a device.
    orders: mpsc::UnboundedSender<Box<Order>>,
    looks: mpsc::Sender<Box<Looking>>,
    follows: mpsc::Sender<Box<Following>>,
    watching: watch::Sender<Option<Watching>>,
    seen: Seen,
    patience: Duration,
    task: AbortHandle,
}

/// A request to the device, and the name of its answer.
#[derive(Debug)]
struct Request {
    connection: Connection,
    sequence: Sequence,
    mandate: Mandate,
    ask: Ask,
    about: Option<Index>,
}

/// What the node tells the task.
#[derive(Debug)]
enum Order {
    Ask(Request),
    Close(Connection),
}

/// Why a device's state cannot be seen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    /// There is no connection, and why.
    #[error("not connected: {0}")]
    NotConnected(String),
    /// The device does not tell.
    #[error("{code}: {message}", code = .0.code, message = .0.message)]
    Failed(lockstep_protocol::record::Failure),
}

impl Link {
    /// Starts to keep up a connection to this target. The first one gets the number `first`; a number
    /// that was used before, by this process or an earlier one of the same session, must be below it.
    /// Has to be called within a tokio runtime.
    pub fn spawn(
        target: Target,
        driver: Arc<dyn Driver>,
        first: Connection,
        events: mpsc::Sender<Event>,
    ) -> Self {
        let (orders, received) = mpsc::unbounded_channel();
        let (looks, looking) = mpsc::channel(LOOKS);
        let (follows, following) = mpsc::channel(STREAMS);
        let (watching, watched) = watch::channel(None);
        let (seen, patience) = (Seen::new(), driver.patience());
        let inbox =
            Inbox { orders: received, looks: looking, follows: following, watching: watched };
        // Whatever is said on the way to this device names the target, however little is logged.
        let of = tracing::error_span!("device", %target);
        let task = Task::new(target, driver, first, events, inbox, seen.clone());
        let task = tokio::spawn(task.run().instrument(of)).abort_handle();
        Self { orders, looks, follows, watching, seen, patience, task }
    }

    /// Asks the device, after what was asked before. If `connection` is not the one that is up, or
    /// ends before the answer, nothing is answered: its Disconnected says so for all requests on it. What is
    /// logged meanwhile names the transaction that it is about.
    pub fn send(
        &self,
        connection: Connection,
        sequence: Sequence,
        mandate: Mandate,
        ask: Ask,
        about: Option<Index>,
    ) {
        self.order(Order::Ask(Request { connection, sequence, mandate, ask, about }));
    }

    /// Ends this connection, whatever is under way on it, and connects anew. Does nothing if it is not
    /// the one that is up.
    pub fn close(&self, connection: Connection) {
        self.order(Order::Close(connection));
    }

    /// Looks at the device's state, beside what the node asks. Waits while too many others look.
    ///
    /// # Errors
    /// There is no connection, or the device does not tell.
    pub async fn look(&self, look: Look) -> Result<Vec<Report>, LookError> {
        let gone = || LookError::NotConnected(self.failure().unwrap_or_else(|| "it ended".into()));
        if self.failure().is_some() {
            return Err(gone());
        }
        let (answer, answered) = oneshot::channel();
        self.looks.send(Box::new(Looking { look, answer })).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?.map_err(LookError::Failed)
    }

    /// Has the device tell of its state, on the connection that is up.
    ///
    /// # Errors
    /// There is no connection, or the device tells as many others as it may.
    pub async fn follow(&self, follow: Follow) -> Result<Stream, LookError> {
        let gone = || LookError::NotConnected(self.failure().unwrap_or_else(|| "it ended".into()));
        if self.failure().is_some() {
            return Err(gone());
        }
        let (begun, stream) = oneshot::channel();
        self.follows.send(Box::new(Following { follow, begun })).await.map_err(|_| gone())?;
        stream.await.map_err(|_| gone())?.map_err(LookError::Failed)
    }

    /// Watches what the device holds, on this connection and on later ones, until the receiver is dropped.
    /// Who began to watch before is told nothing more. Needs not be quick to listen: see
    /// [`Notice`](crate::Notice).
    pub fn watch(&self, watch: Watch) -> mpsc::Receiver<Noticed> {
        let (tell, told) = mpsc::channel(1);
        self.watching.send_replace(Some(Watching { watch, tell }));
        told
    }

    /// Why there is no connection; none: there is one.
    pub fn failure(&self) -> Option<String> {
        self.seen.failure()
    }

    /// Says whether the device is left alone for now, though there is a connection: until nothing can be on its way that an
    /// older master sent.
    pub fn rests(&self, rests: bool) {
        self.seen.rests(rests);
    }

    /// What the device does not answer, is too busy for, or is left alone for, though there is or was a connection; none:
    /// nothing.
    pub fn trouble(&self) -> Option<String> {
        self.seen.trouble()
    }

    /// Whether the device itself turns away an older master, as far as was found out on the connection
    /// that is up. Known when a claim was answered as accepted, unless the device would not say.
    pub fn fencing(&self) -> Option<Fencing> {
        self.seen.fencing()
    }

    /// Whether the device has commits that are to be confirmed, as far as was found out on the
    /// connection that is up. Known when a claim was answered as accepted, unless the device would not
    /// say.
    pub fn confirms(&self) -> Option<bool> {
        self.seen.confirms()
    }

    /// How long after it was sent a Set may still have an effect, as far as anyone waits for it.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Ends the task and closes the connection without a further event, whoever else still holds this.
    pub fn end(&self) {
        self.task.abort();
    }

    fn order(&self, order: Order) {
        // The task ends by itself only when nobody takes its events any more: then nobody waits for
        // the answer either.
        if self.orders.send(Box::new(order)).is_err() {
            tracing::debug!("nobody takes events any more, so nothing is sent");
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;

//! One target's connection, kept up.

mod backoff;
mod session;
mod task;

use std::sync::{Arc, Mutex, PoisonError};

use crate::Election;
use lockstep_protocol::{Ask, Event};
use lockstep_types::{Connection, Sequence, Target};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::Driver;
use task::Task;

/// The handle of a target's connection. A task keeps the connection up, with growing waits between
/// tries, and tells of it as events; see the crate for what may be relied on. Dropping the handle
/// ends the task and closes the connection, without a further event.
#[derive(Debug)]
pub struct Link {
    // Without a bound, because the core has at most one request outstanding on a connection; a bound
    // would make the loop that runs its commands wait for a device.
    orders: mpsc::UnboundedSender<Order>,
    failure: Failure,
    task: AbortHandle,
}

/// A request to the device, and the name of its answer.
#[derive(Debug)]
struct Request {
    connection: Connection,
    sequence: Sequence,
    election: Election,
    ask: Ask,
}

/// What the node tells the task.
#[derive(Debug)]
enum Order {
    Ask(Request),
    Close(Connection),
}

/// Why there is no connection; shared with the task.
#[derive(Clone, Debug)]
struct Failure(Arc<Mutex<Option<String>>>);

impl Failure {
    fn set(&self, why: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
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
        let failure = Failure(Arc::new(Mutex::new(Some("not tried yet".to_owned()))));
        let task = Task::new(target, driver, first, events, received, failure.clone());
        let task = tokio::spawn(task.run()).abort_handle();
        Self { orders, failure, task }
    }

    /// Asks the device, after what was asked before. If `connection` is not the one that is up, or
    /// ends before the answer, nothing is answered: its Disconnected says so for all requests on it.
    pub fn send(&self, connection: Connection, sequence: Sequence, election: Election, ask: Ask) {
        self.order(Order::Ask(Request { connection, sequence, election, ask }));
    }

    /// Ends this connection, whatever is under way on it, and connects anew. Does nothing if it is not
    /// the one that is up.
    pub fn close(&self, connection: Connection) {
        self.order(Order::Close(connection));
    }

    /// Why there is no connection; none: there is one.
    pub fn failure(&self) -> Option<String> {
        self.failure.get()
    }

    fn order(&self, order: Order) {
        // The task ends by itself only when nobody takes its events any more: then nobody waits for
        // the answer either.
        if self.orders.send(order).is_err() {
            tracing::debug!("nobody takes events any more, so nothing is sent");
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests;

//! The life of a link: connect, serve the connection, wait, connect again.

use std::sync::Arc;

use lockstep_protocol::Event;
use lockstep_types::{Connection, Target};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep};

use super::Order;
use super::follows::{Following, Follows};
use super::looks::{Looking, Looks};
use super::seen::Seen;
use super::session::{End, Session};
use super::watching::{self, Watching};
use crate::backoff::Backoff;
use crate::{Driver, Line, metrics};

pub(super) struct Task {
    target: Target,
    driver: Arc<dyn Driver>,
    next: Connection,
    events: mpsc::Sender<Event>,
    inbox: Inbox,
    seen: Seen,
    backoff: Backoff,
}

/// What comes from the handle.
pub(super) struct Inbox {
    pub(super) orders: mpsc::UnboundedReceiver<Box<Order>>,
    pub(super) looks: mpsc::Receiver<Box<Looking>>,
    pub(super) follows: mpsc::Receiver<Box<Following>>,
    pub(super) watching: watch::Receiver<Option<Watching>>,
}

/// Nobody takes events any more.
pub(super) struct Abandoned;

impl Task {
    pub(super) fn new(
        target: Target,
        driver: Arc<dyn Driver>,
        next: Connection,
        events: mpsc::Sender<Event>,
        inbox: Inbox,
        seen: Seen,
    ) -> Self {
        let backoff = Backoff::of(target.as_str());
        Self { target, driver, next, events, inbox, seen, backoff }
    }

    /// Runs until nobody takes events any more, or the task is aborted.
    pub(super) async fn run(mut self) {
        while self.round().await.is_ok() {}
    }

    /// One connection, or one try for it, and the wait after it.
    async fn round(&mut self) -> Result<(), Abandoned> {
        let (why, for_log) = match self.driver.connect().await {
            Ok(line) => {
                metrics::tried(true);
                let _up = metrics::CONNECTIONS.hold();
                let why = self.connection(line).await?;
                (why.clone(), why)
            }
            Err(error) => {
                metrics::tried(false);
                (error.to_string(), error.for_log())
            }
        };
        let wait = self.backoff.next();
        tracing::info!(why = for_log, ?wait, "not connected");
        self.seen.failed(why);
        tokio::select! {
            biased;
            () = sleep(wait) => Ok(()),
            () = self.events.closed() => Err(Abandoned),
        }
    }

    /// One connection from Connected to Disconnected. Gives back why it ended.
    async fn connection(&mut self, line: Arc<dyn Line>) -> Result<String, Abandoned> {
        let (connection, since) = (self.next, Instant::now());
        self.next = connection.next();
        self.seen.connected();
        tracing::info!(%connection, "connected");
        let target = self.target.clone();
        self.tell(Event::Connected { target: target.clone(), connection }).await?;

        let mut session = Session::new(&target, connection, &*line, &self.events, &self.seen);
        let mut looks = Looks::new(&*line);
        let mut follows = Follows::new(&*line);
        let Inbox { orders, looks: looking, follows: following, watching } = &mut self.inbox;
        let End { why, answered } = tokio::select! {
            biased;
            end = session.serve(orders) => end?,
            () = looks.serve(looking) => return Err(Abandoned),
            () = follows.serve(following) => return Err(Abandoned),
            () = watching::serve(&*line, connection, watching) => return Err(Abandoned),
        };
        drop(session);
        drop(looks);
        drop(follows);
        // Closed before anyone hears of it, and before the next one is opened.
        drop(line);
        if answered || Backoff::is_long(since.elapsed()) {
            self.backoff.reset();
        }
        self.seen.failed(why.clone());
        // Those who still wait are told with the end of their question.
        while self.inbox.looks.try_recv().is_ok() {}
        while self.inbox.follows.try_recv().is_ok() {}
        self.tell(Event::Disconnected { target, connection }).await?;
        Ok(why)
    }

    async fn tell(&self, event: Event) -> Result<(), Abandoned> {
        self.events.send(event).await.map_err(|_| Abandoned)
    }
}

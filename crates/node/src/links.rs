//! The links to devices, which come and go with their targets.
//!
//! What a link said last may still be on its way when the next one to the same target is begun. So each
//! link numbers its connections above whatever an earlier one can have used, and what comes from below is
//! not listened to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_protocol::Event;
use lockstep_southbound::{Driver, Link};
use lockstep_types::{Connection, Target};
use tokio::sync::mpsc;

/// How many connections a link may come to have: a number that is never reached.
const CONNECTIONS: u32 = 32;

/// Every link, by target.
#[derive(Debug)]
pub(crate) struct Links {
    events: mpsc::Sender<Event>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    links: BTreeMap<Target, Begun>,
    /// Links that are begun now have numbers from here on, in the upper half.
    generation: u64,
}

#[derive(Debug)]
struct Begun {
    link: Arc<Link>,
    first: Connection,
}

impl Links {
    /// None yet; what they say goes there.
    pub(crate) fn new(events: mpsc::Sender<Event>) -> Self {
        Self { events, state: Mutex::default() }
    }

    pub(crate) fn get(&self, target: &Target) -> Option<Arc<Link>> {
        self.state().links.get(target).map(|begun| Arc::clone(&begun.link))
    }

    /// Begins a link in place of the one there may be, numbered on from the last connection that anyone had.
    pub(crate) fn begin(&self, target: &Target, driver: Arc<dyn Driver>, last: Connection) {
        self.end(target);
        let mut state = self.state();
        let first = last.next().max(Connection::new(state.generation << CONNECTIONS));
        let link = Link::spawn(target.clone(), driver, first, self.events.clone());
        state.links.insert(target.clone(), Begun { link: Arc::new(link), first });
    }

    /// Ends the link to a target, if there is one. Whatever it says from now on is of the past.
    pub(crate) fn end(&self, target: &Target) {
        let mut state = self.state();
        if let Some(Begun { link, first }) = state.links.remove(target) {
            state.generation = state.generation.max(first.get() >> CONNECTIONS) + 1;
            link.end();
        }
    }

    /// Whether a connection is one of the link that there is.
    pub(crate) fn is_of_now(&self, target: &Target, connection: Connection) -> bool {
        self.state().links.get(target).is_some_and(|begun| connection >= begun.first)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_southbound::{BoxFuture, ConnectError, Line};

    use super::*;

    /// A device that is never there.
    #[derive(Debug)]
    struct Nowhere;

    impl Driver for Nowhere {
        fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Line>, ConnectError>> {
            Box::pin(std::future::pending())
        }

        fn patience(&self) -> std::time::Duration {
            std::time::Duration::ZERO
        }
    }

    #[tokio::test]
    async fn what_an_earlier_link_says_is_of_the_past() {
        let (events, _heard) = mpsc::channel(1);
        let (links, leaf1) = (Links::new(events), Target::new("leaf1").unwrap());
        let begin = |last| links.begin(&leaf1, Arc::new(Nowhere), Connection::new(last));
        begin(6);
        assert!(!links.is_of_now(&leaf1, Connection::new(6)));
        assert!(links.is_of_now(&leaf1, Connection::new(7)));
        // However often the earlier one connected, and however little of that was recorded.
        begin(6);
        assert!(!links.is_of_now(&leaf1, Connection::new(7_000)));
        links.end(&leaf1);
        assert!(!links.is_of_now(&leaf1, Connection::new(u64::MAX)), "there is none");
        begin(6);
        let last = (2 << CONNECTIONS) - 1;
        assert!(!links.is_of_now(&leaf1, Connection::new(last)));
        assert!(links.is_of_now(&leaf1, Connection::new(last + 1)));
        // Numbers that another node came up with are respected as well.
        begin(5 << CONNECTIONS);
        begin(0);
        assert!(links.is_of_now(&leaf1, Connection::new(6 << CONNECTIONS)));
        assert!(!links.is_of_now(&leaf1, Connection::new((6 << CONNECTIONS) - 1)));
    }
}

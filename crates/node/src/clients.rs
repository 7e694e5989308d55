//! Who waits for an answer.

use std::collections::BTreeMap;

use lockstep_metrics::Held;
use lockstep_protocol::{Client, Event, Reply, View};
use lockstep_types::TransactionId;
use tokio::sync::oneshot;

use crate::error::Busy;
use crate::handle::{Answer, Asked};
use crate::metrics;

/// Looked through for those who went away when there are so many, and then twice as many as stayed.
const SWEEP: usize = 1024;

/// Everyone who waits, by the number under which the core knows them.
#[derive(Debug)]
pub(crate) struct Clients {
    last: u64,
    waiting: BTreeMap<Client, Waiting>,
    sweep_at: usize,
}

#[derive(Debug)]
struct Waiting {
    /// What it asked for; none if it only confirms something or calls it off.
    id: Option<TransactionId>,
    answer: oneshot::Sender<Answer>,
    _counted: Held,
}

impl Clients {
    pub(crate) fn new() -> Self {
        Self { last: 0, waiting: BTreeMap::new(), sweep_at: SWEEP }
    }

    /// Takes in what someone asks, as the core is to be told of it.
    pub(crate) fn begin(&mut self, asked: Asked) -> Event {
        self.last += 1;
        let client = Client(self.last);
        let (event, id, answer) = match asked {
            Asked::Submit(request, verdict, answer) => {
                let id = Some(request.id.clone());
                (Event::Submit { client, request, verdict }, id, answer)
            }
            Asked::Extend(index, length, answer) => {
                (Event::Extend { client, index, length }, None, answer)
            }
            Asked::Operate(target, order, author, answer) => {
                (Event::Operate { client, target, order, author }, None, answer)
            }
            Asked::Cancel(index, author, answer) => {
                (Event::Cancel { client, index, author }, None, answer)
            }
            Asked::Confirm(index, answer) => (Event::Confirm { client, index }, None, answer),
        };
        let waiting = Waiting { id, answer, _counted: metrics::CLIENTS.hold() };
        self.waiting.insert(client, waiting);
        event
    }

    /// Answers someone. One who has gone away is no loss: what it asked for goes on.
    pub(crate) fn answer(&mut self, client: Client, reply: Reply) {
        if let Some(waiting) = self.waiting.remove(&client) {
            let _ = waiting.answer.send(Ok(reply));
        }
    }

    /// Whether nobody waits, but for those who went away.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.values().all(|waiting| waiting.answer.is_closed())
    }

    /// Those who went away, as the core is to be told of them. Looked for now and then only.
    pub(crate) fn gone(&mut self) -> Vec<Event> {
        if self.waiting.len() < self.sweep_at {
            return Vec::new();
        }
        let gone = self.waiting.iter().filter(|(_, waiting)| waiting.answer.is_closed());
        let gone: Vec<Client> = gone.map(|(client, _)| *client).collect();
        let events = gone.into_iter().filter_map(|client| {
            Some(Event::Leave { client, id: self.waiting.remove(&client)?.id? })
        });
        let events = events.collect();
        self.sweep_at = SWEEP.max(2 * self.waiting.len());
        events
    }

    /// Tells everyone who is left that the node stops, and of what is in the log all the same.
    pub(crate) fn end(self, view: &View) {
        for waiting in self.waiting.into_values() {
            let known = waiting.id.as_ref().and_then(|id| view.named(id));
            let busy = known.map_or(Busy::Stopping, |transaction| Busy::Stopped(transaction.index));
            let _ = waiting.answer.send(Err(busy));
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_protocol::{Event, View};
    use lockstep_types::Index;
    use tokio::sync::oneshot;

    use super::{Clients, SWEEP};
    use crate::error::Busy;
    use crate::handle::Asked;

    #[test]
    fn those_who_went_away_are_found_before_they_are_too_many() {
        let mut clients = Clients::new();
        let mut stays = Vec::new();
        for number in 0..3 * SWEEP {
            let (answer, answered) = oneshot::channel();
            clients.begin(Asked::Cancel(Index::new(1), String::new(), answer));
            if number % 8 == 0 {
                stays.push(answered);
            }
            clients.gone();
        }
        assert!(clients.waiting.len() < 2 * SWEEP, "{}", clients.waiting.len());
        assert!(clients.waiting.len() >= stays.len());
    }

    #[test]
    fn whoever_is_left_is_told_that_the_node_stops() {
        let mut clients = Clients::new();
        let (answer, mut answered) = oneshot::channel();
        let event = clients.begin(Asked::Cancel(Index::new(1), String::new(), answer));
        assert!(matches!(event, Event::Cancel { .. }));
        clients.end(&View::new());
        assert_eq!(answered.try_recv(), Ok(Err(Busy::Stopping)));
    }

    #[test]
    fn nobody_is_waited_for_who_went_away() {
        let mut clients = Clients::new();
        let (answer, answered) = oneshot::channel();
        clients.begin(Asked::Cancel(Index::new(1), String::new(), answer));
        assert!(!clients.is_empty());
        drop(answered);
        assert!(clients.is_empty());
    }
}

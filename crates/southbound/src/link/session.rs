//! One connection while it is up: requests one at a time, until it ends.

use std::collections::VecDeque;
use std::future;
use std::time::Duration;

use lockstep_protocol::{Answer, Event};
use lockstep_types::{Connection, Index, Sequence, Target};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::Instrument;

use super::seen::Seen;
use super::task::Abandoned;
use super::{Order, Request};
use crate::{BoxFuture, Line, metrics};

/// How long an answer that arrived with the end of the connection may take on its way up to us.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How a connection ended.
pub(super) struct End {
    /// Why.
    pub(super) why: String,
    /// Whether the device answered anything on it.
    pub(super) answered: bool,
}

/// What was asked, and its answer to come.
struct Asked<'a> {
    sequence: Sequence,
    answer: BoxFuture<'a, Answer>,
    what: &'static str,
    may_change: bool,
    since: Instant,
}

/// What is under way on a connection.
pub(super) struct Session<'a> {
    target: &'a Target,
    connection: Connection,
    line: &'a dyn Line,
    events: &'a mpsc::Sender<Event>,
    seen: &'a Seen,
    waiting: VecDeque<Request>,
    asked: Option<Asked<'a>>,
    answered: bool,
    /// Nobody knows what became of the last request.
    unclear: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        target: &'a Target,
        connection: Connection,
        line: &'a dyn Line,
        events: &'a mpsc::Sender<Event>,
        seen: &'a Seen,
    ) -> Self {
        let (waiting, asked, answered, unclear) = (VecDeque::new(), None, false, false);
        Self { target, connection, line, events, seen, waiting, asked, answered, unclear }
    }

    /// Passes requests and answers on until the connection ends.
    pub(super) async fn serve(
        &mut self,
        orders: &mut mpsc::UnboundedReceiver<Box<Order>>,
    ) -> Result<End, Abandoned> {
        let mut closed = self.line.closed();
        let why = loop {
            // An answer that is there is taken before the end of the connection is.
            tokio::select! {
                biased;
                (sequence, answer) = answer(&mut self.asked) => {
                    self.take(sequence, answer).await?;
                }
                order = orders.recv() => match order.map(|order| *order) {
                    None => return Err(Abandoned),
                    Some(Order::Ask(request)) => self.ask(request),
                    Some(Order::Close(connection)) if connection == self.connection => {
                        break self.why_closed();
                    }
                    Some(Order::Close(_)) => {}
                },
                why = &mut closed => {
                    self.last_words().await?;
                    break why;
                }
                () = self.events.closed() => return Err(Abandoned),
            }
        };
        Ok(End { why, answered: self.answered })
    }

    /// Asks now, or when it is this request's turn. One for another connection is not for this device
    /// as it is now.
    fn ask(&mut self, request: Request) {
        if request.connection == self.connection {
            self.waiting.push_back(request);
            self.start();
        }
    }

    fn start(&mut self) {
        if self.asked.is_none()
            && let Some(request) = self.waiting.pop_front()
        {
            let (sequence, what) = (request.sequence, metrics::word(&request.ask));
            let may_change = request.ask.may_change();
            let answer = self.line.ask(request.mandate, request.ask);
            let answer: BoxFuture<'a, Answer> = match request.about.map(Index::get) {
                Some(transaction) => {
                    Box::pin(answer.instrument(tracing::error_span!("proposal", transaction)))
                }
                None => answer,
            };
            self.asked = Some(Asked { sequence, answer, what, may_change, since: Instant::now() });
        }
    }

    async fn take(&mut self, sequence: Sequence, answer: Answer) -> Result<(), Abandoned> {
        if let Some(asked) = self.asked.take() {
            metrics::answered(asked.what, &answer, asked.since.elapsed());
            self.seen.answered(asked.what, asked.may_change, &answer);
        }
        // Known before the answer is, so that whoever hears of the answer can ask.
        self.seen.learn(self.line);
        self.unclear = answer == Answer::Unknown;
        self.answered |= !self.unclear;
        let (target, connection) = (self.target.clone(), self.connection);
        let event = Event::Answered { target, connection, sequence, answer };
        self.events.send(event).await.map_err(|_| Abandoned)?;
        self.start();
        Ok(())
    }

    /// The connection is gone; the answer to what was asked may have come just before. If not, the end
    /// of the connection says all there is to say.
    async fn last_words(&mut self) -> Result<(), Abandoned> {
        self.waiting.clear();
        if self.asked.is_none() {
            return Ok(());
        }
        match timeout(LAST_WORDS, answer(&mut self.asked)).await {
            Ok((sequence, answer)) if answer != Answer::Unknown => {
                self.take(sequence, answer).await
            }
            _ => {
                self.unanswered();
                Ok(())
            }
        }
    }
}

impl Session<'_> {
    /// Why this node closes the connection. After a request of which nobody knows what became, that is why.
    fn why_closed(&self) -> String {
        let silence = self.seen.trouble().filter(|_| self.unclear);
        match silence {
            Some(silence) => format!("{silence}, so the connection was closed"),
            None => "closed by this node".to_owned(),
        }
    }

    /// The connection ended before the answer.
    fn unanswered(&mut self) {
        if let Some(asked) = self.asked.take() {
            metrics::answered(asked.what, &Answer::Unknown, asked.since.elapsed());
        }
    }
}

/// The answer to what was asked; never comes if nothing was.
async fn answer(asked: &mut Option<Asked<'_>>) -> (Sequence, Answer) {
    match asked {
        Some(asked) => (asked.sequence, (&mut asked.answer).await),
        None => future::pending().await,
    }
}

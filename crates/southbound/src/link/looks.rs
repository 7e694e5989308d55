//! Readers of a device's state: several at once, and never in the way of the node's own requests.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lockstep_protocol::record::Failure;
use tokio::sync::{mpsc, oneshot};

use crate::{BoxFuture, Line, Look, Report};

/// How many look at one device at once, and how many more may wait: devices have few streams to give.
pub(super) const LOOKS: usize = 4;

/// Someone who wants to look.
#[derive(Debug)]
pub(super) struct Looking {
    pub(super) look: Look,
    pub(super) answer: oneshot::Sender<Result<Vec<Report>, Failure>>,
}

/// Those who look at a device through one connection. Gone with it.
pub(super) struct Looks<'a> {
    line: &'a dyn Line,
    under_way: FuturesUnordered<BoxFuture<'a, ()>>,
}

impl<'a> Looks<'a> {
    pub(super) fn new(line: &'a dyn Line) -> Self {
        Self { line, under_way: FuturesUnordered::new() }
    }

    /// Lets the next one look, and those under way go on. Ends when nobody will look any more.
    pub(super) async fn serve(&mut self, waiting: &mut mpsc::Receiver<Box<Looking>>) {
        loop {
            tokio::select! {
                biased;
                next = waiting.recv(), if self.under_way.len() < LOOKS => match next {
                    Some(looking) => self.begin(*looking),
                    None => return,
                },
                Some(()) = self.under_way.next() => {}
            }
        }
    }

    fn begin(&mut self, Looking { look, mut answer }: Looking) {
        let line = self.line;
        self.under_way.push(Box::pin(async move {
            tokio::select! {
                biased;
                seen = line.look(look) => {
                    // Whoever asked may have gone away in the last moment.
                    let _ = answer.send(seen);
                }
                () = answer.closed() => {}
            }
        }));
    }
}

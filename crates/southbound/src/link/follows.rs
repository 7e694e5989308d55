//! Those to whom a device tells of its state: not many, and never in the way of the node's own
//! requests.

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lockstep_protocol::record::Failure;
use tokio::sync::{mpsc, oneshot};

use crate::{BoxFuture, Follow, Followed, Line};

/// So many streams of state a device is asked for at once. Some have eight sessions to give, all in
/// all.
pub(super) const STREAMS: usize = 4;
/// So many messages wait for who is slow; then the device is held up.
pub(super) const AHEAD: usize = 16;

/// Someone who wants to be told.
#[derive(Debug)]
pub(super) struct Following {
    pub(super) follow: Follow,
    pub(super) begun: oneshot::Sender<Result<Stream, Failure>>,
}

/// What a device tells, until it or the connection ends.
#[derive(Debug)]
pub struct Stream {
    pub(super) told: mpsc::Receiver<Followed>,
    pub(super) ended: oneshot::Receiver<Failure>,
}

impl Stream {
    /// What is told next, or why that was all. Nothing is lost if this is dropped.
    ///
    /// # Errors
    /// The device or the connection has ended it.
    pub async fn next(&mut self) -> Result<Followed, Failure> {
        if let Some(told) = self.told.recv().await {
            return Ok(told);
        }
        let ended = (&mut self.ended).await;
        Err(ended.unwrap_or_else(|_| Failure {
            code: "UNAVAILABLE".to_owned(),
            message: "the connection to the device ended".to_owned(),
        }))
    }
}

/// Those who are told through one connection. Gone with it.
pub(super) struct Follows<'a> {
    line: &'a dyn Line,
    under_way: FuturesUnordered<BoxFuture<'a, ()>>,
}

impl<'a> Follows<'a> {
    pub(super) fn new(line: &'a dyn Line) -> Self {
        Self { line, under_way: FuturesUnordered::new() }
    }

    /// Takes in the next one, and lets those under way go on. Ends when nobody will come any more.
    pub(super) async fn serve(&mut self, waiting: &mut mpsc::Receiver<Box<Following>>) {
        loop {
            tokio::select! {
                biased;
                next = waiting.recv() => match next {
                    Some(following) => self.begin(*following),
                    None => return,
                },
                Some(()) = self.under_way.next() => {}
            }
        }
    }

    fn begin(&mut self, Following { follow, begun }: Following) {
        if self.under_way.len() >= STREAMS {
            let _ = begun.send(Err(too_many()));
            return;
        }
        let (tell, told) = mpsc::channel(AHEAD);
        let (end, ended) = oneshot::channel();
        // Whoever asked may have gone away.
        if begun.send(Ok(Stream { told, ended })).is_err() {
            return;
        }
        let line = self.line;
        self.under_way.push(Box::pin(async move {
            tokio::select! {
                biased;
                why = line.follow(follow, tell.clone()) => {
                    let _ = end.send(why);
                }
                () = tell.closed() => {}
            }
        }));
    }
}

/// As many are told of a device as may be.
pub(super) fn too_many() -> Failure {
    Failure {
        code: "RESOURCE_EXHAUSTED".to_owned(),
        message: format!("{STREAMS} streams of its state are open, which is the limit"),
    }
}

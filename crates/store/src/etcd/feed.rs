//! A watch that is never lost: when its stream breaks it goes on from the last revision it gave out, at
//! another member if need be. The reader sees whole revisions, in order, without a gap, and an error
//! only where that cannot be.
//!
//! A task of its own follows the stream, so that a reader that does something else now and then does
//! not keep it from getting connected again.

use std::sync::Arc;
use std::time::Duration;

use etcd_client::{WatchOptions, WatchStream};
use lockstep_types::Revision;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::clock::{Clock, Then};
use super::fault::{Fault, Unexpected};
use super::gather::Gather;
use super::members::Member;
use super::tide::Due;
use super::{Inner, number, unsigned};
use crate::kv::{Commit, Event};
use crate::{Error, Feed, Pending, metrics};

/// How many revisions are read ahead of the reader.
const AHEAD: usize = 64;
/// The first pause before a lost stream is opened again, and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));
/// How often in a row a watch may be refused before it is given up: once or twice may be an old token.
const REFUSALS: u32 = 5;
/// A fragment is about as large as a transaction, but clusters may be set up for larger ones.
const MESSAGE: usize = 64 << 20;

/// The reader's end.
#[derive(Debug)]
pub(super) struct Follow(mpsc::Receiver<Result<Commit, Error>>);

impl Feed for Follow {
    fn next(&mut self) -> Pending<'_, Commit> {
        Box::pin(async { self.0.recv().await.unwrap_or(Err(Error::Closed)) })
    }
}

/// Begins to follow, after this revision.
pub(super) fn follow(inner: &Arc<Inner>, after: Revision) -> Follow {
    let (out, reader) = mpsc::channel(AHEAD);
    let due = inner.tide.due();
    let closing = inner.closing.subscribe();
    let inner = Arc::clone(inner);
    let follower = Follower {
        inner,
        out,
        due,
        closing,
        position: after,
        last: None,
        refusals: 0,
        pause: PAUSE.0,
    };
    tokio::spawn(follower.run());
    Follow(reader)
}

/// Why a stream is no longer followed.
enum End {
    /// It broke: another one goes on.
    Lost,
    /// The reader is gone.
    Unread,
    /// There is nothing more to come, and the reader is told why.
    Over(Error),
}

struct Follower {
    inner: Arc<Inner>,
    out: mpsc::Sender<Result<Commit, Error>>,
    due: watch::Receiver<Due>,
    closing: watch::Receiver<bool>,
    /// The last revision that was given out.
    position: Revision,
    /// What was in it.
    last: Option<Arc<[Event]>>,
    refusals: u32,
    pause: Duration,
}

impl Follower {
    async fn run(mut self) {
        loop {
            let end = match self.open().await {
                Ok((member, stream)) => {
                    let end = self.stream(member.number, stream).await;
                    if let End::Lost = end {
                        metrics::WATCHES_LOST.inc();
                        tracing::info!(after = %self.position, "a watch of etcd was lost and goes on");
                        self.inner.members.leave(member.number);
                    }
                    end
                }
                Err(end) => end,
            };
            match end {
                End::Lost => {}
                End::Unread => return,
                End::Over(error) => {
                    // A reader that is gone needs no reason.
                    let _ = self.out.send(Err(error)).await;
                    return;
                }
            }
            tokio::select! {
                () = self.out.closed() => return,
                () = sleep(self.pause) => self.pause = (self.pause * 2).min(PAUSE.1),
            }
        }
    }

    async fn open(&mut self) -> Result<(Arc<Member>, WatchStream), End> {
        let deadline = Instant::now() + self.inner.members.timeout;
        let member = match self.inner.members.member(deadline).await {
            Ok(member) => member,
            Err(fault) => return Err(self.fault(fault)),
        };
        // Begins with the last revision that is known, and not with the next: a compaction may take
        // removals out of the very revision it keeps, and only for an earlier one does etcd say so.
        let options = WatchOptions::new()
            .with_prefix()
            .with_start_revision(number(self.position).max(1))
            .with_fragment();
        let root = self.inner.keys.root.clone();
        let mut client = member.watches().max_decoding_message_size(MESSAGE);
        match timeout(self.inner.members.timeout, client.watch(root, Some(options))).await {
            Ok(Ok(stream)) => Ok((member, stream)),
            Ok(Err(error)) => {
                self.inner.members.leave(member.number);
                Err(self.fault(error.into()))
            }
            Err(_) => {
                self.inner.members.leave(member.number);
                Err(self.fault(Fault::late()))
            }
        }
    }

    fn fault(&mut self, fault: Fault) -> End {
        match fault {
            _ if *self.closing.borrow() => End::Over(Error::Closed),
            Fault::Refused(source) => {
                self.refusals += 1;
                if self.refusals < REFUSALS {
                    return End::Lost;
                }
                End::Over(Error::Failed { source })
            }
            _ => End::Lost,
        }
    }

    /// Follows a stream until it ends.
    async fn stream(&mut self, connection: u64, mut stream: WatchStream) -> End {
        let mut gather = Gather::new(self.position, self.last.clone());
        let mut clock = Clock::new(self.inner.members.timeout);
        loop {
            let due = *self.due.borrow_and_update();
            if let Some(back) = due.back {
                return End::Over(Error::Failed { source: Arc::new(back) });
            }
            clock.look(self.position, due);
            let closing = *self.closing.borrow_and_update();
            if closing && (self.position >= due.told || clock.stuck()) {
                return End::Over(Error::Closed);
            }
            let (at, then) = clock.next(self.inner.tide.grace(), self.position, due);
            tokio::select! {
                biased;
                () = self.out.closed() => return End::Unread,
                response = stream.message() => {
                    clock.heard = Instant::now();
                    let Ok(Some(response)) = response else { return End::Lost };
                    if let Err(end) = self.take(&mut gather, &mut clock, response).await {
                        return end;
                    }
                }
                () = self.inner.members.left(connection) => return End::Lost,
                _ = self.due.changed() => {}
                _ = self.closing.changed() => {}
                () = sleep_until(at) => match then {
                    Then::Mark => {
                        clock.marked = Some(due.told);
                        self.mark(due.told);
                    }
                    Then::Ask => {
                        clock.heard = Instant::now();
                        self.ask();
                    }
                    Then::GiveUp => return End::Lost,
                },
            }
        }
    }

    /// Has a mark written. Where that fails the watch is about to be lost too, and another is tried.
    fn mark(&self, beyond: Revision) {
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            if let Err(fault) = inner.tide.mark(&inner.members, beyond).await {
                tracing::debug!(?fault, "no mark was written");
            }
        });
    }

    /// Has the revision of the cluster read, which is then due. Where that fails it is tried again.
    fn ask(&self) {
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            if let Err(fault) = inner.tide.read(&inner.members).await {
                tracing::debug!(?fault, "the revision was not read");
            }
        });
    }

    async fn take(
        &mut self,
        gather: &mut Gather,
        clock: &mut Clock,
        response: etcd_client::WatchResponse,
    ) -> Result<(), End> {
        let response = response.0;
        if response.canceled {
            return Err(self.cancelled(response.compact_revision, response.cancel_reason));
        }
        (self.pause, self.refusals) = (PAUSE.0, 0);
        let commits = gather
            .take(&self.inner.keys, response)
            .map_err(|broken| End::Over(Error::Failed { source: Arc::new(broken) }))?;
        for commit in commits {
            let revision = commit.revision;
            if clock.marked.is_some_and(|beyond| self.position < beyond && revision >= beyond) {
                self.inner.tide.learn(commit.events.is_empty());
                clock.marked = None;
            }
            self.inner.tide.ours(revision);
            let events = Arc::clone(&commit.events);
            self.out.send(Ok(commit)).await.map_err(|_| End::Unread)?;
            (self.position, self.last) = (revision, Some(events));
        }
        // A slow reader is no sign of a stuck stream.
        clock.heard = Instant::now();
        Ok(())
    }

    fn cancelled(&mut self, compacted: i64, reason: String) -> End {
        if compacted > 0 {
            let (asked, oldest) = (self.position, unsigned(compacted));
            return End::Over(Error::Compacted { asked, oldest });
        }
        self.fault(Fault::Refused(Arc::new(Unexpected(reason))))
    }
}

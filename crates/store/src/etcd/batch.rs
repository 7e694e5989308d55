//! Transactions that wait while others are under way go out together.
//!
//! ```text
//!   txn  txn  txn            each waits for its answer
//!     ╲   │   ╱
//!      line                  in the order they came; bounded
//!        │  carry            takes from the line what fits together
//!        ▼
//!   Txn                      one request, one entry in the cluster's log, one revision
//!    ├─ Txn  if … then …     done
//!    ├─ Txn  if … then …     stale: its compares did not hold; the others do not mind
//!    └─ Txn  if … then …     done
//! ```
//!
//! What a cluster can do is mostly a matter of requests and of entries in its log, so with many in
//! flight this is several times as much; with one in flight nothing waits and nothing changes, for a
//! batch of one goes out as itself.
//!
//! etcd looks at all compares before it carries out anything, so two transactions share a batch only
//! if neither writes what the other compares or writes: then it is all the same which came first. Nor
//! does a transaction overtake another in the line that it does not get along with.
//!
//! Those that were done share a revision. Above that is no news: a watch gives out revisions, and
//! a key is known by the one that wrote it last. A batch of which nobody knows whether it happened is
//! unknown for each of its members. One that was refused is taken apart, so that nobody is
//! refused for what another did.

mod fit;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lockstep_protocol::Written;
use tokio::sync::{OwnedRwLockReadGuard, OwnedSemaphorePermit, Semaphore, oneshot};

use super::fault::Fault;
use super::{Inner, txn};
use crate::kv::Txn;
use crate::{Error, metrics};
use fit::Fit;

/// How many requests are under way at once. At 64 in flight two were measured to be no faster than one,
/// and four far slower: batches are smaller then, and the cluster has more to do for the same. And with
/// one, those that do not get along are carried out in the order they came.
const FLIGHTS: usize = 1;
/// How much may wait before those who bring more have to, in [`UNIT`]s.
const ROOM: usize = 16 << 10;
/// What room is counted in, in bytes; a transaction takes one at least.
const UNIT: usize = 1 << 10;
/// How far down the line is looked for what fits together.
const LOOK: usize = 512;

/// Those who wait.
#[derive(Debug)]
pub(super) struct Line {
    state: Mutex<State>,
    room: Arc<Semaphore>,
    sent: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Waiting>,
    /// How many carry something at the moment.
    flights: usize,
}

/// One transaction in the line.
#[derive(Debug)]
struct Waiting {
    txn: Txn,
    answer: oneshot::Sender<Result<Written, Error>>,
    /// Held until it is answered.
    _room: OwnedSemaphorePermit,
    _entered: OwnedRwLockReadGuard<bool>,
}

impl Waiting {
    fn answer(self, answer: Result<Written, Error>) {
        // Whoever asked may have gone; it happened all the same.
        let _ = self.answer.send(answer);
    }
}

impl Default for Line {
    fn default() -> Self {
        let room = Arc::new(Semaphore::new(ROOM));
        Self { state: Mutex::default(), room, sent: AtomicU64::new(0) }
    }
}

impl Line {
    /// How many requests were sent.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Puts one at the end. Whether somebody is needed to carry it.
    fn join(&self, one: Waiting) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.push_back(one);
        let free = state.flights < FLIGHTS;
        state.flights += usize::from(free);
        free
    }

    /// What goes out next; none: nobody waits, and whoever asked is no longer needed.
    fn next(&self, each: usize) -> Option<Vec<Waiting>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let batch = take(&mut state.waiting, each);
        if batch.is_empty() {
            state.flights -= 1;
            return None;
        }
        Some(batch)
    }

    fn all(&self) -> VecDeque<Waiting> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.waiting)
    }
}

/// Takes from the front of the line what fits together.
fn take(line: &mut VecDeque<Waiting>, each: usize) -> Vec<Waiting> {
    let mut fit = Fit::new(each);
    let joins: Vec<bool> = line.iter().take(LOOK).map(|one| fit.offer(&one.txn)).collect();
    let (mut batch, mut passed) = (Vec::new(), Vec::new());
    for (one, joins) in line.drain(..joins.len()).zip(joins) {
        if joins { batch.push(one) } else { passed.push(one) }
    }
    for one in passed.into_iter().rev() {
        line.push_front(one);
    }
    batch
}

/// Writes, together with others if there are any. Dropping the answer does not call it off.
pub(super) async fn write(
    inner: &Arc<Inner>,
    txn: Txn,
    entered: OwnedRwLockReadGuard<bool>,
) -> Result<Written, Error> {
    txn.check(inner.limits)?;
    let units = u32::try_from(txn.bytes().div_ceil(UNIT).clamp(1, ROOM)).unwrap_or(u32::MAX);
    let room = Arc::clone(&inner.line.room).acquire_many_owned(units).await;
    let room = room.map_err(|_| Error::Closed)?;
    let (answer, answered) = oneshot::channel();
    if inner.line.join(Waiting { txn, answer, _room: room, _entered: entered }) {
        tokio::spawn(carry(Arc::clone(inner)));
    }
    answered.await.unwrap_or_else(|error| Err(Error::Unknown { source: Arc::new(error) }))
}

/// Sends one batch after the other, until nobody waits.
async fn carry(inner: Arc<Inner>) {
    let each = txn::each(&inner.keys);
    while let Some(batch) = inner.line.next(each) {
        let mut parts = vec![batch];
        while let Some(part) = parts.pop() {
            let inner = Arc::clone(&inner);
            // On its own: should it end in a panic, then its members are unknown and the rest goes on.
            let sent = tokio::spawn(async move { send(&inner, part).await });
            parts.extend(sent.await.unwrap_or_default());
        }
    }
}

/// Sends one batch and answers its members. Where it was refused and that may be due to one of them:
/// the parts that are to be tried instead, the first last.
async fn send(inner: &Inner, mut batch: Vec<Waiting>) -> Vec<Vec<Waiting>> {
    inner.line.sent.fetch_add(1, Ordering::Relaxed);
    metrics::BATCH.observe(batch.len() as u64);
    if let [_] = batch[..]
        && let Some(only) = batch.pop()
    {
        let answer = txn::write(inner, &only.txn).await;
        if let Err(Error::Unavailable { source }) = &answer {
            unreachable(inner, source);
        }
        only.answer(answer);
        return Vec::new();
    }
    match txn::together(inner, batch.iter().map(|one| &one.txn)).await {
        Ok(answers) => {
            for (one, answer) in batch.into_iter().zip(answers) {
                one.answer(Ok(answer));
            }
            Vec::new()
        }
        Err(fault @ (Fault::Unknown(_) | Fault::NotDone(_))) => {
            if let Fault::NotDone(source) = &fault {
                unreachable(inner, source);
            }
            batch.into_iter().for_each(|one| one.answer(Err(fault.clone().write())));
            Vec::new()
        }
        Err(fault) => {
            tracing::debug!(
                ?fault,
                members = batch.len(),
                "a batch was refused and is taken apart"
            );
            let second = batch.split_off(batch.len() / 2);
            vec![second, batch]
        }
    }
}

/// No member could be reached in all the time there is. Nobody who waits is made to wait for that
/// once more.
fn unreachable(inner: &Inner, source: &crate::Source) {
    for one in inner.line.all() {
        one.answer(Err(Error::Unavailable { source: Arc::clone(source) }));
    }
}

//! What makes a map of bytes a store: revisions, recent history, leases. Shared by the store in memory
//! and the one on disk, which differ in how writes come to [`Ledger::run`].

mod feed;
mod history;
mod lease;
mod page;
mod rows;
mod turn;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use lockstep_protocol::Written;
use lockstep_types::Revision;
use tokio::sync::watch;

use crate::Error;
use crate::engine::{Engine, Fault};
use crate::kv::{Lease, Txn};
pub(crate) use feed::{Follow, Owner};
use history::History;
pub(crate) use lease::{Host, Leases, grant};
pub(crate) use rows::check;
use turn::Turn;

/// One thing to write.
#[derive(Clone, Debug)]
pub(crate) enum Job {
    /// What was asked.
    Txn(Txn),
    /// Removes what stands under a lease that ended.
    Revoke(Lease),
    /// Removes what stands under the leases of earlier processes.
    Abandon,
}

impl Job {
    /// How much it writes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Txn(txn) => txn.bytes(),
            Self::Revoke(_) | Self::Abandon => 0,
        }
    }
}

/// How far the store is, for those who wait for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    revision: Revision,
    open: bool,
}

/// A store, but for the way writes come in.
#[derive(Debug)]
pub(crate) struct Ledger {
    engine: RwLock<Option<Box<dyn Engine>>>,
    /// Held while a batch is written, so that batches follow one another.
    turn: Mutex<()>,
    history: Mutex<History>,
    pub(crate) leases: Leases,
    position: watch::Sender<Position>,
    /// Why nothing can be written any more.
    broken: OnceLock<Error>,
    commits: AtomicU64,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    /// Goes on where the engine's bytes stand. What earlier processes held under a lease is removed.
    pub(crate) fn open(engine: impl Engine) -> Result<Self, Error> {
        let mut revision = Revision::ZERO;
        let mut opened = 0;
        engine.write(&mut |map| {
            revision = rows::revision(map)?;
            opened = rows::open_again(map)?;
            Ok(true)
        })?;
        let ledger = Self::at(engine, revision, opened);
        ledger.run(&[Job::Abandon]).pop().unwrap_or(Err(Error::Closed))?;
        Ok(ledger)
    }

    /// Begins with an empty engine.
    pub(crate) fn new(engine: impl Engine) -> Self {
        Self::at(engine, Revision::ZERO, 1)
    }

    fn at(engine: impl Engine, revision: Revision, opened: u64) -> Self {
        Self {
            engine: RwLock::new(Some(Box::new(engine))),
            turn: Mutex::new(()),
            history: Mutex::new(History::new(revision)),
            leases: Leases::new(opened),
            position: watch::Sender::new(Position { revision, open: true }),
            broken: OnceLock::new(),
            commits: AtomicU64::new(0),
        }
    }

    /// The last revision that was answered, or could have been.
    pub(crate) fn revision(&self) -> Result<Revision, Error> {
        let position = *self.position.borrow();
        if position.open { Ok(position.revision) } else { Err(self.ended()) }
    }

    /// How often the engine was made to write durably.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Writes one job after the other, each seeing the ones before it, and makes them durable
    /// together. One answer for each.
    pub(crate) fn run(&self, jobs: &[Job]) -> Vec<Result<Written, Error>> {
        let _turn = lock(&self.turn);
        match self.with_engine(|engine| self.write(engine, jobs)) {
            Ok(answers) => answers,
            Err(error) => {
                self.give_up(&error);
                jobs.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    fn write(
        &self,
        engine: &dyn Engine,
        jobs: &[Job],
    ) -> Result<Vec<Result<Written, Error>>, Fault> {
        let mut answers = Vec::new();
        let mut last = None;
        engine.write(&mut |map| {
            let mut turn = Turn::begin(map, &self.leases)?;
            for job in jobs {
                answers.push(turn.run(job)?);
            }
            let Some(changes) = turn.end()? else { return Ok(false) };
            last = changes.last().map(|change| change.commit.revision);
            // Known to readers before it is durable, because a reader may meet it right then and has
            // to look behind it; shown to watchers only afterwards.
            lock(&self.history).prepare(changes);
            Ok(true)
        })?;
        if let Some(revision) = last {
            self.commits.fetch_add(1, Ordering::Relaxed);
            lock(&self.history).publish(revision);
            self.position.send_modify(|position| position.revision = revision);
        }
        Ok(answers)
    }

    /// Lets go of the engine, once those who read are done.
    pub(crate) fn close(&self) {
        drop(self.engine.write().unwrap_or_else(PoisonError::into_inner).take());
        self.position.send_modify(|position| position.open = false);
    }

    /// After a batch that failed nobody knows what is on the disk, so nothing more is put there.
    fn give_up(&self, error: &Error) {
        if !matches!(error, Error::Closed) && self.broken.set(error.clone()).is_ok() {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "the store can no longer write"
            );
            self.position.send_modify(|position| position.open = false);
        }
    }

    /// Why there is nothing more to come.
    fn ended(&self) -> Error {
        match self.broken.get() {
            Some(Error::Unknown { source } | Error::Failed { source }) => {
                Error::Failed { source: source.clone() }
            }
            Some(other) => other.clone(),
            None => Error::Closed,
        }
    }

    fn with_engine<T>(
        &self,
        work: impl FnOnce(&dyn Engine) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let engine = self.engine.read().unwrap_or_else(PoisonError::into_inner);
        match engine.as_deref() {
            Some(engine) if self.broken.get().is_none() => Ok(work(engine)?),
            _ => Err(self.ended()),
        }
    }
}

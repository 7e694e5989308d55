//! Threads that make something of what was read, while more is read.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinSet;

use crate::Error;
use crate::records::pool::Pool;

/// As many at a time as the machine has cores, each with the paths it has met.
pub(super) struct Workers<T> {
    at_work: JoinSet<(Pool, Result<T, Error>)>,
    idle: Vec<Pool>,
}

impl<T: Send + 'static> Workers<T> {
    pub(super) fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let idle = (0..cores).map(|_| Pool::default()).collect();
        Self { at_work: JoinSet::new(), idle }
    }

    /// Gives out work. Waits while all are at work, and gives back what the first of them made.
    pub(super) async fn give(
        &mut self,
        work: impl FnOnce(&mut Pool) -> Result<T, Error> + Send + 'static,
    ) -> Result<Option<T>, Error> {
        let done = if self.idle.is_empty() { self.next().await? } else { None };
        let mut pool = self.idle.pop().unwrap_or_default();
        let work = move || {
            let made = work(&mut pool);
            (pool, made)
        };
        match Handle::current().runtime_flavor() {
            // Whoever asked for one thread wants a run that goes the same way each time.
            RuntimeFlavor::CurrentThread => self.at_work.spawn(async move { work() }),
            _ => self.at_work.spawn_blocking(work),
        };
        Ok(done)
    }

    /// What the next one made, when it is done; none: nobody is at work.
    pub(super) async fn next(&mut self) -> Result<Option<T>, Error> {
        let Some(ended) = self.at_work.join_next().await else { return Ok(None) };
        let (pool, made) = ended.map_err(|error| Error::Failed { source: Arc::new(error) })?;
        self.idle.push(pool);
        made.map(Some)
    }
}

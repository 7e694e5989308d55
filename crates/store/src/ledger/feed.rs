//! A watcher: a place in the history that moves on. Nothing is queued for it, so a slow one costs
//! nothing.

use std::fmt;
use std::sync::Arc;

use lockstep_types::Revision;
use tokio::sync::watch;

use super::history::Watcher;
use super::{Ledger, Position, lock};
use crate::kv::Commit;
use crate::{Error, Feed, Pending};

/// What owns a ledger.
pub(crate) trait Owner: Send + Sync + 'static {
    fn ledger(&self) -> &Ledger;
}

/// A place in the history of a store. Does not keep the store open.
pub(crate) struct Follow<O: Owner> {
    owner: std::sync::Weak<O>,
    position: watch::Receiver<Position>,
    watcher: Watcher,
    after: Revision,
}

impl<O: Owner> Follow<O> {
    pub(crate) fn new(owner: &Arc<O>, after: Revision) -> Result<Self, Error> {
        let ledger = owner.ledger();
        ledger.revision()?;
        let mut history = lock(&ledger.history);
        history.next(after)?;
        let watcher = history.watch(after);
        let position = ledger.position.subscribe();
        Ok(Self { owner: Arc::downgrade(owner), position, watcher, after })
    }

    fn poll(&mut self) -> Result<Option<Commit>, Error> {
        let owner = self.owner.upgrade().ok_or(Error::Closed)?;
        let open = self.position.borrow_and_update().open;
        let mut history = lock(&owner.ledger().history);
        let next = history.next(self.after)?;
        if let Some(commit) = &next {
            history.seen(self.watcher, commit.revision);
        }
        drop(history);
        match next {
            None if !open => Err(owner.ledger().ended()),
            next => Ok(next),
        }
    }
}

impl<O: Owner> Feed for Follow<O> {
    fn next(&mut self) -> Pending<'_, Commit> {
        Box::pin(async {
            loop {
                if let Some(commit) = self.poll()? {
                    self.after = commit.revision;
                    return Ok(commit);
                }
                self.position.changed().await.map_err(|_| Error::Closed)?;
            }
        })
    }
}

impl<O: Owner> Drop for Follow<O> {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.upgrade() {
            lock(&owner.ledger().history).left(self.watcher);
        }
    }
}

impl<O: Owner> fmt::Debug for Follow<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Follow({})", self.after)
    }
}

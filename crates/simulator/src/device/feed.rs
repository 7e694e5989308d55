//! Changes, for those who want to know of them.

use std::sync::Arc;

use lockstep_types::Configuration;
use tokio::sync::broadcast::{self, error::RecvError};

use crate::journal;
use crate::shown::Picture;

/// As many changes wait for one who is slow. Beyond, it is told only what came of them.
const WAITING: usize = 64;

/// Who wants to know of changes. Takes no room while nobody does.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    sender: Option<broadcast::Sender<Change>>,
    /// The latest, if somebody looked.
    picture: Option<Arc<Picture>>,
    changes: u64,
}

/// One change.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) timestamp: i64,
    /// The id that a client gave to it; empty: none.
    pub(crate) commit: String,
    /// What came of it.
    pub(crate) picture: Arc<Picture>,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Next {
    /// A change.
    Change(Change),
    /// The device is turned off.
    Off,
}

impl Feed {
    /// What stands is this now.
    pub(crate) fn publish(&mut self, configuration: &Configuration, commit: &str) {
        self.changes += 1;
        self.picture = None;
        let Some(sender) = &self.sender else { return };
        let picture = Arc::new(Picture::of(configuration.clone()));
        self.picture = Some(Arc::clone(&picture));
        let (number, timestamp) = (self.changes, journal::now());
        if sender.send(Change { number, timestamp, commit: commit.to_owned(), picture }).is_err() {
            // Nobody is left.
            self.sender = None;
        }
    }

    /// What stands, to be looked at.
    pub(crate) fn picture(&mut self, configuration: &Configuration) -> Arc<Picture> {
        let of_now = self.picture.take().filter(|one| one.configuration == *configuration);
        let picture = of_now.unwrap_or_else(|| Arc::new(Picture::of(configuration.clone())));
        self.picture = Some(Arc::clone(&picture));
        picture
    }

    /// Every change from now on.
    pub(crate) fn follow(&mut self) -> broadcast::Receiver<Change> {
        self.sender.get_or_insert_with(|| broadcast::Sender::new(WAITING)).subscribe()
    }

    /// Nobody hears of anything any more.
    pub(super) fn close(&mut self) {
        *self = Self { changes: self.changes, ..Self::default() };
    }
}

impl Next {
    /// The next change; after too many at once, the latest.
    pub(crate) async fn of(changes: &mut broadcast::Receiver<Change>) -> Self {
        loop {
            match changes.recv().await {
                Ok(change) => return Self::Change(change),
                Err(RecvError::Closed) => return Self::Off,
                // Only the last of those that wait is of interest then.
                Err(RecvError::Lagged(_)) => {
                    while changes.len() > 1 {
                        if changes.try_recv().is_err() {
                            break;
                        }
                    }
                }
            }
        }
    }
}

//! How far the watches have to get, and a mark that gets them there.
//!
//! The revision of etcd counts the writes of everyone. One that we give out, with a stale write or a
//! read, may be a write beside our keys, of which no watch of ours ever hears, while somebody waits
//! for the watch to reach it. So when a watch stays behind what was given out, a key beside the
//! records is written: the watch hears of that, and with it that there was nothing before.
//!
//! Asking etcd how far a watch is would be cheaper, but its answer may overtake events in 3.4.
//! In a cluster of our own a mark is hardly ever written, as every revision is ours.
//!
//! A cluster that is behind what it told before was set back, as by a snapshot of it. What is known of it is then
//! worth nothing, and its revisions will be given out once more, for something else: every watch ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lockstep_types::Revision;
use tokio::sync::{Mutex, watch};

use super::fault::Fault;
use super::members::{Member, Members};
use super::{number, revision};

/// How long a watch may stay behind before a mark is written: longer than etcd takes to bring a new
/// watch up to date. Where marks turn out to be needed it is shorter.
const GRACE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(1_000));

/// What was given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Due {
    /// The largest revision anyone was told of.
    pub(super) told: Revision,
    /// The largest that is known to be ours, and that every watch therefore will get to.
    pub(super) ours: Revision,
    /// The cluster went back behind that.
    pub(super) back: Option<SetBack>,
}

/// The cluster is not as far as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "etcd is at revision {found} and was at {known} before: it was set back, as when a snapshot is restored"
)]
pub(super) struct SetBack {
    known: Revision,
    found: Revision,
}

#[derive(Debug)]
pub(super) struct Tide {
    key: Vec<u8>,
    due: watch::Sender<Due>,
    /// The last mark that was written.
    marked: Mutex<Revision>,
    /// In milliseconds.
    grace: AtomicU64,
}

impl Tide {
    /// Marks are written to this key.
    pub(super) fn new(key: Vec<u8>) -> Self {
        let (due, marked) = (watch::Sender::default(), Mutex::default());
        Self { key, due, marked, grace: AtomicU64::new(millis(GRACE.1)) }
    }

    /// Somebody was told of this revision.
    pub(super) fn told(&self, revision: Revision) {
        self.due.send_if_modified(|due| {
            let news = revision > due.told;
            due.told = due.told.max(revision);
            news
        });
    }

    /// This revision changes a key of ours.
    pub(super) fn ours(&self, revision: Revision) {
        self.due.send_if_modified(|due| {
            let news = revision > due.told;
            due.told = due.told.max(revision);
            due.ours = due.ours.max(revision);
            news
        });
    }

    /// Somebody was told of this revision after a write, which made it or changed nothing.
    pub(super) fn made(&self, revision: Revision, changed: bool) {
        if changed { self.ours(revision) } else { self.told(revision) }
    }

    pub(super) fn due(&self) -> watch::Receiver<Due> {
        self.due.subscribe()
    }

    pub(super) fn grace(&self) -> Duration {
        Duration::from_millis(self.grace.load(Ordering::Relaxed))
    }

    /// A mark was the first thing a watch heard after it was told to get somewhere, or was not.
    pub(super) fn learn(&self, needed: bool) {
        let grace = if needed { GRACE.0 } else { (self.grace() * 2).min(GRACE.1) };
        self.grace.store(millis(grace), Ordering::Relaxed);
    }

    /// Writes a mark beyond this revision, unless there is one.
    pub(super) async fn mark(&self, members: &Members, beyond: Revision) -> Result<(), Fault> {
        let mut marked = self.marked.lock().await;
        if *marked > beyond {
            return Ok(());
        }
        let put = |member: Arc<Member>| async move {
            member.kv().put(self.key.clone(), Vec::new(), None).await
        };
        let answer = members.ask(put).await?;
        *marked = revision(answer.header())?;
        Ok(())
    }

    /// Reads the revision of the cluster, which is then due.
    pub(super) async fn read(&self, members: &Members) -> Result<Revision, Fault> {
        let known = self.known();
        let get =
            |member: Arc<Member>| async move { member.kv().get(self.key.clone(), None).await };
        let found = revision(members.ask(get).await?.header())?;
        self.compare(known, found)?;
        self.told(found);
        Ok(found)
    }

    /// What no read that begins now can be behind.
    pub(super) fn known(&self) -> Revision {
        self.due.borrow().told
    }

    /// Compares where a read found the cluster with what was known before it began.
    pub(super) fn compare(&self, known: Revision, found: Revision) -> Result<(), Fault> {
        if found >= known {
            return Ok(());
        }
        let back = SetBack { known, found };
        self.due.send_modify(|due| due.back = Some(back));
        Err(Fault::Refused(Arc::new(back)))
    }

    /// Reads nothing as it was at this revision, to see whether it is still kept.
    pub(super) async fn probe(&self, members: &Members, at: Revision) -> Result<(), Fault> {
        let options = etcd_client::GetOptions::new().with_revision(number(at)).with_count_only();
        let get = |member: Arc<Member>| {
            let (key, options) = (self.key.clone(), options.clone());
            async move { member.kv().get(key, Some(options)).await }
        };
        members.ask(get).await.map(drop)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

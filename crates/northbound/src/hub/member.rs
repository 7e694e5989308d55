//! A subscriber and the hub: what it wants to hear of, and how much may wait for it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use lockstep_protocol::View;
use lockstep_types::Target;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::News;
use crate::metrics;

/// What may wait for a subscriber.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    /// So many transactions.
    pub(crate) count: usize,
    /// So many bytes of them, but for one that is larger by itself.
    pub(crate) bytes: usize,
}

/// Which targets a subscriber wants to hear of.
#[derive(Clone, Debug)]
pub(crate) enum Interest {
    /// These.
    These(BTreeSet<Target>),
    /// All there are or will be, but for these, until something changes about them.
    AllBut(BTreeSet<Target>),
}

impl Interest {
    fn wants(&self, news: &News) -> bool {
        let mut changed = news.targets.keys();
        match self {
            Self::These(targets) => changed.any(|target| targets.contains(target)),
            Self::AllBut(others) => {
                news.bound.is_some() || changed.any(|target| !others.contains(target))
            }
        }
    }

    /// From now on it hears of the targets that came, too.
    fn follow(&mut self, news: &News) {
        if let (Self::AllBut(others), Some(bound)) = (self, &news.bound) {
            others.retain(|target| !bound.targets.contains(target));
        }
    }
}

/// Why a subscriber is told nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// More than this many transactions waited for it.
    Behind(usize),
    /// More than this many bytes waited for it.
    Large(usize),
    /// The node itself was too slow to tell it of each transaction.
    Missed,
}

impl Why {
    const fn word(self) -> &'static str {
        match self {
            Self::Behind(_) => "behind",
            Self::Large(_) => "large",
            Self::Missed => "missed",
        }
    }

    /// What it is told.
    pub(crate) fn status(self) -> Status {
        match self {
            Self::Behind(count) => Status::resource_exhausted(format!(
                "this subscriber is more than {count} transactions behind (limits.behind), so it was cut \
                 off; subscribe again, and read faster"
            )),
            Self::Large(bytes) => Status::resource_exhausted(format!(
                "more than {bytes} bytes of changes wait for this subscriber, so it was cut off; subscribe \
                 again, and read faster"
            )),
            Self::Missed => Status::unavailable(
                "this node fell behind, and cannot tell of each transaction any more; subscribe again",
            ),
        }
    }
}

/// Whether a subscriber was cut off, and why.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut {
    token: CancellationToken,
    why: Arc<OnceLock<Why>>,
}

impl Cut {
    /// Comes back when it was.
    pub(crate) async fn off(&self) -> Why {
        self.token.cancelled().await;
        self.why().unwrap_or(Why::Missed)
    }

    /// Why, if it was.
    pub(crate) fn why(&self) -> Option<Why> {
        self.why.get().copied()
    }

    fn cut(&self, why: Why) {
        metrics::cut_off(why.word());
        // The first reason is the one.
        let _ = self.why.set(why);
        self.token.cancel();
    }
}

/// How many bytes wait for a subscriber.
#[derive(Debug, Default)]
struct Waiting(AtomicUsize);

impl Waiting {
    /// So many more than there were.
    fn add(&self, bytes: usize) -> usize {
        metrics::WAITING.add(bytes);
        self.0.fetch_add(bytes, Ordering::AcqRel)
    }

    fn sub(&self, bytes: usize) {
        metrics::WAITING.sub(bytes);
        self.0.fetch_sub(bytes, Ordering::AcqRel);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        metrics::WAITING.sub(*self.0.get_mut());
    }
}

/// A subscriber, as the hub sees it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) interest: Interest,
    queue: Queue,
    news: mpsc::Sender<Arc<News>>,
    waiting: Arc<Waiting>,
    cut: Cut,
}

/// What a subscriber has of the hub.
#[derive(Debug)]
pub(crate) struct Membership {
    /// What stood when it joined; the news go on from there.
    pub(crate) view: Arc<View>,
    pub(crate) news: Incoming,
    pub(crate) cut: Cut,
}

/// News that wait for a subscriber.
#[derive(Debug)]
pub(crate) struct Incoming {
    news: mpsc::Receiver<Arc<News>>,
    /// So many bytes.
    waiting: Arc<Waiting>,
}

impl Incoming {
    /// The next; none: the node stops, or the subscriber is cut off.
    pub(crate) async fn recv(&mut self) -> Option<Arc<News>> {
        let news = self.news.recv().await?;
        self.waiting.sub(news.size);
        Some(news)
    }
}

pub(super) fn new(interest: Interest, queue: Queue, view: Arc<View>) -> (Member, Membership) {
    let (sender, news) = mpsc::channel(queue.count);
    let (waiting, cut) = (Arc::<Waiting>::default(), Cut::default());
    let incoming = Incoming { news, waiting: Arc::clone(&waiting) };
    let member = Member { interest, queue, news: sender, waiting, cut: cut.clone() };
    (member, Membership { view, news: incoming, cut })
}

impl Member {
    /// Tells it, if it wants to know. Whether it stays.
    pub(super) fn tell(&mut self, news: &Arc<News>) -> bool {
        if !self.interest.wants(news) {
            return true;
        }
        self.interest.follow(news);
        // Before it is there to be taken out.
        let waiting = self.waiting.add(news.size);
        if waiting > 0 && waiting.saturating_add(news.size) > self.queue.bytes {
            self.cut.cut(Why::Large(self.queue.bytes));
            return false;
        }
        let told = self.news.try_send(Arc::clone(news)).is_ok();
        if !told {
            self.cut.cut(Why::Behind(self.queue.count));
        }
        told
    }

    pub(super) fn cut_off(self, why: Why) {
        self.cut.cut(why);
    }

    pub(super) fn is_gone(&self) -> bool {
        self.news.is_closed()
    }
}

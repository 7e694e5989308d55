//! What a node has under way. All of it may be lost at any moment; the store and the devices are
//! enough to go on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lockstep_types::{Index, Revision, Target, Term, Timestamp, TransactionId};

use super::link::{Link, Retry};
use super::links::Links;
use super::resume::Resume;
use super::retention::Retention;
use super::share::Turn;
use super::submissions::Submissions;
use super::together::Recording;
use crate::event::{Subject, Verdict, Wake};
use crate::request::{Client, Order, Request, Until};

/// What can be set. The defaults are for production.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// How many records one write of the store can hold. A transaction of more is wide.
    pub records_per_write: usize,
    /// How many records one write can hold that appends to the log, or brings many targets of a wide transaction
    /// forward: what waits goes into one, as far as it does.
    pub records_per_append: usize,
    /// How many targets one transaction may have.
    pub targets: usize,
    /// How many transactions may be open, those included that are not in the log yet.
    pub open: usize,
    /// How much of the log is kept.
    pub retention: Retention,
    /// Whether targets come to the nodes whose turn they are.
    pub spread: bool,
    /// The wait before a device is tried again, in nanoseconds; doubles each time.
    pub backoff: u64,
    /// How often it doubles at the most.
    pub backoff_doublings: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            retention: Retention::default(),
            spread: true,
            records_per_write: 100,
            records_per_append: 100,
            targets: 20_000,
            open: 10_000,
            backoff: 500_000_000,
            backoff_doublings: 6,
        }
    }
}

impl Settings {
    /// The wait after so many failures in a row.
    pub(super) fn wait(&self, failures: u32) -> u64 {
        self.backoff << failures.min(self.backoff_doublings)
    }
}

/// Someone who waits for a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Waiter {
    pub(super) client: Client,
    pub(super) until: Until,
    pub(super) answer_by: Option<Timestamp>,
}

/// yang's word, and whether it was asked for; otherwise it came along with what it is on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word {
    pub(super) verdict: Verdict,
    pub(super) asked: bool,
}

/// Another time that a client wants for the window of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Extension {
    pub(super) client: Client,
    pub(super) length: u64,
    /// What it comes to, once it was written.
    pub(super) until: Option<Timestamp>,
}

/// Someone who calls a transaction off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cancel {
    pub(super) client: Client,
    pub(super) author: String,
}

/// What an operator asked to be done with a target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ordered {
    pub(super) client: Client,
    pub(super) order: Order,
    pub(super) author: String,
    pub(super) written: bool,
}

/// Where a wide transaction has got to on its way to a decision: what lies before need not be looked at each time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Progress {
    /// Before this target all edits are written.
    pub(super) written: Option<Target>,
    /// It was last prepared up to here.
    pub(super) prepared: Option<Target>,
}

/// What a node has under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Desk {
    pub(super) now: Timestamp,
    pub(super) lease: Timestamp,
    pub(super) links: Links,
    /// Whose turn each target is.
    pub(super) turns: BTreeMap<Target, Turn>,
    /// When that is worked out again, because targets came or went.
    pub(super) share_at: Option<Timestamp>,
    /// Targets that this node is to be connected to.
    pub(super) reached: BTreeSet<Target>,
    /// Targets that this node has asked for, and has not got.
    pub(super) asked: BTreeSet<Target>,
    /// Targets that it asked for, and is not to have before something is different about them.
    pub(super) declined: BTreeSet<Target>,
    /// Targets that it was handed in a term in which it has not brought them in line yet.
    pub(super) handed: BTreeMap<Target, Term>,
    /// Targets that it was handed and could not hold: they are left to others for a while.
    pub(super) unfit: BTreeMap<Target, Retry>,
    /// Targets that it has yet to ask for.
    pub(super) wanted: BTreeSet<Target>,
    /// Devices whose own values are to be recorded.
    pub(super) seen: BTreeSet<Target>,
    pub(super) writing: BTreeSet<Wake>,
    pub(super) resume: Resume,
    pub(super) recording: Recording,
    pub(super) validating: BTreeSet<Subject>,
    pub(super) verdicts: BTreeMap<Subject, Word>,
    pub(super) submissions: Submissions,
    pub(super) waiters: BTreeMap<TransactionId, Vec<Waiter>>,
    /// When waiters are to be answered, however far it is; nobody else's time is kept.
    pub(super) overdue: BTreeSet<(Timestamp, TransactionId)>,
    pub(super) gathering: BTreeMap<Index, Arc<Request>>,
    /// How far wide transactions are towards their decision.
    pub(super) progress: BTreeMap<Index, Progress>,
    pub(super) cancels: BTreeMap<Index, Vec<Cancel>>,
    pub(super) confirms: BTreeMap<Index, Vec<Client>>,
    pub(super) extensions: BTreeMap<Index, Vec<Extension>>,
    pub(super) orders: BTreeMap<Target, Vec<Ordered>>,
}

impl Desk {
    /// The node's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whose turn a target is.
    #[must_use]
    pub fn turn(&self, target: &Target) -> Option<&Turn> {
        self.turns.get(target)
    }

    /// Whether this node was handed a target and could not hold it.
    #[must_use]
    pub fn is_unfit(&self, target: &Target) -> bool {
        self.unfit.contains_key(target)
    }

    /// Whether this node is to be connected to a device.
    #[must_use]
    pub fn reaches(&self, target: &Target) -> bool {
        self.reached.contains(target)
    }

    /// The link to a device, if there ever was one.
    #[must_use]
    pub fn link(&self, target: &Target) -> Option<&Link> {
        self.links.get(target)
    }

    /// When a device is next to be tried again. What is due already was taken up when it became due.
    #[must_use]
    pub fn next_retry(&self) -> Option<Timestamp> {
        let unfit = self.unfit.values().map(|unfit| unfit.at).filter(|at| *at > self.now);
        unfit.chain(self.links.next_retry(self.now)).min()
    }

    /// Takes out these waiters of a transaction, and when they were to be answered.
    pub(super) fn dismiss(
        &mut self,
        id: &TransactionId,
        who: impl Fn(&Waiter) -> bool,
    ) -> Vec<Waiter> {
        let waiters = self.waiters.remove(id).unwrap_or_default();
        let (gone, left): (Vec<_>, Vec<_>) = waiters.into_iter().partition(who);
        for at in gone.iter().filter_map(|waiter| waiter.answer_by) {
            if left.iter().all(|waiter| waiter.answer_by != Some(at)) {
                self.overdue.remove(&(at, id.clone()));
            }
        }
        if !left.is_empty() {
            self.waiters.insert(id.clone(), left);
        }
        gone
    }

    /// Whether nobody waits for anything, and nothing is kept of those who did.
    #[must_use]
    pub fn has_no_clients(&self) -> bool {
        self.submissions.is_empty()
            && self.waiters.is_empty()
            && self.overdue.is_empty()
            && self.gathering.is_empty()
            && self.cancels.is_empty()
            && self.confirms.is_empty()
            && self.extensions.is_empty()
            && self.orders.is_empty()
            && !self.verdicts.keys().any(|subject| matches!(subject, Subject::Submission(_)))
    }

    /// Whether a controller may decide: it has no write outstanding, and the view shows what became
    /// of the last one.
    pub(super) fn is_free(&self, wake: &Wake, seen: Revision) -> bool {
        !self.writing.contains(wake) && self.resume.get(wake).is_none_or(|until| until <= seen)
    }
}

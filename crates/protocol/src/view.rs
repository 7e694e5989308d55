//! The store as one node knows it: every record with its revision, and the queues they form.
//!
//! A view is fed by one watch, whole revisions in order, so it is always the store as it was at one
//! revision. Cloning it is cheap: maps and trees share what did not change.

mod absorb;
mod checks;
mod fallback;
mod history;
mod queue;
mod reading;
mod retention;
mod trial;
mod waiting;
mod wide;
mod windows;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use lockstep_types::{Index, NodeName, Revision, SessionId, Target, Timestamp, TransactionId};
use rpds::RedBlackTreeMapSync as Map;

use queue::Queue;
pub use waiting::Wait;
pub(crate) use wide::Lag;

use crate::record::{
    Binding, Configuration, Drifted, Head, Horizon, Key, Marks, Mastership, Part, Proposal,
    Transaction,
};
use crate::txn::Compare;

/// A record and the revision of its last write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versioned<T> {
    /// When it was last written; zero: never.
    pub revision: Revision,
    /// The record.
    pub record: T,
}

/// The store at one revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    revision: Revision,
    head: Versioned<Head>,
    horizon: Versioned<Horizon>,
    ids: Map<TransactionId, Versioned<Index>>,
    transactions: Map<Index, Versioned<Arc<Transaction>>>,
    parts: Map<(Index, Target), Versioned<Part>>,
    proposals: Map<(Index, Target), Versioned<Arc<Proposal>>>,
    configurations: Map<Target, Versioned<Configuration>>,
    decided_at: Map<Target, Revision>,
    marks: Map<Target, Versioned<Marks>>,
    drifted: Map<Target, Versioned<Drifted>>,
    masterships: Map<Target, Versioned<Mastership>>,
    bindings: Map<Target, Versioned<Binding>>,
    sessions: Map<SessionId, Versioned<NodeName>>,
    queues: Map<Target, Queue>,
    outstanding: Map<(Index, Target), ()>,
    lagging: Map<Target, Lag>,
    open: Map<Index, ()>,
    reverting: Map<Index, ()>,
    deadlines: Map<(Timestamp, Index), ()>,
    windows: Map<(Timestamp, Index), ()>,
    kept: Map<Target, Index>,
}

impl View {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The revision this is the store of.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The end of the log.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head.record
    }

    /// The transaction a client's id names.
    #[must_use]
    pub fn named(&self, id: &TransactionId) -> Option<&Transaction> {
        self.transaction(self.ids.get(id)?.record)
    }

    /// A transaction.
    #[must_use]
    pub fn transaction(&self, index: Index) -> Option<&Transaction> {
        self.transactions.get(&index).map(|versioned| &*versioned.record)
    }

    /// A transaction, to be kept while the view moves on. Costs nothing, however many targets it has.
    pub(crate) fn shared(&self, index: Index) -> Option<Arc<Transaction>> {
        self.transactions.get(&index).map(|versioned| Arc::clone(&versioned.record))
    }

    /// Every transaction, in log order.
    pub fn transactions(&self) -> impl Iterator<Item = &Transaction> {
        self.transactions.values().map(|versioned| &*versioned.record)
    }

    /// Every transaction, the latest first.
    pub fn transactions_backwards(&self) -> impl Iterator<Item = &Transaction> {
        self.transactions.iter().rev().map(|(_, versioned)| &*versioned.record)
    }

    /// Transactions without an outcome, in log order.
    pub fn open(&self) -> impl Iterator<Item = &Transaction> {
        self.open.keys().filter_map(|index| self.transaction(*index))
    }

    /// Transactions that turned and have no outcome yet.
    pub(crate) fn reverting(&self) -> impl Iterator<Item = Index> {
        self.reverting.keys().copied()
    }

    /// How many transactions have no outcome.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.open.size()
    }

    /// The deadlines that can still move something, earliest first.
    pub fn deadlines(&self) -> impl Iterator<Item = (Timestamp, Index)> {
        self.deadlines.keys().copied()
    }

    /// When the next of these deadlines passes or an open window ends, from a time on.
    pub(crate) fn next_time(&self, from: Timestamp) -> Option<Timestamp> {
        let first = |times: &Map<(Timestamp, Index), ()>| {
            times.range((from, Index::ZERO)..).next().map(|((at, _), ())| *at)
        };
        first(&self.deadlines).into_iter().chain(first(&self.windows)).min()
    }

    /// What a transaction asks of a target.
    #[must_use]
    pub fn proposal(&self, index: Index, target: &Target) -> Option<&Proposal> {
        self.proposals.get(&(index, target.clone())).map(|versioned| &*versioned.record)
    }

    /// Every proposal.
    pub fn proposals(&self) -> impl Iterator<Item = (Index, &Target, &Proposal)> {
        self.proposals
            .iter()
            .map(|((index, target), versioned)| (*index, target, &*versioned.record))
    }

    /// What is wanted of a target; a target never written to has an empty one.
    #[must_use]
    pub fn configuration(&self, target: &Target) -> Option<&Configuration> {
        self.configurations.get(target).map(|versioned| &versioned.record)
    }

    /// When the committed side of a configuration last changed. A verdict stands as long as this does;
    /// what a device accepts in between does not touch it.
    #[must_use]
    pub fn decided_at(&self, target: &Target) -> Revision {
        self.decided_at.get(target).copied().unwrap_or(Revision::ZERO)
    }

    /// The units that the device shows in a form of its own.
    #[must_use]
    pub fn marks(&self, target: &Target) -> Option<&Marks> {
        self.marks.get(target).map(|versioned| &versioned.record)
    }

    /// Where a device is not as it should be, as its master sees it.
    #[must_use]
    pub fn drifted(&self, target: &Target) -> Option<&Drifted> {
        let term = self.mastership(target)?.term;
        let known = self.drifted.get(target).map(|versioned| &versioned.record);
        known.filter(|drifted| drifted.term == term)
    }

    /// Whether there is a record of where it is not, or was not.
    pub(crate) fn is_known_drifted(&self, target: &Target) -> bool {
        self.drifted.contains_key(target)
    }

    /// Who may write to a target.
    #[must_use]
    pub fn mastership(&self, target: &Target) -> Option<&Mastership> {
        self.masterships.get(target).map(|versioned| &versioned.record)
    }

    /// What a target is bound to; none: there is no such target.
    #[must_use]
    pub fn binding(&self, target: &Target) -> Option<&Binding> {
        self.bindings.get(target).map(|versioned| &versioned.record)
    }

    /// Every target.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.bindings.keys()
    }

    /// Whether a session's key exists.
    #[must_use]
    pub fn is_alive(&self, session: &SessionId) -> bool {
        self.sessions.contains_key(session)
    }

    /// Live sessions.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.sessions.keys()
    }

    /// The node that a live session is of.
    #[must_use]
    pub fn node(&self, session: &SessionId) -> Option<&NodeName> {
        self.sessions.get(session).map(|versioned| &versioned.record)
    }

    /// The live master of a target.
    #[must_use]
    pub fn master(&self, target: &Target) -> Option<&Mastership> {
        self.mastership(target)
            .filter(|mastership| mastership.session.as_ref().is_some_and(|s| self.is_alive(s)))
    }

    /// The revision of a record; zero: it does not exist.
    #[must_use]
    pub fn version(&self, key: &Key) -> Revision {
        let found = match key {
            Key::Head => Some(self.head.revision),
            Key::Horizon => Some(self.horizon.revision),
            Key::Id(id) => self.ids.get(id).map(|v| v.revision),
            Key::Transaction(index) => self.transactions.get(index).map(|v| v.revision),
            Key::Proposal(index, target) => {
                self.proposals.get(&(*index, target.clone())).map(|v| v.revision)
            }
            Key::Part(index, target) => {
                self.parts.get(&(*index, target.clone())).map(|v| v.revision)
            }
            Key::Configuration(target) => self.configurations.get(target).map(|v| v.revision),
            Key::Marks(target) => self.marks.get(target).map(|v| v.revision),
            Key::Drifted(target) => self.drifted.get(target).map(|v| v.revision),
            Key::Mastership(target) => self.masterships.get(target).map(|v| v.revision),
            Key::Binding(target) => self.bindings.get(target).map(|v| v.revision),
            Key::Session(session) => self.sessions.get(session).map(|v| v.revision),
        };
        found.unwrap_or(Revision::ZERO)
    }

    /// Whether a compare holds here.
    #[must_use]
    pub fn holds(&self, compare: &Compare) -> bool {
        match compare {
            Compare::Unchanged(key, revision) => self.version(key) == *revision,
            Compare::Exists(key) => self.version(key) != Revision::ZERO,
            Compare::Absent(key) => self.version(key) == Revision::ZERO,
        }
    }
}

/// By what the records say, not by when they were written: two stores that went different ways to the
/// same records hash alike.
impl Hash for View {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.head.record.hash(state);
        self.horizon.record.hash(state);
        each(state, self.transactions.values().map(|versioned| &versioned.record));
        each(state, self.proposals.iter().map(|(key, versioned)| (key, &versioned.record)));
        each(state, self.configurations.iter().map(|(key, versioned)| (key, &versioned.record)));
        each(state, self.lagging.iter());
        each(state, self.marks.iter().map(|(key, versioned)| (key, &versioned.record)));
        each(state, self.masterships.iter().map(|(key, versioned)| (key, &versioned.record)));
        each(state, self.bindings.iter().map(|(key, versioned)| (key, &versioned.record)));
        each(state, self.sessions.keys());
    }
}

fn each<H: Hasher, T: Hash>(state: &mut H, items: impl Iterator<Item = T>) {
    let mut count = 0_usize;
    for item in items {
        item.hash(state);
        count += 1;
    }
    count.hash(state);
}

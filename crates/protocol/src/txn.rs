//! A write to the store: compares that must all hold, then operations that all happen.

use lockstep_types::{Index, NodeName, Patch, Revision, SessionId, Target, TransactionId};
use serde::{Deserialize, Serialize};

use crate::record::{
    Binding, Drifted, Head, Header, Horizon, Key, Marks, Mastership, Part, Proposal, Transaction,
};

/// What must hold for a write to happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// The record was last written at this revision; zero: it does not exist.
    Unchanged(Key, Revision),
    /// The record exists, whenever it was written.
    Exists(Key),
    /// The record does not exist.
    Absent(Key),
}

/// One record written, or a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// The log grew.
    Head(Head),
    /// The log is kept from here on: entries up to this one are forgotten by and by.
    Horizon(Horizon),
    /// An id was taken.
    Id {
        /// The id.
        id: TransactionId,
        /// The transaction it names.
        index: Index,
    },
    /// A transaction came in or moved on.
    Transaction(Transaction),
    /// What a transaction asks of one target.
    Proposal {
        /// Of which transaction.
        index: Index,
        /// On which target.
        target: Target,
        /// What it asks and came to.
        proposal: Proposal,
    },
    /// A wide transaction moved on on one target.
    Part {
        /// Which transaction.
        index: Index,
        /// On which target.
        target: Target,
        /// How far it is there.
        part: Part,
    },
    /// A configuration moved on. Carries the units that change, not the tree: its size follows the
    /// change.
    Configuration {
        /// Whose.
        target: Target,
        /// Its new header.
        header: Header,
        /// Units of the committed tree that change.
        committed: Patch,
        /// Units of the applied tree that change.
        applied: Patch,
        /// Whatever stood is gone first.
        #[serde(default, skip_serializing_if = "is_false")]
        cleared: bool,
    },
    /// What a device shows in a form of its own.
    Marks {
        /// Which device.
        target: Target,
        /// The units.
        marks: Marks,
    },
    /// Where a device is not as it should be, as its master sees it.
    Drifted {
        /// Which device.
        target: Target,
        /// Where.
        drifted: Drifted,
    },
    /// A target has a new master, or none.
    Mastership {
        /// Of which target.
        target: Target,
        /// The record.
        mastership: Mastership,
    },
    /// A target is bound to a model set.
    Binding {
        /// Which target.
        target: Target,
        /// To what.
        binding: Binding,
    },
    /// A node has started.
    Session {
        /// This start of it.
        session: SessionId,
        /// The node.
        node: NodeName,
    },
    /// A session's lease ran out or was given up.
    EndSession(SessionId),
    /// A record is gone: of an entry beyond the horizon, or what a target was bound to.
    Forget(Key),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Op {
    /// The record that is written.
    #[must_use]
    pub fn key(&self) -> Key {
        match self {
            Self::Head(_) => Key::Head,
            Self::Horizon(_) => Key::Horizon,
            Self::Forget(key) => key.clone(),
            Self::Id { id, .. } => Key::Id(id.clone()),
            Self::Transaction(transaction) => Key::Transaction(transaction.index),
            Self::Proposal { index, target, .. } => Key::Proposal(*index, target.clone()),
            Self::Part { index, target, .. } => Key::Part(*index, target.clone()),
            Self::Configuration { target, .. } => Key::Configuration(target.clone()),
            Self::Marks { target, .. } => Key::Marks(target.clone()),
            Self::Drifted { target, .. } => Key::Drifted(target.clone()),
            Self::Mastership { target, .. } => Key::Mastership(target.clone()),
            Self::Binding { target, .. } => Key::Binding(target.clone()),
            Self::Session { session, .. } | Self::EndSession(session) => {
                Key::Session(session.clone())
            }
        }
    }
}

/// A write that happens whole or not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Txn {
    /// What must hold.
    pub compares: Vec<Compare>,
    /// What is written then; no record twice.
    pub ops: Vec<Op>,
}

/// A write that happened, as the watch tells it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Changes {
    /// The revision it made.
    pub revision: Revision,
    /// What it wrote.
    pub ops: Vec<Op>,
}

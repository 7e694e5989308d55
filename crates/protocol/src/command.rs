//! What a node is to do next. Commands carry everything needed to do them; nothing is looked up later.

use std::collections::BTreeMap;

use lockstep_types::{Configuration as Tree, Connection, Delta, Index, Sequence, Target, Term};
use serde::{Deserialize, Serialize};

use crate::event::{Base, Subject, Wake};
use crate::request::{Client, Reply};
use crate::txn::Txn;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Write the store, and say what became of it with [`Event::Written`](crate::Event::Written).
    Write {
        /// To be named in the answer.
        wake: Wake,
        /// The write.
        txn: Txn,
    },
    /// Ask yang, and bring its word with [`Event::Verdict`](crate::Event::Verdict).
    Validate {
        /// To be named in the answer.
        subject: Subject,
        /// What is to be valid, target by target.
        checks: BTreeMap<Target, Check>,
    },
    /// Send a request to a device, and bring its answer with
    /// [`Event::Answered`](crate::Event::Answered).
    Send {
        /// Which device.
        target: Target,
        /// On this connection and no other.
        connection: Connection,
        /// To be named in the answer.
        sequence: Sequence,
        /// The low half of the election id.
        term: Term,
        /// The request.
        ask: Ask,
    },
    /// Close a connection: what was sent on it can no longer be trusted (rule 7).
    Close {
        /// To which device.
        target: Target,
        /// Which connection.
        connection: Connection,
    },
    /// Connect to a device, and again whenever the connection is lost, and say so with
    /// [`Event::Connected`](crate::Event::Connected) each time.
    Connect(Target),
    /// Let go of a device: it is another node's to see to.
    Disconnect(Target),
    /// Answer a client.
    Answer {
        /// Whom.
        client: Client,
        /// What.
        reply: Reply,
    },
}

/// A configuration to be validated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Check {
    /// What it was computed on; comes back in the verdict.
    pub base: Base,
    /// The whole result.
    pub result: Tree,
    /// What it may fall back to without anyone being asked; to be valid as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Tree>,
    /// How it comes about, if what stands before is known to be valid: then what the change has no
    /// effect on need not be looked at.
    pub change: Option<Change>,
}

/// A change of something valid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Change {
    /// What stands before: valid by the models of the check.
    pub before: Tree,
    /// What becomes of it.
    pub delta: Delta,
}

/// A request to a device.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// An empty Set with the election id: shuts out every older master.
    Claim,
    /// Everything it holds within the models.
    Read,
    /// These units, all of them or none.
    Set(Delta),
    /// The same on trial: the device takes them back unless it is told to keep them.
    Trial {
        /// The transaction, which names the trial from now on.
        index: Index,
        /// What changes.
        delta: Delta,
        /// When the device takes it back by itself, in nanoseconds from now.
        rollback: u64,
    },
    /// Keep what is on trial.
    Confirm(Index),
    /// Take back what is on trial.
    Cancel(Index),
}

impl Ask {
    /// What the device is to hold, if it is asked to.
    #[must_use]
    pub fn delta(&self) -> Option<&Delta> {
        match self {
            Self::Set(delta) | Self::Trial { delta, .. } => Some(delta),
            Self::Claim | Self::Read | Self::Confirm(_) | Self::Cancel(_) => None,
        }
    }

    /// Whether it may change what the device holds, at once or later.
    #[must_use]
    pub fn may_change(&self) -> bool {
        !matches!(self, Self::Claim | Self::Read)
    }
}

//! The names under which records live in the store.

use lockstep_types::{Index, SessionId, Target, TransactionId};
use serde::{Deserialize, Serialize};

/// The name of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    /// The end of the log; every append compares it.
    Head,
    /// How far back the log is kept.
    Horizon,
    /// A client's id, and with it the transaction it names.
    Id(TransactionId),
    /// A transaction: what it is and how far it is.
    Transaction(Index),
    /// The part of a transaction that concerns one target: what was asked, its delta, its undo.
    Proposal(Index, Target),
    /// The state of a wide transaction on one of its targets; others have it in their own record.
    Part(Index, Target),
    /// What is wanted of a target.
    Configuration(Target),
    /// The units a device shows in a form of its own.
    Marks(Target),
    /// Where a device is not as it should be.
    Drifted(Target),
    /// Which node may write to a target.
    Mastership(Target),
    /// What a target is bound to: its model set.
    Binding(Target),
    /// One start of one node, for as long as its lease lasts.
    Session(SessionId),
}

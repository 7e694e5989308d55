//! What clients ask, and how they are answered.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_types::{Edit, Index, Target, Term, Timestamp, TransactionId};
use serde::{Deserialize, Serialize};

use crate::record::{Binding, Failure, Kind, Mode, Status};

/// Who waits for an answer; the shell's own number for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Client(pub u64);

/// When the answer is due.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// With the outcome (sync).
    #[default]
    Outcome,
    /// With the decision (async).
    Decision,
}

/// What an operator asks to be done with a target, beside the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Leave the device alone until it is resumed.
    Pause,
    /// Go on where it was paused; the device is read first.
    Resume,
    /// Read the device again and bring it in line.
    Sync,
    /// Read the device again and record what it has as what is wanted of it.
    Adopt,
    /// Take the device over from somebody else, with this term at least.
    Claim(Term),
}

/// A transaction as a client asks for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Request {
    /// The client's id, or one the node made.
    pub id: TransactionId,
    /// What is asked.
    pub body: Body,
    /// When the answer is due.
    pub until: Until,
    /// When it is to be given up; absolute.
    pub deadline: Timestamp,
    /// When the client is to be answered at the latest, with how far it is by then. None: whenever that
    /// is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_by: Option<Timestamp>,
    /// Who asks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub author: String,
    /// What for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// What makes two requests with one id the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Body {
    /// Change, Rollback or Restore.
    pub kind: Kind,
    /// Atomic or queued; a Rollback is always atomic.
    pub mode: Mode,
    /// A Change: what is asked of each target.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub edits: BTreeMap<Target, Edit>,
    /// A Rollback: on fewer targets than the change had. A Restore: the targets. Empty: all of them, which
    /// for a Restore are those that later entries concern.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub only: BTreeSet<Target>,
    /// Atomic, and no Rollback: taken out again unless it is confirmed within so many nanoseconds of its
    /// outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// A target that comes to be or is bound anew: to what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Box<Binding>>,
}

/// The answer to a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// Nothing was written.
    Refused(Refusal),
    /// An order was carried out.
    Done,
    /// It is in the log, and stands there like this.
    Transaction {
        /// Where.
        index: Index,
        /// How far.
        status: Status,
    },
}

/// Why a request is turned down before anything is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// The request names nothing to change.
    #[error("the request concerns no target")]
    NoTarget,
    /// A target that is not known.
    #[error("there is no target {0}")]
    UnknownTarget(Target),
    /// A target that is there already.
    #[error("there is a target {0} already")]
    TargetExists(Target),
    /// A sync request to a target that no node is connected to.
    #[error(
        "target {0} is not connected; asked for async, it is waited for until the deadline; queued and async, as long as it takes"
    )]
    NotConnected(Target),
    /// Nobody can tell what a device has that is not there.
    #[error("target {0} is not connected, so nobody can tell what it has; ask again once it is")]
    AdoptsAway(Target),
    /// Nor what one has that is left alone.
    #[error("target {0} is paused, so what it has is not looked at; resume it first")]
    AdoptsPaused(Target),
    /// A target that has a configuration of its own, which nobody has decided about yet.
    #[error("target {target} was never brought in line: {code}: {message}", code = .failure.code, message = .failure.message)]
    NeverMet {
        /// The target.
        target: Target,
        /// Why.
        failure: Failure,
    },
    /// A target that this node cannot serve, and in what way, with what to do about it.
    #[error("target {0} is {1}")]
    NotServed(Target, String),
    /// A sync request to a target that an operator wants left alone.
    #[error(
        "target {0} is paused; resume it first, or ask for queued and async: then it is waited for"
    )]
    Paused(Target),
    /// As much is open as may be.
    #[error("{0} transactions are open, which is the limit; try again when some have ended")]
    TooManyOpen(usize),
    /// More targets than one transaction may have.
    #[error("{0} targets are more than one transaction may have")]
    TooManyTargets(usize),
    /// The id is taken by a request with another body.
    #[error("the id names transaction {0}, which asked for something else")]
    IdTaken(Index),
    /// The id is taken by an entry that another node has not written whole.
    #[error("the id names transaction {0}, which is still being written; ask again in a moment")]
    BeingWritten(Index),
    /// The id is taken by a request that is not in the log yet, with another body.
    #[error("the id names a request under way, which asked for something else")]
    IdPending,
    /// A transaction that is not in the log (FAILED_PRECONDITION where it is to be rolled back).
    #[error("there is no transaction {0}")]
    UnknownTransaction(Index),
    /// A transaction that is not kept any more.
    #[error("transaction {index} is beyond retention: the log is kept from {horizon} on")]
    BeyondRetention {
        /// Which.
        index: Index,
        /// The last one that was let go of: how things stood after it is still known.
        horizon: Index,
    },
    /// Only what wrote values of its own can be rolled back: a Change, a Restore, or an Adopt, but for
    /// what a device had when it was first met.
    #[error("transaction {0} is not a change")]
    NotAChange(Index),
    /// A Rollback that names a target its change does not have.
    #[error("transaction {of} does not concern target {target}")]
    NotConcerned {
        /// The change.
        of: Index,
        /// The target.
        target: Target,
    },
    /// A target on which a change may yet be reverted, or be about to open its window.
    #[error("target {target} is in the confirm window of transaction {index} ({id})")]
    InWindow {
        /// The target.
        target: Target,
        /// The change.
        index: Index,
        /// Its id.
        id: TransactionId,
        /// Until when it can be confirmed; none: its window opens with its outcome.
        until: Option<Timestamp>,
    },
    /// A window on what cannot have one.
    #[error("only an atomic change can be asked to be confirmed")]
    NoWindowFor,
    /// A window on more than one write of the store can take back.
    #[error("{0} targets are more than can be asked to be confirmed at once")]
    WindowTooWide(usize),
    /// There is nothing to confirm.
    #[error("transaction {0} was not asked to be confirmed")]
    NoWindow(Index),
    /// What is to be confirmed is not applied yet.
    #[error("transaction {0} has no outcome yet, so there is nothing to confirm")]
    NotOpen(Index),
    /// The window has closed.
    #[error("transaction {0} was not confirmed in time, and is reverted")]
    TooLate(Index),
    /// What takes back a change that was not confirmed cannot be called off.
    #[error("transaction {0} reverts what was not confirmed, and cannot be called off")]
    Reverts(Index),
    /// A transaction that has its outcome cannot be cancelled.
    #[error("transaction {index} already has its outcome")]
    Finished {
        /// Which.
        index: Index,
        /// What it is, which says what can be done about it now.
        kind: Kind,
        /// The outcome.
        status: Status,
    },
}

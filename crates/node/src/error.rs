//! Why a node cannot start, and why it cannot take a request now.

use lockstep_types::{Index, Target};
use lockstep_yang::Violation;

use crate::trace::TraceError;

/// Why a node cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be read or written.
    #[error("the store cannot be used")]
    Store(#[from] lockstep_store::Error),
    /// Another model set was given to a target than the one its configuration was decided with, and
    /// the configuration is not valid by it.
    #[error(
        "target {target} cannot be bound to model set {model}: what is committed breaks it at {path}: {message}; \
         give the target its former models back, or change its configuration first",
        path = .violation.path, message = .violation.message
    )]
    Rebind {
        /// The target.
        target: Target,
        /// The name of the new model set.
        model: String,
        /// The first rule that is broken.
        violation: Box<Violation>,
    },
    /// Another node wrote the same record at the same time.
    #[error("target {0} was bound by somebody else at the same time; start again")]
    Race(Target),
    /// It was not heard of for so long that its session ran out.
    #[error("its session ran out while it loaded the store; start again")]
    Session,
    /// Its steps cannot be written down.
    #[error("its steps cannot be written down")]
    Trace(#[from] TraceError),
}

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Busy {
    /// The node stops, and what was asked for is in the log: it is carried on.
    #[error("the node stops; transaction {0} is carried on by another, or when it is back")]
    Stopped(Index),
    /// It was to be answered by now, and the store has not taken it in, nor said that it will not.
    #[error(
        "the store takes no writes: whether this comes to be a transaction is not known; ask again under the same id"
    )]
    Unwritten,
    /// It was to be done by now, and is not, nor is it known that it will not be.
    #[error(
        "not done in time: the store may take no writes, or a device may not answer; it may still be done, so look \
         before you ask again"
    )]
    Late,
    /// The node stops, and nothing was written.
    #[error("the node is stopping; ask another, or again when it is back")]
    Stopping,
}

//! Who may write to a target, and what the target is bound to.

use lockstep_types::{Connection, ModelDigest, SessionId, Term};
use serde::{Deserialize, Serialize};

/// The one node that may write to a target. A permanent record: there is no master when it names no
/// session, or one whose key is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mastership {
    /// The session of the master; none once it has released the target.
    pub session: Option<SessionId>,
    /// Grows with every new master and every new connection; also the low half of the election id.
    pub term: Term,
    /// The master's connection on which the term was won. Nothing is sent on any other.
    pub connection: Connection,
}

/// What a target is bound to. A decision compares it, so that a verdict reached with other models
/// than the target's own cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The digest of the model set's files.
    pub models: ModelDigest,
}

//! Who may write to a target, and what the target is bound to.

use lockstep_types::{Connection, ModelDigest, Path, SessionId, Term};
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
    /// Who asks the master to hand the target over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
}

/// A node that a target would be better off with: it is its turn, and it is connected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Next {
    /// Its session.
    pub session: SessionId,
    /// Its connection to the device.
    pub connection: Connection,
}

/// What a target is bound to. A decision compares it, so that a verdict reached with other models
/// than the target's own cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The digest of the model set's files.
    pub models: ModelDigest,
    /// What is done with a device that has a configuration of its own when it is first met.
    #[serde(default)]
    pub initial: Initial,
    /// What is done with a device that was changed behind our back.
    #[serde(default)]
    pub drift: Drift,
    /// Where the device may be changed behind our back without anyone caring.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<Path>,
    /// How it is reached and whatever else there is to know, in words that only the shell reads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
}

impl Binding {
    /// To these models, and as new targets are.
    #[must_use]
    pub fn of(models: ModelDigest) -> Self {
        Self {
            models,
            initial: Initial::default(),
            drift: Drift::default(),
            ignore: Vec::new(),
            details: String::new(),
        }
    }
}

/// What is done with a device that has a configuration of its own when it is first met.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Initial {
    /// What it has becomes what is wanted. Nothing is written to it before that.
    #[default]
    Adopt,
    /// It is made to match what is wanted.
    Replace,
}

/// What is done with a device that was changed behind our back.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    /// It is told, and left alone.
    #[default]
    Report,
    /// It is changed back.
    Enforce,
    /// What it has becomes what is wanted.
    Adopt,
}

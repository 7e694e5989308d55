//! Why something did not happen, as data; sentences are made where a person reads them.

use lockstep_types::{Index, Path, Target};
use serde::{Deserialize, Serialize};

use crate::view::Wait;

/// A device's own words when it turned something down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// The device's code, by name.
    pub code: String,
    /// The device's message.
    pub message: String,
}

impl Failure {
    const FOREIGN: &'static str =
        "foreign master: the device listens to an election id that is not ours";

    /// The device turns us away although nobody else is its master by the store.
    #[must_use]
    pub fn foreign_master() -> Self {
        Self { code: "PERMISSION_DENIED".into(), message: Self::FOREIGN.into() }
    }

    /// Whether it is that.
    #[must_use]
    pub fn is_foreign_master(&self) -> bool {
        self.message == Self::FOREIGN
    }
}

/// One rule of the models that a configuration would break.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Violation {
    /// Where.
    pub target: Target,
    /// At which node of its configuration.
    pub path: Path,
    /// The rule's own message.
    pub message: String,
}

/// Why a transaction was rejected, turned to its rollback phase, withdrawn or cancelled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The result would break the models.
    Invalid(Vec<Violation>),
    /// It was not decided, or not applied everywhere, before its deadline.
    Deadline,
    /// On one target: what was waited for there when its deadline passed.
    Waited(Wait),
    /// A device refused it.
    Refused {
        /// Which device.
        target: Target,
        /// What it said.
        failure: Failure,
    },
    /// The node that took it in stopped before all of it was written.
    Incomplete,
    /// It was cancelled.
    Cancelled,
    /// A change below it was withdrawn, and without that one the result would break the models.
    InvalidAfterWithdrawal(Vec<Violation>),
    /// The target is not there, or not any more.
    NoTarget(Target),
    /// The target is there already.
    TargetExists(Target),
    /// Its target was removed before its device had it.
    Removed(Index),
    /// Rollback or Restore: what it names is beyond this horizon.
    BeyondRetention(Index),
    /// Rollback: the change was never committed, or has left the committed values everywhere.
    NotCommitted(Index),
    /// Rollback: the change is in the committed values of none of the targets any more.
    NotLive(Index),
    /// Rollback: a later change is in the way.
    Superseded {
        /// Where.
        target: Target,
        /// The change in the way.
        by: Index,
    },
}

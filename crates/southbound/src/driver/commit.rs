//! Commits that a device takes back by itself unless they are confirmed.

use std::time::Duration;

use lockstep_protocol::Answer;
use lockstep_protocol::record::Failure;
use lockstep_types::Delta;

/// One step of a commit that is to be confirmed. A device has room for one such commit, and while it
/// stands refuses every other Set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name, which has to be new: a device keeps no list of old ones.
    pub id: String,
    /// Which step.
    pub phase: Phase,
}

/// The steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A Set with a timer.
    Set {
        /// What changes, all of it or nothing.
        delta: Delta,
        /// When the device takes it back, unless it was confirmed.
        rollback: Duration,
    },
    /// Keeps the change.
    Confirm,
    /// Takes the change back now.
    Cancel,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// What may come of any Set.
    Answer(Answer),
    /// No commit waits on the device: it was taken back in time, lost in a restart, or settled before.
    /// Only reading says which. Only for [`Phase::Confirm`] and [`Phase::Cancel`].
    Lost,
    /// The commit that waits on the device is another one, so ours is lost, and nothing can be set until
    /// that one is settled. Only for [`Phase::Confirm`] and [`Phase::Cancel`].
    Another(Failure),
}

//! In whose name a device is asked.

use lockstep_types::Epoch;

use crate::{Election, Lease};

/// In whose name a device is asked.
#[derive(Clone, Debug)]
pub struct Mandate {
    /// The store. What is left on a device under a name is found by it again, whoever the master is then
    /// and however its election id came about.
    pub epoch: Epoch,
    /// The master, at its term.
    pub election: Election,
    /// For how long it holds. Looked at just before anything is sent: a process may have stood still since it was
    /// decided to.
    pub lease: Lease,
}

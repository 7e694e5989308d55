//! The ways to read a device: by Get, or by Subscribe.

use std::sync::atomic::{AtomicU8, Ordering};

use tonic::{Code, Status};

use super::answer;

/// One way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A Get of configuration.
    Configuration,
    /// A Get of everything, of which state is left out here. Some devices do not tell the two apart.
    Everything,
    /// A subscription that ends when all was told once. State comes along here too.
    Subscription,
}

/// The way that was found for a connection.
#[derive(Debug, Default)]
pub(super) struct Reading(AtomicU8);

impl Reading {
    /// The one to try, or known to work.
    pub(super) fn way(&self) -> Way {
        match self.0.load(Ordering::Relaxed) {
            0 => Way::Configuration,
            1 => Way::Everything,
            _ => Way::Subscription,
        }
    }

    /// This way is not there; whether there is another. If not, all are tried again next time.
    pub(super) fn after(&self, way: Way) -> bool {
        let (next, is_there) = match way {
            Way::Configuration => (1, true),
            Way::Everything => (2, true),
            Way::Subscription => (0, false),
        };
        self.0.store(next, Ordering::Relaxed);
        is_there
    }
}

impl Way {
    /// Whether a device says that it does not have this way, or that its answer does not fit into one
    /// message.
    pub(super) fn is_not_there(self, status: &Status) -> bool {
        match status.code() {
            Code::Unimplemented => !answer::is_from_connection(status),
            Code::ResourceExhausted => self != Self::Subscription && answer::is_too_large(status),
            _ => false,
        }
    }
}

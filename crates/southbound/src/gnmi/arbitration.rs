//! How we say to a device that we are its master, and how much of that it understands.

use std::sync::atomic::{AtomicU8, Ordering};

use lockstep_gnmi::Election;
use lockstep_gnmi::extension::{self, Arbitration};
use lockstep_gnmi::proto::gnmi_ext::Extension;

/// The election id as a device takes it. Some answer UNIMPLEMENTED when a role is named, some to the
/// extension itself; what was learned holds for the connection, for the next one may lead to another
/// version of the device.
#[derive(Debug)]
pub(super) struct Manner {
    role: String,
    level: AtomicU8,
}

/// How much of it a device understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Nothing. It takes whatever anyone sends.
    None,
    /// An election id, the same for all its clients.
    Election,
    /// An election id for each role.
    Role,
}

impl Manner {
    /// With this role, until a device does not understand it; empty: without one.
    pub(super) fn new(role: &str) -> Self {
        let level = if role.is_empty() { Level::Election } else { Level::Role };
        Self { role: role.to_owned(), level: AtomicU8::new(level as u8) }
    }

    pub(super) fn level(&self) -> Level {
        match self.level.load(Ordering::Relaxed) {
            0 => Level::None,
            1 => Level::Election,
            _ => Level::Role,
        }
    }

    /// The device did not understand `level`.
    pub(super) fn lower(&self, level: Level) {
        self.level.store((level as u8).saturating_sub(1), Ordering::Relaxed);
    }

    /// What goes with every Set.
    pub(super) fn extensions(&self, election: Election) -> Vec<Extension> {
        let role = match self.level() {
            Level::None => return Vec::new(),
            Level::Election => String::new(),
            Level::Role => self.role.clone(),
        };
        vec![extension::claim(&Arbitration { role, election })]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_the_role_goes_then_the_rest() {
        let manner = Manner::new("lockstep");
        let election = Election { high: 2, low: 9 };
        let sent = || extension::arbitration(&manner.extensions(election)).unwrap();
        assert_eq!(sent().unwrap(), Arbitration { role: "lockstep".into(), election });
        manner.lower(Level::Role);
        assert_eq!(sent().unwrap(), Arbitration { role: String::new(), election });
        manner.lower(Level::Election);
        assert_eq!((sent(), manner.level()), (None, Level::None));
    }
}

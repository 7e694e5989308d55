//! What a device knows, as opposed to what it is connected to.

use std::collections::BTreeMap;

use lockstep_gnmi::Election;
use lockstep_gnmi::extension::Arbitration;
use lockstep_types::Configuration;
use tonic::Status;

use super::feed::Feed;
use super::window::Window;
use crate::faults::Plan;
use crate::journal::{Effect, Entry, Journal, Kind};

/// The memory of a device. All but the configuration, the faults and the journal are lost in a
/// restart.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// How often it was started. What began under an earlier number has no effect any more.
    pub(crate) boot: u64,
    pub(crate) configuration: Configuration,
    /// The largest id seen in each role.
    masters: BTreeMap<String, Election>,
    /// The commit that is to be confirmed.
    pub(crate) window: Option<Window>,
    /// How many timers such commits have had.
    pub(crate) timers: u64,
    pub(crate) faults: Plan,
    /// How often the faults were set.
    pub(crate) plan: u64,
    pub(crate) journal: Journal,
    /// Those who want to know of changes.
    pub(crate) feed: Feed,
}

impl State {
    /// A device that holds this and knows nothing else.
    pub(super) fn holding(configuration: Configuration) -> Self {
        Self { configuration, ..Self::default() }
    }

    /// Ends what runs, as a kill does: nothing under way has an effect from here on.
    pub(crate) fn kill(&mut self, keep: bool) {
        self.boot += 1;
        self.masters.clear();
        self.feed.close();
        // What was not confirmed was not saved.
        if let Some(window) = self.window.take() {
            self.configuration = window.before();
        }
        if !keep {
            self.configuration = Configuration::new();
        }
        self.journal.add(Entry {
            boot: self.boot,
            configuration: Some(self.configuration.clone()),
            ..Entry::new(Kind::Restart)
        });
    }

    /// Refuses what began before a restart.
    pub(crate) fn alive(&self, boot: u64) -> Result<(), Status> {
        if self.boot == boot {
            Ok(())
        } else {
            Err(Status::unavailable("the device was restarted meanwhile"))
        }
    }

    /// Whether a client may write: its id is the largest of its role, and is remembered as such
    /// whatever becomes of the request. Who sends none is not arbitrated.
    pub(crate) fn arbitrate(&mut self, client: Option<&Arbitration>) -> Result<(), Status> {
        let Some(Arbitration { role, election }) = client else { return Ok(()) };
        match self.masters.get(role) {
            Some(stored) if election < stored => Err(Status::permission_denied(format!(
                "the master of role `{role}` has the election id {stored}, which is larger than {election}"
            ))),
            _ => {
                self.masters.insert(role.clone(), *election);
                Ok(())
            }
        }
    }

    /// Writes down what was asked and what came of it.
    pub(crate) fn note<T>(&mut self, entry: Entry, result: &Result<T, Status>) {
        let effect = match result {
            Ok(_) => Effect::Done,
            Err(status) => {
                Effect::Refused { code: status.code(), message: status.message().to_owned() }
            }
        };
        self.write(Entry { effect, ..entry });
    }

    /// Writes down an entry, with what the device holds now.
    pub(crate) fn write(&mut self, entry: Entry) {
        let configuration = Some(self.configuration.clone());
        self.journal.add(Entry { boot: self.boot, configuration, ..entry });
    }
}

#[cfg(test)]
mod tests {
    use lockstep_gnmi::Election;
    use lockstep_gnmi::extension::Arbitration;
    use tonic::Code;

    use super::State;

    fn client(role: &str, high: u64, low: u64) -> Arbitration {
        Arbitration { role: role.into(), election: Election { high, low } }
    }

    #[test]
    fn the_largest_id_of_a_role_is_the_master() {
        let mut state = State::default();
        let mut ask = |role: &str, high, low| {
            state.arbitrate(Some(&client(role, high, low))).map_err(|status| status.code())
        };
        let denied = Err(Code::PermissionDenied);
        assert_eq!(ask("a", 0, 0), Ok(()));
        assert_eq!(ask("a", 1, 5), Ok(()));
        assert_eq!(ask("a", 1, 5), Ok(()));
        assert_eq!(ask("a", 1, 4), denied);
        assert_eq!(ask("a", 0, u64::MAX), denied);
        assert_eq!(ask("", 0, 1), Ok(()));
        assert_eq!(ask("b", 0, 1), Ok(()));
        assert_eq!(ask("a", 2, 0), Ok(()));
        assert_eq!(ask("a", 1, 5), denied);
        state.kill(true);
        assert!(state.arbitrate(Some(&client("a", 0, 1))).is_ok());
        assert!(state.arbitrate(None).is_ok());
    }
}

//! What a device was asked, and what it did.

use std::collections::VecDeque;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use lockstep_gnmi::Election;
use lockstep_types::{Configuration, Path};
use tonic::Code;

/// So many entries are kept of each device; a device that runs for weeks must not fill the memory.
const KEPT: usize = 10_000;

/// One thing that a device was asked, in the order in which it was done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Counted from 1 over all restarts.
    pub number: u64,
    /// When it was done with. Nanoseconds since the Unix epoch.
    pub timestamp: i64,
    /// When it came in.
    pub arrived: i64,
    /// How often the device had been started.
    pub boot: u64,
    /// What was asked.
    pub kind: Kind,
    /// By a master with this id; none where no id was sent.
    pub election: Option<Election>,
    /// The role of that master.
    pub role: String,
    /// The paths that were asked for, or touched.
    pub paths: Vec<Path>,
    /// The id of the commit that is to be confirmed; empty: none.
    pub commit: String,
    /// What came of it.
    pub effect: Effect,
    /// What the client heard of it.
    pub told: Told,
    /// It hung, and was worked on later.
    pub late: bool,
    /// The names of the faults that had a part in it.
    pub faults: Vec<String>,
    /// What the device held afterwards. None in a journal that was read over the network.
    pub configuration: Option<Configuration>,
}

/// What a device can be asked, or does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Capabilities. It touches nothing, so it is not written down.
    Capabilities,
    /// A Get.
    Get,
    /// A Subscribe, when it begins.
    Subscribe,
    /// A Set without operations.
    Claim,
    /// A Set.
    Set,
    /// A Set without operations that confirms a commit.
    Confirm,
    /// A Set without operations that cancels a commit.
    Cancel,
    /// A Set without operations that gives a commit another time.
    Extend,
    /// A commit that was not confirmed in time is taken back.
    Rollback,
    /// A change behind the back of all clients.
    Drift,
    /// A restart.
    Restart,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It was done.
    Done,
    /// Nothing changed, and nobody was told: it hangs, or its connection was dropped.
    Nothing,
    /// It was answered with an error, and nothing changed.
    Refused {
        /// The code.
        code: Code,
        /// The words.
        message: String,
    },
}

/// What the client heard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Told {
    /// What came of it.
    #[default]
    Effect,
    /// Nothing.
    Nothing,
    /// An error, although it was done.
    Error {
        /// The code.
        code: Code,
        /// The words.
        message: String,
    },
}

/// The latest entries of a device.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: VecDeque<Entry>,
    written: u64,
}

impl Journal {
    /// Adds an entry, and gives it its number and time.
    pub(crate) fn add(&mut self, entry: Entry) {
        self.written += 1;
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        let timestamp = now();
        // What the device does by itself comes in when it is done.
        let arrived = if entry.arrived == 0 { timestamp } else { entry.arrived };
        self.entries.push_back(Entry { number: self.written, timestamp, arrived, ..entry });
    }

    /// What stood at some time; none if that is too long ago.
    pub(crate) fn at(&self, time: i64) -> Option<Configuration> {
        let then = self.entries.iter().rev().find(|entry| entry.timestamp <= time);
        then.and_then(|entry| entry.configuration.clone())
    }

    /// The entries that are kept and have a larger number.
    pub(crate) fn after(&self, number: u64) -> Vec<Entry> {
        self.entries.iter().filter(|entry| entry.number > number).cloned().collect()
    }
}

impl Entry {
    /// An entry that says no more than what was asked.
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            number: 0,
            timestamp: 0,
            arrived: 0,
            boot: 0,
            kind,
            election: None,
            role: String::new(),
            paths: Vec::new(),
            commit: String::new(),
            effect: Effect::Done,
            told: Told::Effect,
            late: false,
            faults: Vec::new(),
            configuration: None,
        }
    }
}

impl Kind {
    const NAMES: [(Self, &'static str); 11] = [
        (Self::Capabilities, "capabilities"),
        (Self::Get, "get"),
        (Self::Subscribe, "subscribe"),
        (Self::Claim, "claim"),
        (Self::Set, "set"),
        (Self::Confirm, "confirm"),
        (Self::Cancel, "cancel"),
        (Self::Extend, "extend"),
        (Self::Rollback, "rollback"),
        (Self::Drift, "drift"),
        (Self::Restart, "restart"),
    ];

    /// Every kind of request, which are those that a fault can be for.
    pub const REQUESTS: [Self; 8] = [
        Self::Capabilities,
        Self::Get,
        Self::Subscribe,
        Self::Claim,
        Self::Set,
        Self::Confirm,
        Self::Cancel,
        Self::Extend,
    ];

    /// The kind with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(kind, _)| kind == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// Nanoseconds since the Unix epoch.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;

//! What a run is made of: the transactions clients ask for, and the faults that may happen.

mod catalogue;
mod script;

pub use catalogue::{catalogue, find};
pub use script::{Deadline, Entry, leaf, path, target};

use std::collections::BTreeSet;

use lockstep_protocol::record::{Drift, Trials};
use lockstep_types::{Configuration as Tree, Path, Target};

use crate::facts::Fact;

/// How often each fault may happen in one run. They may happen at any moment, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Faults {
    /// A device stops and forgets what it held.
    pub restarts: u8,
    /// A node dies.
    pub crashes: u8,
    /// A node's lease runs out, and the node does not know.
    pub leases: u8,
    /// A connection breaks.
    pub disconnects: u8,
    /// A request gets no answer, and may land later.
    pub hangs: u8,
    /// A device never answers a request of an atomic transaction: only its deadline ends the wait.
    pub silences: u8,
    /// A device refuses a proposal.
    pub refusals: u8,
    /// A device refuses an undo.
    pub undo_refusals: u8,
    /// A device refuses to be brought in line.
    pub resync_refusals: u8,
    /// A device says it is busy.
    pub busy: u8,
    /// A client cancels.
    pub cancels: u8,
    /// A client confirms.
    pub confirms: u8,
    /// A client gives a window another time.
    pub extends: u8,
    /// A node falls behind the store.
    pub lags: u8,
    /// A deadline passes.
    pub late: u8,
    /// A target is bound to other models.
    pub rebinds: u8,
    /// A device that insists on something, or is wary, is tried again. Only when nothing else is left to
    /// happen.
    pub retries: u8,
    /// A device restarts so quickly that all anyone sees is a new connection.
    pub flickers: u8,
    /// An operator pauses a device, or has it looked at again.
    pub orders: u8,
    /// A device takes back what it has on trial.
    pub timers: u8,
    /// A node is not told what became of a write, which may still land.
    pub lost: u8,
    /// Somebody else changes a device.
    pub tampers: u8,
    /// An operator wants what a device has to be what is wanted of it.
    pub adopts: u8,
    /// Somebody else makes a device listen to them.
    pub usurpers: u8,
    /// An operator has a device taken over from somebody else.
    pub claims: u8,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// How many nodes.
    pub nodes: usize,
    /// The devices.
    pub targets: Vec<Target>,
    /// What clients ask, in this order.
    pub script: Vec<Entry>,
    /// What may go wrong.
    pub faults: Faults,
    /// Whether a write holds one target at the most, so that whatever concerns two is wide.
    pub small: bool,
    /// Whether a write reaches the store at once, or any time later.
    pub instant: bool,
    /// Whether yang speaks any time later, or at once.
    pub slow_yang: bool,
    /// Whether whoever brings a change has asked yang already.
    pub ahead: bool,
    /// Whether clients ask without waiting for what was asked before to be in the log.
    pub crowd: bool,
    /// Whether a node that died stays dead.
    pub buried: bool,
    /// Whether a node whose lease ends knows.
    pub honest: bool,
    /// Whether what was sent on a connection that broke may still land.
    pub late_delivery: bool,
    /// Whether devices can take something on trial.
    pub trials: Trials,
    /// Whether devices with something on trial do not even take a claim, and whatever they do not take
    /// does not count as one.
    pub wary: bool,
    /// Whether devices listen to anyone, also to older masters.
    pub unfenced: bool,
    /// Which devices the faults may befall.
    pub fragile: BTreeSet<Target>,
    /// Which devices never come back once they stopped.
    pub gone: BTreeSet<Target>,
    /// Whether targets come to the nodes whose turn they are.
    pub spread: bool,
    /// What devices hold before anyone has met them.
    pub own: Option<Tree>,
    /// Whether the store was set back to a backup before the run: devices have seen later terms of it.
    pub set_back: bool,
    /// What is done about it when somebody else changes a device.
    pub drift: Drift,
    /// What a device may hold after a restart, besides nothing.
    pub saved: Option<Tree>,
    /// What a device insists on once it has restarted: it refuses whatever leaves it without.
    pub insists: Option<Path>,
    /// How many entries of the log are kept, if not all.
    pub keeps: Option<u64>,
    /// Whether devices show the value `v` of `/a` as `V`.
    pub rewrites: bool,
    /// Whether `/b` may stand only where `/a` does.
    pub needs: bool,
    /// What must have been seen by the end, or the run showed nothing.
    pub reaches: Vec<Fact>,
}

impl Scenario {
    /// Whether devices may refuse to be brought in line again and again: how often they are tried is
    /// counted.
    #[must_use]
    pub fn is_stubborn(&self) -> bool {
        self.insists.is_some() || self.wary || self.set_back || self.faults.usurpers > 0
    }

    /// Whether faults may befall a device.
    #[must_use]
    pub fn is_fragile(&self, target: &Target) -> bool {
        self.fragile.contains(target)
    }
}

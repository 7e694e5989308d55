//! A confirm window: a change that is taken out again unless it is confirmed in time.

use lockstep_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Kind, Rule, Status, Transaction};

/// How far a window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowStage {
    /// Its change is not applied, and may never be.
    Asked,
    /// Its change is applied, and is taken out again unless confirmed.
    Open {
        /// The last moment to confirm it.
        until: Timestamp,
    },
    /// Its change stays.
    Confirmed,
    /// Its change was taken out.
    Reverted,
}

/// The window of a change, in the change's own record: confirm and revert compare it, and the first wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Window {
    /// How long it is open, in nanoseconds from the outcome.
    pub length: u64,
    /// How far it is.
    pub stage: WindowStage,
}

impl Window {
    /// A window of this length that somebody asks for.
    #[must_use]
    pub const fn asked(length: u64) -> Self {
        Self { length, stage: WindowStage::Asked }
    }
}

impl Transaction {
    /// Until when its window is open, if it is.
    #[must_use]
    pub fn open_until(&self) -> Option<Timestamp> {
        match self.window?.stage {
            WindowStage::Open { until } => Some(until),
            _ => None,
        }
    }

    /// Whether nothing else may come to its targets: it has a window that is open, or is to be. So its
    /// revert finds nothing in its way, neither of what was decided later nor of what waits to be.
    #[must_use]
    pub fn keeps_others_off(&self) -> bool {
        match self.window.map(|window| window.stage) {
            Some(WindowStage::Asked) => !self.status.is_final(),
            Some(WindowStage::Open { .. }) => true,
            Some(WindowStage::Confirmed | WindowStage::Reverted) | None => false,
        }
    }

    /// Whether it takes out what was not confirmed in time. Such a Rollback has no way back: what a device
    /// refuses of it, or is away for, reaches the device with the next resync.
    #[must_use]
    pub const fn is_revert(&self) -> bool {
        matches!(self.kind, Kind::Rollback { rule: Rule::Window, .. })
    }

    /// Its window opens with its outcome, if it went well.
    pub(crate) fn open_window(&mut self) {
        let (status, finished) = (self.status, self.finished);
        if let (Status::Applied, Some(at), Some(window)) = (status, finished, &mut self.window) {
            window.stage = WindowStage::Open { until: at.after(window.length) };
        }
    }
}

//! What a transaction without an outcome waits for, named (guarantee 10): never just "in progress".

use lockstep_types::{Index, Target};
use serde::{Deserialize, Serialize};

use super::View;
use crate::record::{Failure, PartStatus, Status, Transaction};

/// What a transaction waits for on one of its targets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// To be decided: this earlier entry is not.
    Behind(Index),
    /// To be decided: this atomic transaction holds the target.
    Held(Index),
    /// To be decided, or sent: entries are validated again after a withdrawal or an adoption.
    Recheck,
    /// To be decided: the verdict on it.
    Verdict,
    /// To be decided: nothing is in its way here, but something is on another of its targets.
    Others,
    /// To be sent: this earlier entry is not recorded.
    Turn(Index),
    /// To be sent: an operator wants the device left alone.
    Paused,
    /// To be sent: no node is connected to the device.
    Connection,
    /// To be sent: the device is being brought in line.
    Synchronising,
    /// To be sent: the device refuses to be brought in line, and says why.
    Resync(Failure),
    /// The device's answer.
    Device,
    /// The device has it on trial: not all the others do yet.
    Trial,
    /// The device has it on trial, like all the others: it is told to keep it.
    Confirming,
}

impl View {
    /// What a transaction waits for on `target`; none: it is done there.
    #[must_use]
    pub fn waiting_for(&self, transaction: &Transaction, target: &Target) -> Option<Wait> {
        let part = transaction.part(target);
        match transaction.status {
            Status::Pending => Some(self.decision_waits_for(transaction, target)),
            Status::Committed if part == PartStatus::Pending => {
                Some(self.apply_waits_for(transaction, target))
            }
            Status::Committed if part == PartStatus::Accepted => Some(Wait::Trial),
            Status::Confirming if part == PartStatus::Accepted => Some(Wait::Confirming),
            Status::Reverting if self.is_to_be_undone(transaction, target) => {
                Some(self.device_waits_for(target))
            }
            _ => None,
        }
    }

    fn is_to_be_undone(&self, transaction: &Transaction, target: &Target) -> bool {
        self.undo_head(target) == Some(transaction.index)
    }

    fn decision_waits_for(&self, transaction: &Transaction, target: &Target) -> Wait {
        let header = self.header(target);
        match self.commit_head(target) {
            Some(head) if head != transaction.index => Wait::Behind(head),
            _ => match (header.holder, header.recheck) {
                (Some(holder), _) if holder == transaction.index => Wait::Others,
                (Some(holder), _) => Wait::Held(holder),
                (None, Some(_)) => Wait::Recheck,
                (None, None) if self.others_keep_it(transaction, target) => Wait::Others,
                (None, None) => Wait::Verdict,
            },
        }
    }

    /// Whether a transaction that is decided on all its targets at once has to wait for one of the others. A wide one is
    /// prepared on each by itself.
    fn others_keep_it(&self, transaction: &Transaction, target: &Target) -> bool {
        let is_free = |other: &Target| {
            self.commit_head(other) == Some(transaction.index) && !self.is_held(other)
        };
        let mut others = transaction.targets.keys().filter(|other| *other != target);
        !transaction.wide && others.any(|other| !is_free(other))
    }

    fn apply_waits_for(&self, transaction: &Transaction, target: &Target) -> Wait {
        match self.apply_head(target) {
            Some(head) if head != transaction.index => Wait::Turn(head),
            _ => match self.header(target).recheck {
                Some(checked) if transaction.index > checked => Wait::Recheck,
                _ => self.device_waits_for(target),
            },
        }
    }

    fn device_waits_for(&self, target: &Target) -> Wait {
        if self.header(target).paused {
            Wait::Paused
        } else if self.master(target).is_none() {
            Wait::Connection
        } else if self.is_synchronised(target) {
            Wait::Device
        } else {
            let refused = self.header(target).resync_refused.clone();
            refused.map_or(Wait::Synchronising, Wait::Resync)
        }
    }
}

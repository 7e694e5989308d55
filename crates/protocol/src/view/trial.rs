//! What a device has on trial, as far as the store says.

use lockstep_types::{Index, Target};

use super::View;
use crate::record::{PartStatus, Status, Transaction};

impl View {
    /// The transaction that the device is recorded to have on trial.
    #[must_use]
    pub fn on_trial(&self, target: &Target) -> Option<Index> {
        self.trial(target, |trial| trial.part(target) == PartStatus::Accepted)
    }

    /// The trial that the device is to keep.
    #[must_use]
    pub fn confirm_head(&self, target: &Target) -> Option<Index> {
        self.trial(target, |trial| {
            trial.status == Status::Confirming && trial.part(target) == PartStatus::Accepted
        })
    }

    /// What is to be applied whatever becomes of the device: a trial that every device accepted, or what
    /// takes out a change that was not confirmed in time.
    #[must_use]
    pub fn forward_head(&self, target: &Target) -> Option<Index> {
        self.confirm_head(target).or_else(|| self.revert_head(target))
    }

    /// The trial that the device is recorded to have while it may still be turned.
    pub(crate) fn undecided_trial(&self, target: &Target) -> Option<Index> {
        self.trial(target, |trial| {
            trial.status == Status::Committed && trial.part(target) == PartStatus::Accepted
        })
    }

    /// The trial that something is yet to happen to on the device.
    pub(crate) fn open_trial(&self, target: &Target) -> Option<Index> {
        self.trial(target, |trial| {
            matches!(trial.part(target), PartStatus::Pending | PartStatus::Accepted)
        })
    }

    /// Whether a transaction is tried on every device before any of them keeps it.
    pub(crate) fn is_trial(&self, index: Index) -> bool {
        self.transaction(index).is_some_and(|transaction| transaction.trial)
    }

    /// Whether the device is to keep the last trial, as the record says.
    pub(crate) fn keeps_trial(&self, index: Index) -> bool {
        self.transaction(index)
            .is_some_and(|trial| matches!(trial.status, Status::Confirming | Status::Applied))
    }

    /// The last trial, if it is so.
    fn trial(&self, target: &Target, is_so: impl Fn(&Transaction) -> bool) -> Option<Index> {
        let index = self.header(target).trial?;
        self.transaction(index).filter(|trial| is_so(trial)).map(|trial| trial.index)
    }
}

//! Which windows are open, until when, and which targets they keep others off.

use lockstep_types::{Index, Target, Timestamp};

use super::View;
use crate::record::Transaction;

impl View {
    /// Open windows, the first to end first.
    pub fn windows(&self) -> impl Iterator<Item = (Timestamp, Index)> {
        self.windows.keys().copied()
    }

    /// Whether any window, open or still to open, keeps others off some target.
    #[must_use]
    pub(crate) fn has_windows(&self) -> bool {
        !self.kept.is_empty()
    }

    /// The change whose window, open or still to open, keeps others off a target.
    #[must_use]
    pub fn window_on(&self, target: &Target) -> Option<&Transaction> {
        self.transaction(*self.kept.get(target)?)
    }

    /// The head of the apply queue, if it takes out what was not confirmed in time.
    #[must_use]
    pub fn revert_head(&self, target: &Target) -> Option<Index> {
        let head = self.apply_head(target)?;
        self.transaction(head).filter(|head| head.is_revert()).map(|head| head.index)
    }

    /// Takes in what a transaction's record says of its window.
    pub(super) fn take_window(&mut self, before: Option<&Transaction>, after: &Transaction) {
        if let Some(until) = before.and_then(Transaction::open_until) {
            self.windows.remove_mut(&(until, after.index));
        }
        if let Some(until) = after.open_until() {
            self.windows.insert_mut((until, after.index), ());
        }
        for target in after.targets.keys().filter(|_| after.window.is_some()) {
            if after.keeps_others_off() {
                self.kept.insert_mut(target.clone(), after.index);
            } else if self.kept.get(target) == Some(&after.index) {
                self.kept.remove_mut(target);
            }
        }
    }
}

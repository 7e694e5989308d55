//! What was found out about a device on one connection. The next one may lead to another version of
//! it, so each finds out anew.

use std::sync::{Mutex, PoisonError};

use crate::Fencing;

/// What is known so far.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Facts>);

#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    fencing: Option<Fencing>,
    confirms: Option<bool>,
}

impl Known {
    /// Whether the device turns away an older master.
    pub(super) fn fencing(&self) -> Option<Fencing> {
        self.facts().fencing
    }

    /// Whether it has commits that are to be confirmed.
    pub(super) fn confirms(&self) -> Option<bool> {
        self.facts().confirms
    }

    pub(super) fn set_fencing(&self, fencing: Fencing) {
        self.change(|facts| facts.fencing = Some(fencing));
    }

    pub(super) fn set_confirms(&self, confirms: bool) {
        self.change(|facts| facts.confirms = Some(confirms));
    }

    fn facts(&self) -> Facts {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Facts)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

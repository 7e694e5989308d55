//! How a target's connection stands, for those who ask.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Fencing, Line};

/// Shared by a link and its task.
#[derive(Clone, Debug)]
pub(super) struct Seen(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    failure: Option<String>,
    fencing: Option<Fencing>,
    confirms: Option<bool>,
}

impl Seen {
    pub(super) fn new() -> Self {
        let failure = Some("not tried yet".to_owned());
        Self(Arc::new(Mutex::new(State { failure, ..State::default() })))
    }

    /// There is no connection, and why.
    pub(super) fn failed(&self, why: String) {
        *self.state() = State { failure: Some(why), ..State::default() };
    }

    /// There is a connection, of which nothing is known yet.
    pub(super) fn connected(&self) {
        *self.state() = State::default();
    }

    /// The device answered; something may have been found out.
    pub(super) fn learn(&self, line: &dyn Line) {
        let (fencing, confirms) = (line.fencing(), line.confirms());
        let mut state = self.state();
        (state.fencing, state.confirms) = (fencing, confirms);
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    pub(super) fn fencing(&self) -> Option<Fencing> {
        self.state().fencing
    }

    pub(super) fn confirms(&self) -> Option<bool> {
        self.state().confirms
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

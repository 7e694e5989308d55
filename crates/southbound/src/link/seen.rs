//! How a target's connection stands, for those who ask.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_protocol::Answer;

use crate::{Fencing, Line};

/// Shared by a link and its task.
#[derive(Clone, Debug)]
pub(super) struct Seen(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    failure: Option<String>,
    trouble: Option<Trouble>,
    fencing: Option<Fencing>,
    confirms: Option<bool>,
    /// Whether it is left alone for now.
    rests: bool,
}

/// Why a device is left alone that has taken our claim.
const RESTS: &str =
    "it turns no older master away, so it is left alone until nothing of one can be on its way";

/// What a device did not answer, or not yet.
#[derive(Clone, Copy, Debug)]
struct Trouble {
    what: &'static str,
    busy: bool,
}

impl Trouble {
    fn words(self) -> String {
        let Self { what, busy } = self;
        match busy {
            true => format!("it was busy at the last {what}, and is tried again"),
            false => format!("it gave no clear answer to the last {what} in time"),
        }
    }
}

impl Seen {
    pub(super) fn new() -> Self {
        let failure = Some("not tried yet".to_owned());
        Self(Arc::new(Mutex::new(State { failure, ..State::default() })))
    }

    /// There is no connection, and why.
    pub(super) fn failed(&self, why: String) {
        self.begin(Some(why));
    }

    /// There is a connection, of which nothing is known yet.
    pub(super) fn connected(&self) {
        self.begin(None);
    }

    /// A device that takes connections and does not answer on them has the same trouble on each.
    fn begin(&self, failure: Option<String>) {
        let state = &mut *self.state();
        *state = State { failure, trouble: state.trouble, ..State::default() };
    }

    /// The device gave this answer, or none. What it has no trouble with may be claimed and read again and again while
    /// a change is never answered: so that ends with the answer to the same, or to a change.
    pub(super) fn answered(&self, what: &'static str, may_change: bool, answer: &Answer) {
        let mut state = self.state();
        state.trouble = match answer {
            Answer::Unknown => Some(Trouble { what, busy: false }),
            Answer::Busy => Some(Trouble { what, busy: true }),
            _ => state.trouble.filter(|trouble| !may_change && trouble.what != what),
        };
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

    /// Whether the device is left alone, so that what it was sent before is over.
    pub(super) fn rests(&self, rests: bool) {
        self.state().rests = rests;
    }

    pub(super) fn trouble(&self) -> Option<String> {
        let state = self.state();
        let rests = state.rests.then(|| RESTS.to_owned());
        rests.or_else(|| state.trouble.map(Trouble::words))
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

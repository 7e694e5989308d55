//! A commit that is to be confirmed, and what becomes of it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use lockstep_types::Configuration;
use tokio::time::sleep;
use tonic::Status;

use super::{Device, Inner, State};
use crate::journal::{Entry, Kind};

/// A commit that waits to be confirmed. A device has at most one.
#[derive(Debug)]
pub(crate) struct Window {
    id: String,
    /// What comes back if it is not.
    before: Configuration,
    /// Which of the timers so far counts.
    timer: u64,
}

impl Window {
    /// What comes back if the commit is not confirmed.
    pub(super) fn before(self) -> Configuration {
        self.before
    }
}

impl State {
    /// Refuses a change while another waits to be confirmed.
    pub(crate) fn check_no_window(&self) -> Result<(), Status> {
        match &self.window {
            None => Ok(()),
            Some(window) => Err(Status::failed_precondition(format!(
                "commit `{}` is not confirmed yet; confirm or cancel it first",
                window.id
            ))),
        }
    }

    /// Refuses to confirm, cancel or extend what is not there, or is called otherwise.
    pub(crate) fn check_window(&self, id: &str) -> Result<(), Status> {
        match &self.window {
            None => Err(Status::failed_precondition("there is no commit to be confirmed")),
            Some(window) if window.id != id => Err(Status::invalid_argument(format!(
                "the commit to be confirmed is `{}`, not `{id}`",
                window.id
            ))),
            Some(_) => Ok(()),
        }
    }
}

impl Device {
    /// Has the device hold this, and waits for it to be confirmed; otherwise `before` comes back.
    pub(crate) fn open_window(
        &self,
        state: &mut State,
        id: &str,
        before: Configuration,
        after: Configuration,
        time: Duration,
    ) {
        // First, so that nothing is saved before it is confirmed.
        state.window = Some(Window { id: id.to_owned(), before, timer: 0 });
        self.put(state, after, id);
        self.start_timer(state, time);
    }

    /// The commit is confirmed.
    pub(crate) fn close_window(&self, state: &mut State) {
        state.window = None;
        self.save(state);
    }

    /// Starts the time of the commit over.
    pub(crate) fn start_timer(&self, state: &mut State, time: Duration) {
        state.timers += 1;
        let timer = state.timers;
        if let Some(window) = &mut state.window {
            window.timer = timer;
            self.0.runtime.spawn(run_out(Arc::downgrade(&self.0), timer, time));
        }
    }

    /// Takes the commit back. Gives its id.
    pub(crate) fn roll_back(&self, state: &mut State) -> Option<String> {
        let window = state.window.take()?;
        self.put(state, window.before, &window.id);
        Some(window.id)
    }
}

/// Takes the commit back when its time is over, unless it is settled or another timer counts.
async fn run_out(device: Weak<Inner>, timer: u64, time: Duration) {
    sleep(time).await;
    let Some(device) = device.upgrade().map(Device) else { return };
    let _turn = device.sets().lock_owned().await;
    let mut state = device.state();
    if state.window.as_ref().is_none_or(|window| window.timer != timer) {
        return;
    }
    if let Some(commit) = device.roll_back(&mut state) {
        state.write(Entry { commit, ..Entry::new(Kind::Rollback) });
    }
}

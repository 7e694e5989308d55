//! One device: what it holds, and the switch it is turned off and on with.

mod drift;
mod feed;
mod line;
mod power;
mod saved;
mod state;
mod window;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lockstep_types::Configuration;
use lockstep_yang::ModelSet;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tonic::Status;
use tonic::transport::Server;

pub use drift::Error as DriftError;
pub(crate) use feed::{Change, Next};
pub(crate) use line::{Hold, Line};
use power::Power;
pub(crate) use saved::Saved;
pub(crate) use state::State;

use crate::Error;
use crate::faults::Plan;
use crate::journal::Entry;
use crate::shown::Picture;

/// A handle on a device. Clones are handles on the same one.
#[derive(Clone, Debug)]
pub struct Device(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    models: ModelSet,
    address: SocketAddr,
    /// Held for a moment only, so that a Get never waits for a Set.
    state: Mutex<State>,
    /// Held while a Set is worked on.
    sets: Arc<tokio::sync::Mutex<()>>,
    power: Power,
    server: Server,
    saved: Saved,
    /// How often what hangs was let go.
    released: watch::Sender<u64>,
    runtime: Handle,
}

impl Device {
    /// A new device, listening; empty unless something was saved.
    pub(crate) fn start(
        models: ModelSet,
        listen: SocketAddr,
        server: Server,
        saved: Saved,
    ) -> Result<Self, Error> {
        let state = State::holding(saved.load(&models)?);
        let listener =
            power::bind(listen).map_err(|source| Error::Listen { address: listen, source })?;
        let local = listener.local_addr();
        let address = local.map_err(|source| Error::Listen { address: listen, source })?;
        let device = Self(Arc::new(Inner {
            models,
            address,
            state: Mutex::new(state),
            server,
            saved,
            sets: Arc::default(),
            power: Power::default(),
            released: watch::Sender::new(0),
            runtime: Handle::current(),
        }));
        device.first_boot(listener)?;
        Ok(device)
    }

    /// Where it listens, also after a restart.
    pub fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// What it holds.
    pub fn configuration(&self) -> Configuration {
        self.state().configuration.clone()
    }

    /// From now on it has exactly these faults, also after a restart.
    pub fn set_faults(&self, faults: impl Into<Plan>) {
        self.state().faults = faults.into();
        self.drift_as_planned();
    }

    /// From now on it has these faults too.
    pub fn add_faults(&self, faults: impl Into<Plan>) {
        self.state().faults.add(faults.into());
        self.drift_as_planned();
    }

    /// The faults it has, with what is left of those that end by themselves.
    pub fn faults(&self) -> Plan {
        self.state().faults.clone()
    }

    /// Has it work on every request that hangs.
    pub fn release(&self) {
        self.0.released.send_modify(|times| *times += 1);
    }

    /// Says when what hangs is let go.
    pub(crate) fn released(&self) -> watch::Receiver<u64> {
        self.0.released.subscribe()
    }

    /// What it was asked and what it did, the latest ten thousand entries, oldest first.
    pub fn journal(&self) -> Vec<Entry> {
        self.journal_after(0)
    }

    /// The entries of the journal that have a larger number.
    pub fn journal_after(&self, number: u64) -> Vec<Entry> {
        self.state().journal.after(number)
    }

    /// Has it hold this from now on. `commit` is the id that a client gave to the commit; empty: none.
    pub(crate) fn put(&self, state: &mut State, configuration: Configuration, commit: &str) {
        state.configuration = configuration;
        state.feed.publish(&state.configuration, commit);
        self.save(state);
    }

    /// Keeps what it holds for the next time the process is started, but for what is not confirmed.
    pub(crate) fn save(&self, state: &State) {
        if state.window.is_none() {
            self.0.saved.save(&state.configuration);
        }
    }

    /// What serves it.
    pub(crate) fn server(&self) -> Server {
        self.0.server.clone()
    }

    /// What it shows now.
    pub(crate) fn picture(&self) -> Arc<Picture> {
        let state = &mut *self.state();
        state.feed.picture(&state.configuration)
    }

    /// What it showed at some time. Nanoseconds since the Unix epoch.
    pub(crate) fn picture_at(&self, time: i64) -> Result<Arc<Picture>, Status> {
        let state = self.state();
        let configuration = state.journal.at(time).ok_or_else(|| {
            Status::out_of_range("the journal of this device does not go back that far")
        })?;
        Ok(Arc::new(Picture::of(configuration)))
    }

    /// Its models.
    pub(crate) fn models(&self) -> &ModelSet {
        &self.0.models
    }

    /// To be held for a moment only.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves whole values behind: each change here is one assignment.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be held while a Set is worked on.
    pub(crate) fn sets(&self) -> Arc<tokio::sync::Mutex<()>> {
        Arc::clone(&self.0.sets)
    }
}

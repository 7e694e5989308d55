//! Whole nodes of the product, each on its own way to the store and to the devices.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use lockstep_node::{
    Clock, Devices, Handle, Known, Models, Options, Reached, Retention, Running, Source, Unserved,
    start,
};
use lockstep_protocol::record::{Binding, Drift, Trials};
use lockstep_store::Records;
use lockstep_types::{Epoch, NodeName, Target};
use lockstep_yang::ModelSet;
use tokio::time::{Instant, sleep, timeout};

use crate::chance::Chance;
use crate::device::{Site, Way};
use crate::store::{Shaky, Shared};
use crate::weather::{State, Weather};

/// When everything begins, in seconds since the beginning of 1970.
pub const EPOCH: u64 = 1_700_000_000;

/// How many requests may be under way.
const PENDING: usize = 100;

/// How long a node is left alone that could not start.
const AGAIN: Duration = Duration::from_millis(500);

/// What all nodes have in common.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The store.
    pub store: Shared,
    /// The devices.
    pub sites: Vec<Site>,
    /// Their models.
    pub models: ModelSet,
    /// Where every step is written down.
    pub trace: PathBuf,
    /// When the run began.
    pub begun: Instant,
    /// What is left to chance.
    pub chance: Chance,
}

/// A node, running or not.
#[derive(Debug)]
pub struct Node {
    name: String,
    ground: Ground,
    skew: Arc<AtomicI64>,
    running: Option<(Running, Weather)>,
}

impl Node {
    /// A node that does not run yet.
    #[must_use]
    pub fn new(name: &str, ground: &Ground) -> Self {
        let (name, ground) = (name.to_owned(), ground.clone());
        Self { name, ground, skew: Arc::default(), running: None }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What clients hold of it, while it runs.
    #[must_use]
    pub fn handle(&self) -> Option<Handle> {
        self.running.as_ref().map(|(running, _)| running.handle())
    }

    /// Starts it, if it does not run; tries until the store answers.
    pub async fn start(&mut self) {
        while self.running.is_none() {
            let weather = Weather::new(Arc::clone(&self.skew));
            match self.begin(weather.clone()).await {
                Ok(running) => self.running = Some((running, weather)),
                Err(_) => sleep(AGAIN).await,
            }
        }
    }

    async fn begin(&self, weather: Weather) -> Result<Running, Box<dyn std::error::Error>> {
        let Ground { store, sites, models, trace, begun, chance } = &self.ground;
        let store = Shaky::new(store.clone(), weather.clone(), chance.fork());
        let records = Records::open_at(Arc::new(store), Epoch::new(EPOCH)).await?;
        let mut binding = Binding::of(models.digest().clone());
        binding.drift = Drift::Enforce;
        let targets = sites.iter().map(|site| (site.name().clone(), binding.clone())).collect();
        let (begun, clock) = (*begun, weather.clone());
        let devices = Ways {
            sites: sites.iter().map(|site| (site.name().clone(), site.clone())).collect(),
            node: self.name.clone(),
            weather,
        };
        let options = Options {
            name: NodeName::new(&self.name)?,
            records,
            targets,
            devices: Arc::new(devices),
            models: Models::new([("lab".to_owned(), models.clone())].into()),
            pending: PENDING,
            retention: Retention::default(),
            clock: Clock::of(move || clock.skewed(Duration::from_secs(EPOCH) + begun.elapsed())),
            trace: Some(trace.clone()),
        };
        Ok(start(options).await?)
    }

    /// Ends it as a killed process ends.
    pub async fn kill(&mut self) {
        if let Some((mut running, weather)) = self.running.take() {
            weather.change(|state| state.dead = true);
            running.ended().await;
        }
    }

    /// Stops it as an operator would.
    pub async fn stop(&mut self) {
        if let Some((running, weather)) = self.running.take() {
            // Whether it could end its session or leaves that to run out is its own affair.
            let _ = timeout(Duration::from_secs(30), running.stop()).await;
            weather.change(|state| state.dead = true);
        }
    }

    /// One that ended by itself, as when its session ran out, is started again.
    pub async fn revive(&mut self) {
        let Some((running, weather)) = &mut self.running else { return };
        if timeout(Duration::ZERO, running.ended()).await.is_err() {
            return;
        }
        // Whatever it still had under way comes to nothing.
        weather.change(|state| state.dead = true);
        self.running = None;
        self.start().await;
    }

    /// Changes what it meets.
    pub fn weather(&self, change: impl FnOnce(&mut State)) {
        if let Some((_, weather)) = &self.running {
            weather.change(change);
        }
    }

    /// Sets its clock.
    pub fn skew(&self, milliseconds: i64) {
        self.skew.store(milliseconds, Ordering::Relaxed);
    }
}

/// How one start of a node comes to the devices.
#[derive(Debug)]
struct Ways {
    sites: BTreeMap<Target, Site>,
    node: String,
    weather: Weather,
}

impl Devices for Ways {
    fn known(&self, target: &Target, _: &Binding) -> Known {
        let (address, model) = (target.to_string(), "lab".to_owned());
        Known { address, model, tags: Vec::new(), source: Source::File }
    }

    fn is_same(&self, _: &Target, _: &Binding, _: &Binding) -> bool {
        true
    }

    fn reach(&self, target: &Target, _: &Binding, _: &ModelSet) -> Result<Reached, Unserved> {
        let site = self.sites.get(target).ok_or_else(|| Unserved::failed("there is none"))?.clone();
        let way = Way { site, node: self.node.clone(), weather: self.weather.clone() };
        Ok(Reached { driver: Arc::new(way), trials: Trials::Shared })
    }
}

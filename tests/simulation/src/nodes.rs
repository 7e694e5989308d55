//! Whole nodes of the product, each on its own way to the store and to the devices.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use lockstep_node::{
    Clock, Devices, Ended, Handle, Known, Models, Options, Reached, Retention, Running, Source,
    Unserved, start,
};
use lockstep_protocol::record::{Binding, Drift, Trials};
use lockstep_store::{Error, Records};
use lockstep_types::{Epoch, NodeName, Target};
use lockstep_yang::ModelSet;
use tokio::time::{Instant, sleep, timeout};

use crate::chance::Chance;
use crate::device::Site;
use crate::store::{Shaky, Shared};
use crate::way::Way;
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
    /// The device of a target that comes and goes.
    pub guest: Site,
    /// The models, and the same with something more.
    pub models: [ModelSet; 2],
    /// How much of the log is kept.
    pub retention: Retention,
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
        let Ground { store, sites, guest, models, retention, trace, begun, chance } = &self.ground;
        let store = Shaky::new(store.clone(), weather.clone(), chance.fork());
        let records = Records::open_at(Arc::new(store), Epoch::new(EPOCH)).await?;
        let binding = |at: usize| {
            let mut binding = Binding::of(models[0].digest().clone());
            binding.drift = if at % 4 == 3 { Drift::Adopt } else { Drift::Enforce };
            binding
        };
        let bound = |(at, site): (usize, &Site)| (site.name().clone(), binding(at));
        let targets = sites.iter().enumerate().map(bound).collect();
        let (begun, clock) = (*begun, weather.clone());
        let devices = Ways {
            sites: sites.iter().chain([guest]).map(|s| (s.name().clone(), s.clone())).collect(),
            guest: guest.name().clone(),
            node: self.name.clone(),
            weather,
        };
        let [first, second] = models.clone();
        let named = [("lab".to_owned(), first), ("lab-more".to_owned(), second)];
        let options = Options {
            name: NodeName::new(&self.name)?,
            records,
            targets,
            devices: Arc::new(devices),
            models: Models::new(named.into()),
            pending: PENDING,
            retention: *retention,
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

    /// One that ended by itself, as when its session ran out, is started again. Says why it ended.
    pub async fn revive(&mut self) -> Option<&'static str> {
        let (running, weather) = self.running.as_mut()?;
        let ended = timeout(Duration::ZERO, running.ended()).await.ok()?;
        // Whatever it still had under way comes to nothing.
        weather.change(|state| state.dead = true);
        self.running = None;
        self.start().await;
        Some(why(&ended))
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

/// Why nodes end by themselves. All of it comes to pass in a run of many seeds.
pub const ENDS: [&str; 3] = ["its session ran out", "its watch broke", "it was behind compaction"];

fn why(ended: &Ended) -> &'static str {
    match ended {
        Ended::Session => ENDS[0],
        Ended::Watch(Some(Error::Compacted { .. })) => ENDS[2],
        Ended::Watch(Some(_)) => ENDS[1],
        Ended::Watch(None) | Ended::Stopped => "it ended otherwise",
    }
}

/// How one start of a node comes to the devices.
#[derive(Debug)]
struct Ways {
    sites: BTreeMap<Target, Site>,
    guest: Target,
    node: String,
    weather: Weather,
}

impl Devices for Ways {
    fn known(&self, target: &Target, _: &Binding) -> Known {
        let (address, model) = (target.to_string(), "lab".to_owned());
        let source = if *target == self.guest { Source::Api } else { Source::File };
        Known { address, model, tags: Vec::new(), source }
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

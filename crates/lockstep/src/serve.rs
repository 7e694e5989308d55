//! `lockstep serve`: a node, from its configuration file until it is told to stop.

mod waits;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use lockstep_node::{Clock, Devices, Models, Running};
use lockstep_northbound::{Directory, Options as Listeners, Porch, Server};
use lockstep_protocol::record::Binding;
use lockstep_store::{Embedded, Etcd, Records, Store};
use lockstep_types::Target;
use lockstep_yang::ModelSet;
use tokio::join;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::cli::Failed;
use crate::config::{Config, StoreConfig};
use crate::reach::{Reach, sets};
use crate::signals::{Hangups, Signals};
use waits::Waits;

/// A node with its listeners.
#[derive(Debug)]
pub(crate) struct Service {
    node: Running,
    server: Server,
    records: Records,
    reach: Arc<Reach>,
}

impl Service {
    /// Starts everything a configuration asks for.
    pub(crate) async fn start(config: Config) -> Result<Self, Failed> {
        let porch = Porch::open(config.http, config.tls.clone())?;
        Self::start_behind(Arc::new(porch), config).await
    }

    /// The same, with HTTP at an address that is there already.
    async fn start_behind(porch: Arc<Porch>, config: Config) -> Result<Self, Failed> {
        // Each to its end, whatever comes of the other: a start after this one must find the store free.
        let (loaded, records) = join!(load(config.clone()), records(&config.store));
        let (Loaded { models, targets }, records) = (loaded?, records?);
        let models = Models::new(models);
        let reach = Arc::new(Reach::new(&config, models.clone()));
        let node = lockstep_node::start(lockstep_node::Options {
            name: config.node,
            records: records.clone(),
            targets,
            devices: Arc::clone(&reach) as Arc<dyn Devices>,
            models,
            pending: config.pending,
            retention: config.retention,
            clock: Clock::default(),
            trace: config.trace,
        });
        let node = node.await?;
        let listeners = Listeners {
            records: records.clone(),
            directory: Arc::clone(&reach) as Arc<dyn Directory>,
            listen: config.listen,
            http: Some(porch),
            tls: config.tls,
            limits: config.limits,
            access: config.access,
        };
        match lockstep_northbound::serve(node.handle(), listeners).await {
            Ok(server) => Ok(Self { node, server, records, reach }),
            Err(error) => {
                node.stop().await?;
                Err(error.into())
            }
        }
    }

    /// Where gNMI and the admin API are.
    pub(crate) fn address(&self) -> std::net::SocketAddr {
        self.server.address()
    }

    /// Where the page, the API and the metrics are.
    pub(crate) fn http(&self) -> Option<std::net::SocketAddr> {
        self.server.http()
    }

    /// What the other rooms hold of the node.
    pub(crate) fn node(&self) -> lockstep_node::Handle {
        self.node.handle()
    }

    /// Takes up the model sets that the configuration file names now; beside everything else.
    fn reload(&self) {
        let (node, reach) = (self.node.handle(), Arc::clone(&self.reach));
        tokio::spawn(async move {
            match lockstep_northbound::reload(&node, &*reach).await {
                Ok(_) => tracing::info!("model sets are those of the configuration file"),
                Err(error) => tracing::error!(%error, "model sets stay as they are"),
            }
        });
    }

    /// Ends everything in order: no new calls, devices let go, session ended, store closed.
    pub(crate) async fn stop(self) -> Result<(), Failed> {
        self.server.close();
        // Calls under way get their answer from the node. What is in order is not kept waiting by
        // clients that hold on to a connection, so the store is closed before those are let go.
        let stopped = self.node.stop().await;
        let closed = self.records.close().await;
        self.server.stop().await;
        stopped?;
        Ok(closed?)
    }
}

/// Opens the store; away from the threads that serve where that reads a whole file.
async fn records(store: &StoreConfig) -> Result<Records, Failed> {
    let store: Arc<dyn Store> = match store {
        StoreConfig::Folder(folder) => {
            let folder = folder.clone();
            Arc::new(spawn_blocking(move || Embedded::open(&folder)).await??)
        }
        StoreConfig::Etcd(options) => Arc::new(Etcd::open(options).await?),
    };
    Ok(Records::open(store).await?)
}

/// Loads the models away from the threads that serve: signals are heard meanwhile.
async fn load(config: Config) -> Result<Loaded, Failed> {
    spawn_blocking(move || targets(&config)).await?
}

/// Every model set, and what every target of the file is bound to.
struct Loaded {
    models: BTreeMap<String, ModelSet>,
    targets: BTreeMap<Target, Binding>,
}

/// Every model set that can be loaded. If none can, that is told as why the node does not start.
fn load_sets(config: &Config) -> Result<BTreeMap<String, ModelSet>, Failed> {
    let (mut loaded, mut broken) = (BTreeMap::new(), Vec::new());
    for (name, set) in sets::load(&config.models) {
        match set {
            Ok(set) => drop(loaded.insert(name, set)),
            Err(why) => broken.push(why),
        }
    }
    if loaded.is_empty() && !broken.is_empty() {
        return Err(broken.join("; ").into());
    }
    Ok(loaded)
}

/// Gives each target its model set. A target whose models could not be loaded stays bound as it was.
fn targets(config: &Config) -> Result<Loaded, Failed> {
    let sets = load_sets(config)?;
    let mut targets = BTreeMap::new();
    for (name, target) in &config.targets {
        let Some(models) = sets.get(&target.model) else {
            tracing::error!(target = %name, model = %target.model, "not served: it has no models");
            continue;
        };
        for path in &target.ignore {
            models.check(path).map_err(|error| format!("targets.{name}.ignore: {error}"))?;
        }
        targets.insert(name.clone(), Reach::of_file(target, models));
    }
    Ok(Loaded { models: sets, targets })
}

/// `serve`.
pub(crate) async fn serve(path: &Path, trace: Option<PathBuf>) -> Result<(), Failed> {
    crate::files::use_all();
    // Listened for from here on, so that a stop during the start is not lost.
    let (mut signals, mut hangups) = (Signals::new()?, Hangups::new()?);
    let mut config = Config::read_again(path)?;
    config.trace = trace;
    if config.trace.is_some() && !config.access.secret_paths.is_empty() {
        return Err(
            "a trace holds every value, and there are secret-paths: leave out one of the two"
                .into(),
        );
    }
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let node = config.node.clone();
    let porch = Arc::new(Porch::open(config.http, config.tls.clone())?);
    porch.wait("the node is starting")?;
    let mut waits = Waits::default();
    loop {
        let started = tokio::select! {
            started = start(&config, &porch, &mut waits) => started,
            // Nothing was promised to anybody, and the store is in order at any moment.
            _ = signals.next() => return Ok(()),
        };
        let mut service = started?;
        let since = Instant::now();
        let http = service.http().map(|at| at.to_string()).unwrap_or_default();
        tracing::info!(%node, listen = %service.address(), %http, "ready");
        let ended = loop {
            tokio::select! {
                _ = signals.next() => break None,
                ended = service.node.ended() => break Some(ended),
                () = hangups.next() => {
                    service.server.reopen().await;
                    service.reload();
                }
            }
        };
        match &ended {
            None => tracing::info!("stopping"),
            Some(why) => tracing::error!(%why, "the node ended, and starts anew"),
        }
        let stopped = tokio::select! {
            stopped = service.stop() => stopped,
            // Whoever asks twice does not want to wait.
            _ = signals.next() => {
                return Err("ended at once, before everything was let go".into());
            }
        };
        if ended.is_none() {
            return stopped;
        }
        if let Err(error) = stopped {
            tracing::warn!(error = %crate::output::chain(&*error), "what was left did not end well");
        }
        let why = ended.map(|why| why.to_string()).unwrap_or_default();
        porch.wait(&format!("the node ended, and starts anew: {why}"))?;
        waits.ended(since.elapsed());
    }
}

/// Starts a service. One that has run before is tried until it runs again: what ended it, a store that
/// cannot be reached above all, may well still be so.
async fn start(config: &Config, porch: &Arc<Porch>, waits: &mut Waits) -> Result<Service, Failed> {
    loop {
        sleep(waits.next()).await;
        match Service::start_behind(Arc::clone(porch), config.clone()).await {
            Err(error) if waits.again() => {
                waits.longer();
                let wait = waits.next();
                let error = crate::output::chain(&*error);
                tracing::error!(error, ?wait, "the node cannot start, and is tried again");
                porch.wait(&format!("the node cannot start, and is tried again: {error}"))?;
            }
            started => return started,
        }
    }
}

//! Starting a node, and stopping it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use lockstep_protocol::record::Binding;
use lockstep_protocol::trace::Saw;
use lockstep_protocol::{Event, Node, Retention, Settings};
use lockstep_southbound::{Lease, Visits};
use lockstep_store::{Records, Session};
use lockstep_types::{NodeName, Target};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::bind::bind;
use crate::caught_up::caught_up;
use crate::clock::{Clock, nanoseconds};
use crate::drift::{self, Drift};
use crate::error::StartError;
use crate::feed::Feed;
use crate::handle::{Handle, Shared};
use crate::inputs::Inputs;
use crate::keeper::keep;
use crate::links::Links;
use crate::metrics;
use crate::models::Models;
use crate::namesake;
use crate::runtime::{Ended, Runtime};
use crate::target::Devices;
use crate::targets::{Maker, Targets};
use crate::trace::Trace;

/// How many events may wait for the core. Whoever brings one waits when it is full.
const QUEUE: usize = 1024;

/// How long the store is waited for to end the session of a node that stops.
const FAREWELL: Duration = Duration::from_secs(3);

/// How many devices of other nodes are looked at at once.
const VISITS: usize = 64;

/// What a node is started with.
#[derive(Debug)]
pub struct Options {
    /// The node's name.
    pub name: NodeName,
    /// Where records are kept.
    pub records: Records,
    /// The targets that the configuration file names, and what each is bound to.
    pub targets: BTreeMap<Target, Binding>,
    /// Who knows how targets are reached.
    pub devices: Arc<dyn Devices>,
    /// The model sets there are.
    pub models: Models,
    /// How many transactions may be open.
    pub pending: usize,
    /// How much of the log is kept.
    pub retention: Retention,
    /// What time it is.
    pub clock: Clock,
    /// Where every step is written down; the file may be that of several nodes on one store.
    pub trace: Option<PathBuf>,
}

/// A node that runs until it is stopped.
#[derive(Debug)]
pub struct Running {
    handle: Handle,
    stop: oneshot::Sender<()>,
    runtime: JoinHandle<Ended>,
    keeper: JoinHandle<Session>,
    stop_keeper: oneshot::Sender<()>,
}

impl Running {
    /// What the other rooms hold of it.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Waits until the node has ended by itself, which it does only when it cannot go on, and says why.
    /// Started again, it carries on from what the store holds.
    pub async fn ended(&mut self) -> Ended {
        // A panic ends a node too; the task's own words are in the log by then.
        (&mut self.runtime).await.unwrap_or(Ended::Watch(None))
    }

    /// Stops: takes no more requests, lets go of every device, ends the session.
    ///
    /// # Errors
    /// The session could not be ended; its lease will run out.
    pub async fn stop(self) -> Result<(), lockstep_store::Error> {
        // A runtime that has ended by itself needs no telling.
        let _ = self.stop.send(());
        if !self.runtime.is_finished()
            && let Err(error) = self.runtime.await
        {
            tracing::error!(%error, "the node did not stop as it should");
        }
        // After the runtime: nothing is sent to a device under a session that has ended.
        let _ = self.stop_keeper.send(());
        match self.keeper.await {
            Ok(session) => match timeout(FAREWELL, session.end()).await {
                // It ran out by itself, which comes to the same.
                Ok(Err(lockstep_store::Error::LeaseGone(_))) => Ok(()),
                Ok(ended) => ended,
                Err(_) => {
                    tracing::warn!("the store does not answer; the session is left to run out");
                    Ok(())
                }
            },
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the session is left to run out"
                );
                Ok(())
            }
        }
    }
}

/// Starts a node: loads the store, binds the targets, begins its session, connects to them.
///
/// # Errors
/// The store cannot be used, or a target cannot be bound to its models.
pub async fn start(options: Options) -> Result<Running, StartError> {
    let Options { name, records, targets, devices, models, pending, retention, clock, trace } =
        options;
    let maker = Maker { node: name.clone(), models: models.clone(), devices };
    let mut trace = match &trace {
        Some(path) => Some(Trace::open(path, &records).await?),
        None => None,
    };
    let read = bind(&records, &targets, &maker).await?;
    let (begun, asked) = (clock.now(), Instant::now());
    let session = records.begin(&name).await?;
    let (own, lasts) = (session.id().clone(), session.ttl());
    let (leased, mandated) = (begun.after(nanoseconds(lasts)), Lease::until(asked + lasts));
    let (stop_keeper, keeper_stopped) = oneshot::channel();
    let (renewed, renewals) = watch::channel(leased);
    let keeping = (renewed, mandated.clone());
    // From now on: to catch up with a store may take longer than a session lasts.
    let keeper = tokio::spawn(keep(session, clock.clone(), keeping, keeper_stopped));
    let (mut view, mut watch) = caught_up(&records, read).await?;
    if let Some(trace) = &mut trace {
        trace.catch_up(&records, &mut view, &mut watch).await?;
    }
    if !view.is_alive(&own) {
        // Nobody would tell: that it ended lies before what the watch tells of from now on.
        return Err(StartError::Session);
    }

    let (devices_in, heard) = mpsc::channel(QUEUE);
    let (events_in, events) = mpsc::channel(QUEUE);
    let (requests_in, requests) = mpsc::channel(QUEUE);
    let (new_models, models_in) = mpsc::channel(1);
    let (stop, stopped) = oneshot::channel();
    let devices_weak = devices_in.downgrade();
    let links = Arc::new(Links::new(devices_in));
    let (publish, published) = watch::channel(Arc::new(view.clone()));
    let (targets, drift) = (Arc::<Targets>::default(), Arc::new(Drift::new(own.clone())));
    tokio::spawn(drift::report(
        Arc::clone(&drift),
        records.clone(),
        Arc::clone(&targets),
        published.clone(),
        events_in.clone(),
    ));
    tokio::spawn(drift::listen(
        Arc::clone(&drift),
        Arc::downgrade(&links),
        Arc::clone(&targets),
        published.clone(),
        events_in.clone(),
    ));
    tokio::spawn(namesake::look_out(name.clone(), own.clone(), published.clone()));
    let shared = Arc::new(Shared {
        name,
        session: own.clone(),
        clock: clock.clone(),
        targets,
        models,
        requests: requests_in,
        new_models,
        view: published,
        feed: Feed::new(),
        links: Arc::downgrade(&links),
        visits: Visits::new(VISITS),
        drift,
        epoch: records.epoch(),
        lease: AtomicU64::new(leased.get()),
        mandated,
        events: events_in.downgrade(),
        devices: devices_weak,
    });
    metrics::STARTS.inc();
    let operations = records.store().limits().operations;
    let settings = Settings {
        open: pending,
        records_per_write: records_in(operations.min(OPERATIONS)),
        records_per_append: records_in(operations.min(APPENDED)),
        retention,
        ..Settings::default()
    };
    if let Some(trace) = &mut trace {
        trace.begin(&shared.name, &view, &settings, &own)?;
    }
    let core = Node::new(own, settings, view);
    let core = (core, trace);
    let mut runtime =
        Runtime::new(core, records, Arc::clone(&shared), links, maker, publish, events_in);
    runtime.step(Saw::Event(Event::Lease(leased)));
    let inputs = Inputs {
        stop: stopped,
        lease: renewals,
        watch,
        devices: heard,
        events,
        requests,
        models: models_in,
    };
    let runtime = tokio::spawn(runtime.run(inputs));
    Ok(Running { handle: Handle { shared }, stop, runtime, keeper, stop_keeper })
}

/// How many operations a write has at the most, whatever the store takes. Each record of what devices answered is one
/// of their whole transaction, unless that is wide: with more targets than this it had better be.
const OPERATIONS: usize = 128;

/// How many an append has at the most, or one step of a wide transaction on many targets: enough for hundreds of
/// changes, and still a matter of milliseconds.
const APPENDED: usize = 2048;

/// How many records fit a write of so many operations. A configuration is one record and two keys, so a
/// target, with its proposal, is two records and three keys.
fn records_in(operations: usize) -> usize {
    let targets = operations.saturating_sub(4) / 3;
    4 + 2 * targets
}

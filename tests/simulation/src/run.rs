//! One run of a seed: faults and clients for a while, then calm, then the checks.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_model::trace;
use lockstep_node::Retention;
use lockstep_protocol::{Order, View};
use lockstep_store::kv::Limits;
use lockstep_types::Target;
use lockstep_yang::{ModelSet, Options};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep, sleep_until};

use crate::answers::is_kept;
use crate::chance::Chance;
use crate::clients::{Asked, ask};
use crate::device::Site;
use crate::faults::{self, Later};
use crate::nodes::{Ground, Node};
use crate::operators::{Charge, Done, operate};
use crate::panics;
use crate::store::Shared;
use crate::tally::{self, Counts};

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes.
    pub nodes: usize,
    /// Devices.
    pub devices: usize,
    /// How long things go wrong, in seconds of its own clock.
    pub seconds: u64,
}

/// How long an order may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long everything may take to come to rest.
const REST: Duration = Duration::from_secs(900);

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    /// What went wrong on purpose.
    pub faults: Counts,
    /// What was asked for, by what clients were told.
    pub asked: Counts,
    /// What operators did.
    pub orders: Counts,
    /// Why nodes ended by themselves.
    pub ended: Counts,
    /// What the devices were like.
    pub natures: Counts,
    /// What became of the log, by kind and outcome, and of masterships.
    pub happened: Counts,
    /// The transactions in the log.
    pub transactions: usize,
    /// What was found in the trace.
    pub trace: trace::Report,
    /// How long it took, by its own clock.
    pub took: Duration,
}

/// Runs a seed, and writes down every step.
///
/// # Errors
/// What was not as it should be. A panic comes before anything else: it may be why.
pub async fn run(seed: u64, size: Size, trace: &Path) -> Result<Outcome, String> {
    panics::listen();
    let done = whole(seed, size, trace).await;
    panics::first().map_or(done, |said| Err(format!("Panic: {said}")))
}

/// All of it, up to what it came to.
async fn whole(seed: u64, size: Size, trace: &Path) -> Result<Outcome, String> {
    let chance = Chance::new(seed);
    let begun = Instant::now();
    let names = (1..=size.devices).map(|n| Target::new(format!("t{n}")).expect("a name"));
    let sites: Vec<Site> = names.map(|name| Site::new(name, chance.fork())).collect();
    let guest = Site::new(Target::new("guest").expect("a name"), chance.fork());
    let short = Retention { transactions: 60, step: 5, ..Retention::default() };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let ground = Ground {
        store: Shared::new(limits(seed)).await.map_err(|error| error.to_string())?,
        sites,
        guest,
        models: [models(lab())?, models(more(folder.path())?)?],
        retention: if seed.is_multiple_of(2) { Retention::default() } else { short },
        trace: trace.to_owned(),
        begun,
        chance: chance.fork(),
    };
    let mut nodes: Vec<Node> =
        (1..=size.nodes).map(|n| Node::new(&format!("n{n}"), &ground)).collect();
    for node in &mut nodes {
        node.start().await;
    }
    let (faults, orders, ended, later, asked) = Default::default();
    let mut run = Run { nodes, ground, chance, faults, orders, ended, later, asked };
    run.storm(Duration::from_secs(size.seconds)).await;
    run.calm().await;
    run.rest().await?;
    run.check()?;
    let happened = run.views().first().map(|view| tally::log(view, run.bound(view)));
    let happened = happened.unwrap_or_default();
    for node in &mut run.nodes {
        node.stop().await;
    }
    let report = trace::check(BufReader::new(File::open(trace).map_err(|e| e.to_string())?))
        .map_err(|error| format!("the trace: {error}"))?;
    is_of_something(&report, size)?;
    let asked = tally::answers(&run.asked);
    let took = begun.elapsed();
    let transactions = report.transactions;
    let natures = tally::natures(run.everyone());
    let Run { faults, orders, ended, .. } = run;
    let trace = report;
    Ok(Outcome { faults, asked, orders, ended, natures, happened, transactions, trace, took })
}

/// A trace that tells of little proves little.
fn is_of_something(trace: &trace::Report, size: Size) -> Result<(), String> {
    let trace::Report { nodes, requests, revisions, held, .. } = trace;
    let held_most = *held > 0 && *held * 10 >= *revisions * 9;
    if nodes.len() == size.nodes && *requests > 0 && held_most {
        return Ok(());
    }
    let nodes = nodes.len();
    Err(format!(
        "Coverage: the trace is of {nodes} nodes and {requests} requests, and of its {revisions} revisions {held} were held against the guarantees"
    ))
}

/// How much a store takes at once. To every third it is little: a change of more than three targets is wide there.
fn limits(seed: u64) -> Limits {
    let operations = if seed.is_multiple_of(3) { 13 } else { 4_096 };
    Limits { operations, bytes: 16 << 20 }
}

fn lab() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab")
}

/// The same models with one leaf more.
fn more(folder: &Path) -> Result<PathBuf, String> {
    let text = std::fs::read_to_string(lab().join("lab.yang")).map_err(|e| e.to_string())?;
    let text = text.replacen("leaf motd {", "leaf location { type string; }\n    leaf motd {", 1);
    std::fs::write(folder.join("lab.yang"), text).map_err(|e| e.to_string())?;
    Ok(folder.to_owned())
}

fn models(path: PathBuf) -> Result<ModelSet, String> {
    let options = Options { path, modules: Vec::new(), features: Vec::new(), origin: None };
    ModelSet::load(&options).map_err(|error| error.to_string())
}

struct Run {
    nodes: Vec<Node>,
    ground: Ground,
    chance: Chance,
    faults: Counts,
    orders: Counts,
    ended: Counts,
    later: Vec<(Instant, Later)>,
    asked: Vec<Asked>,
}

impl Run {
    /// Clients ask and things go wrong.
    async fn storm(&mut self, time: Duration) {
        let end = Instant::now() + time;
        let targets: Vec<Target> = self.everyone().map(|s| s.name().clone()).collect();
        let guest = self.ground.guest.name().clone();
        let models = self.ground.models.iter().map(|set| set.digest().clone()).collect();
        let charge = Charge { targets: targets.clone(), guest, models };
        let sites: Vec<Site> = self.everyone().cloned().collect();
        let (mut under_way, mut operators) = (JoinSet::new(), JoinSet::new());
        let (mut number, mut next_fault) = (0, Instant::now());
        while Instant::now() < end {
            self.undo().await;
            self.revive().await;
            if Instant::now() >= next_fault {
                let fault = faults::next(&mut self.nodes, &sites, &self.chance).await;
                *self.faults.entry(fault.0).or_default() += 1;
                self.later.extend(fault.1.map(|(after, later)| (Instant::now() + after, later)));
                next_fault = Instant::now() + self.chance.time(100, 4_000);
            }
            let handles: Vec<_> = self.nodes.iter().filter_map(Node::handle).collect();
            if let Some(handle) = self.chance.one(&handles) {
                number += 1;
                let (handle, targets) = (handle.clone(), targets.clone());
                under_way.spawn(ask(handle, targets, number, self.chance.fork()));
            }
            if let Some(handle) = self.chance.one(&handles).filter(|_| self.chance.percent(35)) {
                let (handle, charge) = (handle.clone(), charge.clone());
                operators.spawn(operate(handle, charge, number, self.chance.fork()));
            }
            while let Some(asked) = under_way.try_join_next() {
                self.asked.extend(asked);
            }
            while let Some(done) = operators.try_join_next() {
                self.ordered(done);
            }
            sleep(self.chance.time(0, 1_500)).await;
        }
        while let Some(asked) = under_way.join_next().await {
            self.asked.extend(asked);
        }
        while let Some(done) = operators.join_next().await {
            self.ordered(done);
        }
    }

    /// Nodes that ended by themselves are started again.
    async fn revive(&mut self) {
        for node in &mut self.nodes {
            if let Some(why) = node.revive().await {
                *self.ended.entry(why).or_default() += 1;
            }
        }
    }

    fn ordered(&mut self, done: Result<Done, JoinError>) {
        if let Ok((name, asked)) = done {
            *self.orders.entry(name).or_default() += 1;
            self.asked.extend(asked);
        }
    }

    /// Every device.
    fn everyone(&self) -> impl Iterator<Item = &Site> {
        self.ground.sites.iter().chain([&self.ground.guest])
    }

    /// Those that there are targets for.
    fn bound<'a>(&'a self, view: &'a View) -> impl Iterator<Item = &'a Site> {
        self.everyone().filter(|site| view.binding(site.name()).is_some())
    }

    /// What is due is undone.
    async fn undo(&mut self) {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.later).into_iter().partition(|l| l.0 <= now);
        self.later = later;
        let due: Vec<(Instant, Later)> = due;
        for (_, due) in due {
            match due {
                Later::Start(at) => self.nodes[at].start().await,
                Later::Calm(at) => self.nodes[at].weather(|state| *state = Default::default()),
                Later::Compact(at) => {
                    self.ground.store.compact();
                    self.nodes[at].weather(|state| *state = Default::default());
                }
                Later::Mend(at, on) => {
                    let name = self.nodes[at].name();
                    self.everyone().skip(on).take(1).for_each(|site| site.cut(name, false));
                }
            }
        }
    }

    /// Nothing goes wrong any more.
    async fn calm(&mut self) {
        self.everyone().for_each(Site::heal);
        for node in &self.nodes {
            node.weather(|state| *state = Default::default());
        }
        self.revive().await;
        for node in &mut self.nodes {
            node.start().await;
        }
    }

    /// Nobody is left paused.
    async fn resume(&self) {
        let Some(handle) = self.nodes.iter().find_map(Node::handle) else { return };
        let view = handle.view();
        let paused = self.bound(&view).filter(|site| view.header(site.name()).paused);
        for target in paused.map(|site| site.name().clone()) {
            // Asked again, if it comes to nothing.
            let _ = handle
                .operate(target, Order::Resume, String::new(), Instant::now() + PATIENCE)
                .await;
        }
    }

    /// Everything comes to rest by itself.
    async fn rest(&mut self) -> Result<(), String> {
        let end = Instant::now() + REST;
        loop {
            self.revive().await;
            self.resume().await;
            match self.restless() {
                None => return Ok(()),
                Some(why) if Instant::now() > end => return Err(format!("Progress: {why}")),
                Some(_) => sleep_until(Instant::now() + Duration::from_millis(250)).await,
            }
        }
    }

    fn views(&self) -> Vec<std::sync::Arc<View>> {
        self.nodes.iter().filter_map(Node::handle).map(|handle| handle.view()).collect()
    }

    /// What is not at rest yet.
    fn restless(&self) -> Option<String> {
        let views = self.views();
        let view = views.first()?;
        if views.len() < self.nodes.len() || views.iter().any(|v| v.revision() != view.revision()) {
            return Some("not every node is there and knows the same".into());
        }
        if let Some(open) = view.open().next() {
            return Some(format!("transaction {} is {:?}", open.index, open.status));
        }
        if let Some((_, index)) = view.windows().next() {
            return Some(format!("the window of transaction {index} is open"));
        }
        self.bound(view).find_map(|site| {
            let (name, applied) = (site.name(), view.applied(site.name()));
            if !view.is_synchronised(name) {
                return Some(format!("{name} is not synchronised: {:?}", view.header(name)));
            }
            let in_line = site.nature().is_in_line(&site.values(), &applied);
            (!in_line).then(|| {
                format!("Convergence: {name} holds {:?}, and {applied:?} is applied", site.values())
            })
        })
    }

    /// What was promised is kept.
    fn check(&self) -> Result<(), String> {
        let views = self.views();
        let view = views.first().ok_or("no node runs")?;
        for site in self.bound(view) {
            if !view.committed(site.name()).same_values(&view.applied(site.name())) {
                return Err(format!(
                    "Settled: {} has other values committed than applied",
                    site.name()
                ));
            }
        }
        for Asked { id, told } in &self.asked {
            let stands = view.named(id).map(|transaction| (transaction.index, transaction.status));
            if !is_kept(told, stands, view.horizon()) {
                return Err(format!(
                    "Durability: {id} was told {told:?}, and stands as {stands:?}"
                ));
            }
        }
        Ok(())
    }
}

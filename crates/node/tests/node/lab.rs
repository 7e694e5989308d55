//! A node on a store in memory, with simulated devices behind it.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lockstep_node::{
    Clock, Devices as Reachable, Handle, Known, Models as Sets, Options, Reached, Retention,
    Running, Source, Unserved, start,
};
use lockstep_protocol::record::{Binding, Drift, Initial, Kind, Mode, Trials};
use lockstep_protocol::{Body, Reply, Request, Until, View};
use lockstep_simulator::{Options as Devices, Simulator};
use lockstep_southbound::gnmi::{Gnmi, Options as Reach};
use lockstep_store::{Memory, Records};
use lockstep_types::{Content, Edit, NodeName, Target, TransactionId};
use lockstep_yang::{ModelSet, Options as Models};

/// Long enough for a machine that is busy with something else.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many requests may be under way.
pub(crate) const PLACES: usize = 20;

pub(crate) struct Lab {
    pub(crate) records: Records,
    pub(crate) simulator: Simulator,
    node: Running,
}

impl Lab {
    /// A node and so many devices, all synchronised.
    pub(crate) async fn start(count: u16) -> Self {
        let (records, models) = (Records::open(Arc::new(Memory::new())).await.unwrap(), models());
        Self::begin(records, count, |i, at| spec(i, at, &models, Initial::Adopt)).await
    }

    /// A node in front of these devices.
    pub(crate) async fn with(simulator: Simulator, models: ModelSet, initial: Initial) -> Self {
        let records = Records::open(Arc::new(Memory::new())).await.unwrap();
        Self::on(records, simulator, |i, at| spec(i, at, &models, initial)).await
    }

    /// A node on this store, in front of these devices.
    pub(crate) async fn on(
        records: Records,
        simulator: Simulator,
        spec: impl Fn(usize, SocketAddr) -> Given,
    ) -> Self {
        let targets = simulator.addresses().iter().enumerate();
        let targets = targets.map(|(i, at)| spec(i + 1, *at)).collect();
        let node = start(options(records.clone(), targets)).await.unwrap();
        Self { records, simulator, node }
    }

    /// A node on this store, all of whose targets are synchronised.
    pub(crate) async fn begin(
        records: Records,
        count: u16,
        spec: impl Fn(usize, SocketAddr) -> Given,
    ) -> Self {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let simulator = Simulator::start(Devices { models: models(), listen, count }).unwrap();
        let lab = Self::on(records, simulator, spec).await;
        lab.until("every target is synchronised", |view| {
            view.targets().all(|target| view.is_synchronised(target))
        })
        .await;
        lab
    }

    /// A node that knows the models of these devices, and no target yet.
    pub(crate) async fn without_targets(records: Records, simulator: Simulator) -> Self {
        let sets = Sets::new([("lab".to_owned(), models())].into());
        let options = Options { models: sets, ..options(records.clone(), Vec::new()) };
        Self { records, simulator, node: start(options).await.unwrap() }
    }

    pub(crate) fn handle(&self) -> Handle {
        self.node.handle()
    }

    /// Waits for the node to know something.
    pub(crate) async fn until(&self, what: &str, condition: impl Fn(&View) -> bool) {
        let mut views = self.handle().views();
        let there = views.wait_for(|view| condition(view));
        tokio::time::timeout(PATIENCE, there).await.expect(what).expect(what);
    }

    /// Submits a banner for each of these targets, atomic and sync.
    pub(crate) async fn submit(&self, targets: &[&str], motd: &str) -> Reply {
        self.handle().submit(self.request(targets, motd)).await.unwrap()
    }

    pub(crate) fn request(&self, targets: &[&str], motd: &str) -> Request {
        let edit = Edit {
            set: [("/system/motd".parse().unwrap(), Content::leaf(motd))].into(),
            ..Edit::default()
        };
        let targets = targets.iter().map(|name| Target::new(name).unwrap());
        Request {
            id: TransactionId::new(format!("{motd} {:?}", self.handle().now())).unwrap(),
            body: Body {
                kind: Kind::Change,
                mode: Mode::Atomic,
                edits: targets.map(|target| (target, edit.clone())).collect(),
                only: BTreeSet::new(),
                window: None,
                binding: None,
            },
            until: Until::Outcome,
            deadline: self.handle().now().after(20_000_000_000),
            answer_by: None,
            author: String::new(),
            comment: String::new(),
        }
    }

    /// Waits for something that no view shows.
    pub(crate) async fn eventually(&self, what: &str, condition: impl Fn() -> bool) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while !condition() {
            assert!(tokio::time::Instant::now() < deadline, "in vain: {what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Stops the node and leaves the devices as they are.
    pub(crate) async fn leave(self) -> Simulator {
        self.node.stop().await.unwrap();
        self.simulator
    }

    pub(crate) async fn stop(self) {
        self.node.stop().await.unwrap();
        self.simulator.stop().await;
    }
}

/// The models of every device.
pub(crate) fn models() -> ModelSet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
    let options = Models { path, modules: Vec::new(), features: Vec::new(), origin: None };
    ModelSet::load(&options).unwrap()
}

/// A target as a test gives it to a node.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: Target,
    pub(crate) models: ModelSet,
    pub(crate) binding: Binding,
}

pub(crate) fn spec(
    number: usize,
    address: SocketAddr,
    models: &ModelSet,
    initial: Initial,
) -> Given {
    let name = Target::new(format!("leaf{number}")).unwrap();
    let mut binding = Binding::of(models.digest().clone());
    (binding.initial, binding.drift, binding.details) =
        (initial, Drift::Report, address.to_string());
    Given { name, models: models.clone(), binding }
}

/// A node with these targets.
pub(crate) fn options(records: Records, targets: Vec<Given>) -> Options {
    let sets = targets.iter().map(|given| ("lab".to_owned(), given.models.clone())).collect();
    Options {
        name: NodeName::new("n1").unwrap(),
        records,
        targets: targets.into_iter().map(|given| (given.name, given.binding)).collect(),
        devices: Arc::new(ByAddress),
        models: Sets::new(sets),
        pending: PLACES,
        retention: Retention::default(),
        clock: Clock::default(),
        trace: None,
    }
}

/// Said behind an address, it has everything tried on the device first.
pub(crate) const TRIED: &str = " tried";
/// Said behind an address, nothing is.
pub(crate) const UNTRIED: &str = " untried";

/// Devices whose binding says their address, and hardly anything else.
#[derive(Debug)]
struct ByAddress;

impl Reachable for ByAddress {
    fn known(&self, _: &Target, binding: &Binding) -> Known {
        let (address, model) = (binding.details.clone(), "lab".to_owned());
        Known { address, model, tags: Vec::new(), source: Source::Api }
    }

    fn is_same(&self, _: &Target, before: &Binding, now: &Binding) -> bool {
        before.details == now.details
    }

    fn reach(&self, _: &Target, binding: &Binding, models: &ModelSet) -> Result<Reached, Unserved> {
        let (address, trials) =
            match binding.details.find(' ').map(|at| binding.details.split_at(at)) {
                Some((address, TRIED)) => (address, Trials::Always),
                Some((address, _)) => (address, Trials::Never),
                None => (binding.details.as_str(), Trials::Shared),
            };
        let address: SocketAddr =
            address.parse().map_err(|_| Unserved::failed("that is no address"))?;
        let addresses = vec![address.to_string()];
        let reach = Reach { addresses, insecure: true, ..Reach::default() };
        let driver = Arc::new(Gnmi::new(reach, models.clone()));
        Ok(Reached { driver, trials })
    }
}

/// Until when an operator waits.
pub(crate) fn soon() -> tokio::time::Instant {
    tokio::time::Instant::now() + PATIENCE
}

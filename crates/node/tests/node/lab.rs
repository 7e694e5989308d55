//! A node on a store in memory, with simulated devices behind it.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lockstep_node::{Handle, Options, Retention, Running, TargetSpec, start};
use lockstep_protocol::record::{Drift, Initial, Kind, Mode, Trials};
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
        let models = models();
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let simulator =
            Simulator::start(Devices { models: models.clone(), listen, count }).unwrap();
        let lab = Self::with(simulator, models, Initial::Adopt).await;
        lab.until("every target is synchronised", |view| {
            view.targets().all(|target| view.is_synchronised(target))
        })
        .await;
        lab
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
        spec: impl Fn(usize, SocketAddr) -> TargetSpec,
    ) -> Self {
        let targets = simulator.addresses().iter().enumerate();
        let targets = targets.map(|(i, at)| spec(i + 1, *at)).collect();
        let name = NodeName::new("n1").unwrap();
        let retention = Retention::default();
        let options =
            Options { name, records: records.clone(), targets, pending: PLACES, retention };
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

pub(crate) fn spec(
    number: usize,
    address: SocketAddr,
    models: &ModelSet,
    initial: Initial,
) -> TargetSpec {
    let reach = Reach { addresses: vec![address.to_string()], insecure: true, ..Reach::default() };
    TargetSpec {
        name: Target::new(format!("leaf{number}")).unwrap(),
        address: address.to_string(),
        model: "lab".into(),
        models: models.clone(),
        driver: Arc::new(Gnmi::new(reach, models.clone())),
        initial,
        drift: Drift::Report,
        trials: Trials::Shared,
        ignore: Vec::new(),
        tags: Vec::new(),
    }
}

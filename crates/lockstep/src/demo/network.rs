//! The small network of the demo: three simulated devices, and a node of its own in front of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest};
use lockstep_gnmi::value;
use lockstep_simulator::{Device, Options, Simulator};
use lockstep_types::Target;
use lockstep_yang::{ModelSet, Options as Models};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::timeout;
use tonic::Code;

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client};
use crate::config::Config;
use crate::login::Login;
use crate::serve::Service;
use crate::terminal::Color;

/// The model of every device, carried along so that the demo needs nothing beside the binary.
const MODEL: &str = include_str!("../../../../models/lab/lab.yang");
/// The devices.
pub(super) const NAMES: [&str; 3] = ["leaf1", "leaf2", "spine1"];
/// How long a step may take before something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);

/// Everything that runs.
#[derive(Debug)]
pub(super) struct Network {
    service: Service,
    simulator: Simulator,
    client: Client,
    _folder: TempDir,
}

impl Network {
    pub(super) async fn start() -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        let models = folder.path().join("models");
        std::fs::create_dir(&models)?;
        std::fs::write(models.join("lab.yang"), MODEL)?;
        let simulator = simulator(&models)?;
        let file = folder.path().join("lockstep.yaml");
        std::fs::write(&file, configuration(simulator.addresses()))?;
        let service = Service::start(Config::read(&file)?).await?;
        let client = Client::connect(&global(service.address()), &Certificates::default()).await?;
        let network = Self { service, simulator, client, _folder: folder };
        for name in NAMES {
            network.synchronised(name).await?;
        }
        Ok(network)
    }

    pub(super) async fn stop(self) -> Result<(), Failed> {
        drop(self.client);
        self.service.stop().await?;
        self.simulator.stop().await;
        Ok(())
    }

    /// Where the node is.
    pub(super) fn address(&self) -> SocketAddr {
        self.service.address()
    }

    /// Asks the node.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// A simulated device, to do something to.
    pub(super) fn simulated(&self, name: &str) -> Result<&Device, Failed> {
        Ok(self.simulator.device(place(name)).ok_or_else(|| format!("there is no {name}"))?)
    }

    /// Where a device is.
    pub(super) fn device(&self, name: &str) -> SocketAddr {
        self.simulator.addresses()[place(name)]
    }

    /// The term of a target's master.
    pub(super) fn term(&self, name: &str) -> Result<u64, Failed> {
        let status = self.service.node().status(&Target::new(name)?);
        Ok(status.map(|status| status.term.get()).unwrap_or_default())
    }

    /// Waits until a target is synchronised.
    pub(super) async fn synchronised(&self, name: &str) -> Result<(), Failed> {
        self.synchronised_after(name, 0).await
    }

    /// Waits until a target is synchronised in a later term.
    pub(super) async fn synchronised_after(&self, name: &str, term: u64) -> Result<(), Failed> {
        let target = Target::new(name)?;
        let mut views = self.service.node().views();
        let there = views.wait_for(|view| {
            let later = view.mastership(&target).is_some_and(|m| m.term.get() > term);
            later && view.is_synchronised(&target)
        });
        timeout(PATIENCE, there).await.map_err(|_| format!("{name} is not brought in line"))??;
        Ok(())
    }

    /// What a device itself says it holds at a path; none: nothing.
    pub(super) async fn held(&self, name: &str, at: &str) -> Result<Option<Value>, Failed> {
        let mut device = GNmiClient::connect(format!("http://{}", self.device(name))).await?;
        let request = GetRequest {
            path: vec![path::write(&at.parse()?)],
            r#type: DataType::Config.into(),
            encoding: Encoding::JsonIetf.into(),
            ..GetRequest::default()
        };
        let answer = match device.get(request).await {
            Err(status) if status.code() == Code::NotFound => return Ok(None),
            answer => answer?.into_inner(),
        };
        let update = answer.notification.into_iter().flat_map(|n| n.update).next();
        let value = update.and_then(|update| update.val);
        Ok(value.map(|value| value::read(&value)).transpose()?.map(|(_, json)| json))
    }

    /// The same of every device, by name.
    pub(super) async fn held_everywhere(
        &self,
        at: &str,
    ) -> Result<BTreeMap<&'static str, Option<Value>>, Failed> {
        let mut held = BTreeMap::new();
        for name in NAMES {
            held.insert(name, self.held(name, at).await?);
        }
        Ok(held)
    }
}

/// Which of the devices has this name.
fn place(name: &str) -> usize {
    NAMES.iter().position(|known| *known == name).unwrap_or_default()
}

fn simulator(models: &std::path::Path) -> Result<Simulator, Failed> {
    let models = ModelSet::load(&Models {
        path: models.into(),
        modules: Vec::new(),
        features: Vec::new(),
        origin: None,
    })?;
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Ok(Simulator::start(Options { models, listen, count: 3 })?)
}

fn configuration(devices: &[SocketAddr]) -> String {
    let mut text = String::from(
        "node: demo\nlisten: 127.0.0.1:0\nhttp: 127.0.0.1:0\ninsecure: true\nmodels: {lab-1.0: ./models}\ntargets:\n",
    );
    for (name, address) in NAMES.iter().zip(devices) {
        let _ =
            writeln!(text, "  {name}: {{address: '{address}', insecure: true, model: lab-1.0}}");
    }
    text
}

fn global(server: SocketAddr) -> Global {
    let login = Login::default();
    Global {
        server: server.to_string(),
        insecure: true,
        output: Output::Table,
        login,
        yes: true,
        color: Color::Auto,
    }
}

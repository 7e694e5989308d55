//! The small network of the demo: two spines and four leaves, simulated, and a node of its own in front of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use lockstep_gnmi::path;
use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::gnmi::get_request::DataType;
use lockstep_gnmi::proto::gnmi::{Encoding, GetRequest, SetRequest, Update};
use lockstep_gnmi::proto::lockstep::v1::{GetTargetRequest, Target};
use lockstep_gnmi::value;
use lockstep_simulator::{Device, Options, Simulator};
use lockstep_yang::{ModelSet, Options as Models};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};
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
pub(super) const NAMES: [&str; 6] = ["spine1", "spine2", "leaf1", "leaf2", "leaf3", "leaf4"];
/// Those that others plug into.
pub(super) const LEAVES: [&str; 4] = ["leaf1", "leaf2", "leaf3", "leaf4"];
/// Where commands look for a node.
pub(super) const LISTEN: SocketAddr = here(9339);
/// Where a node has its page.
const HTTP: SocketAddr = here(9340);
/// Where the first device is.
const DEVICES: SocketAddr = here(57400);
/// How long a step may take before something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked whether it is done.
const LOOK: Duration = Duration::from_millis(5);

const fn here(port: u16) -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

/// What each device holds, as it says itself.
pub(super) type Held = BTreeMap<&'static str, Option<Value>>;

/// Everything that runs.
#[derive(Debug)]
pub(super) struct Network {
    service: Service,
    simulator: Simulator,
    client: Client,
    folder: TempDir,
}

impl Network {
    pub(super) async fn start() -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        let models = folder.path().join("models");
        std::fs::create_dir(&models)?;
        std::fs::write(models.join("lab.yang"), MODEL)?;
        let simulator = simulator(&models)?;
        for (name, address) in NAMES.iter().zip(simulator.addresses()) {
            furnish(name, *address).await?;
        }
        let file = folder.path().join("lockstep.yaml");
        std::fs::write(&file, configuration(simulator.addresses()))?;
        let service = Service::start(Config::read(&file)?).await?;
        let client = Client::connect(&global(service.address()), &Certificates::default()).await?;
        let network = Self { service, simulator, client, folder };
        for name in NAMES {
            network.until(name, "synchronised", 0).await?;
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

    /// Where its page is.
    pub(super) fn http(&self) -> Option<SocketAddr> {
        self.service.http()
    }

    /// Where commands are run.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks the node.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// A simulated device, to look into.
    pub(super) fn simulated(&self, name: &str) -> Result<&Device, Failed> {
        Ok(self.simulator.device(place(name)).ok_or_else(|| format!("there is no {name}"))?)
    }

    /// Where a device is.
    pub(super) fn device(&self, name: &str) -> SocketAddr {
        self.simulator.addresses()[place(name)]
    }

    /// How a target stands.
    pub(super) async fn target(&self, name: &str) -> Result<Target, Failed> {
        let request = GetTargetRequest { name: name.to_owned() };
        let answer = self.client.admin().get_target(request).await?.into_inner();
        Ok(answer.target.ok_or("the node does not say how the target stands")?)
    }

    /// Waits until a target is in a state, in a term after this one.
    pub(super) async fn until(&self, name: &str, state: &str, term: u64) -> Result<Target, Failed> {
        let there = async {
            loop {
                let target = self.target(name).await?;
                if target.state == state && target.term > term {
                    return Ok(target);
                }
                sleep(LOOK).await;
            }
        };
        timeout(PATIENCE, there)
            .await
            .map_err(|_| format!("this did not go as told: {name} is not {state}"))?
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

    /// All that every device holds.
    pub(super) async fn held_everywhere(&self) -> Result<Held, Failed> {
        let mut held = BTreeMap::new();
        for name in NAMES {
            held.insert(name, self.held(name, "/").await?);
        }
        Ok(held)
    }
}

/// Which of the devices has this name.
fn place(name: &str) -> usize {
    NAMES.iter().position(|known| *known == name).unwrap_or_default()
}

/// The devices, where they usually are, or wherever there is room.
fn simulator(models: &Path) -> Result<Simulator, Failed> {
    let models = ModelSet::load(&Models {
        path: models.into(),
        modules: Vec::new(),
        features: Vec::new(),
        origin: None,
    })?;
    let start = |listen| Simulator::start(Options { models: models.clone(), listen, count: 6 });
    Ok(start(DEVICES).or_else(|_taken| start(here(0)))?)
}

/// What a device comes with: a name, and descriptions of its links.
fn furniture(name: &str) -> Value {
    let port = |port: String, to: String| json!({ "name": port, "description": to });
    let ports: Vec<Value> = if LEAVES.contains(&name) {
        let up = (1..=2).map(|spine| port(format!("up{spine}"), format!("to spine{spine}")));
        [port("eth1".into(), "free".into())].into_iter().chain(up).collect()
    } else {
        (1..=4).map(|leaf| port(format!("eth{leaf}"), format!("to leaf{leaf}"))).collect()
    };
    json!({ "lab:system": { "hostname": name }, "lab:interfaces": { "interface": ports } })
}

/// Puts that on a device, as whoever unpacked it did.
async fn furnish(name: &str, address: SocketAddr) -> Result<(), Failed> {
    let mut device = GNmiClient::connect(format!("http://{address}")).await?;
    let update = Update {
        path: Some(path::write(&"/".parse()?)),
        val: Some(value::json(&furniture(name), true)),
        ..Update::default()
    };
    device.set(SetRequest { update: vec![update], ..SetRequest::default() }).await?;
    Ok(())
}

/// An address, or a free port beside it if somebody has it.
fn free(usual: SocketAddr) -> SocketAddr {
    if TcpListener::bind(usual).is_ok() { usual } else { here(0) }
}

fn configuration(devices: &[SocketAddr]) -> String {
    let mut text = format!(
        "node: demo\nlisten: {}\nhttp: {}\ninsecure: true\nmodels: {{lab-1.0: ./models}}\ntargets:\n",
        free(LISTEN),
        free(HTTP)
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

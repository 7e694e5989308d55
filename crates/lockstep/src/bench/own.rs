//! A node and simulated devices of its own, to be loaded.

use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use lockstep_simulator::{Options, Simulator};
use lockstep_types::Target;
use lockstep_yang::{ModelSet, Options as Models};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client};
use crate::config::Config;
use crate::login::Login;
use crate::serve::Service;
use crate::terminal::Color;

/// The model of every device, carried along so that nothing is needed beside the binary.
const MODEL: &str = include_str!("../../../../models/lab/lab.yang");
/// How long devices may take to be connected, all of them.
const PATIENCE: Duration = Duration::from_secs(120);

/// Everything that runs.
#[derive(Debug)]
pub(super) struct Own {
    service: Service,
    simulator: Simulator,
    client: Client,
    _folder: TempDir,
}

impl Own {
    /// Starts a node with so many devices; all of them are synchronised when this returns.
    pub(super) async fn start(count: u16) -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        let models = folder.path().join("models");
        std::fs::create_dir(&models)?;
        std::fs::write(models.join("lab.yang"), MODEL)?;
        let set = Models { path: models, modules: vec![], features: vec![], origin: None };
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let simulator = Simulator::start(Options { models: ModelSet::load(&set)?, listen, count })?;
        let file = folder.path().join("lockstep.yaml");
        std::fs::write(&file, configuration(simulator.addresses()))?;
        let service = Service::start(Config::read(&file)?).await?;
        let client = Client::connect(&global(service.address()), &Certificates::default()).await?;
        let own = Self { service, simulator, client, _folder: folder };
        own.synchronised(count).await?;
        Ok(own)
    }

    async fn synchronised(&self, count: u16) -> Result<(), Failed> {
        let targets = (1..=count).map(|number| Target::new(name(number)));
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        let mut views = self.service.node().views();
        let there =
            views.wait_for(|view| targets.iter().all(|target| view.is_synchronised(target)));
        let late = |_| format!("not all of {count} devices are there after {PATIENCE:?}");
        timeout(PATIENCE, there).await.map_err(late)??;
        Ok(())
    }

    /// Asks the node.
    pub(super) fn client(&self) -> Client {
        self.client.clone()
    }

    /// So many more, each with a connection of its own.
    pub(super) async fn clients(&self, count: usize) -> Result<Vec<Client>, Failed> {
        let global = global(self.service.address());
        let mut clients = Vec::new();
        for _ in 0..count {
            clients.push(Client::connect(&global, &Certificates::default()).await?);
        }
        Ok(clients)
    }

    /// Ends everything; nothing is left behind.
    pub(super) async fn stop(self) -> Result<(), Failed> {
        drop(self.client);
        self.service.stop().await?;
        self.simulator.stop().await;
        Ok(())
    }
}

fn name(number: u16) -> String {
    // Sorted by name as by number.
    format!("bench{number:05}")
}

fn configuration(devices: &[SocketAddr]) -> String {
    let mut text = String::from(
        "node: bench\nlisten: 127.0.0.1:0\nhttp: 127.0.0.1:0\ninsecure: true\nmodels: {lab-1.0: ./models}\ntargets:\n",
    );
    for (number, address) in (1..).zip(devices) {
        let name = name(number);
        // Writing to a text cannot fail.
        let _ =
            writeln!(text, "  {name}: {{address: '{address}', insecure: true, model: lab-1.0}}");
    }
    text
}

fn global(server: SocketAddr) -> Global {
    Global {
        server: server.to_string(),
        insecure: true,
        output: Output::Table,
        login: Login::default(),
        yes: true,
        color: Color::Auto,
    }
}

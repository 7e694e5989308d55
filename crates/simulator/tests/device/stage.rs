//! One device with the lab's models, and a client of it.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::OnceLock;

use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_simulator::{Device, Options, Simulator};
use lockstep_yang::ModelSet;
use tonic::transport::{Channel, Endpoint};

/// The gNMI client of a device.
pub(crate) type Client = GNmiClient<Channel>;

/// A device that runs as long as this is kept.
pub(crate) struct Stage {
    simulator: Simulator,
    pub(crate) client: Client,
}

/// The lab's models, loaded once for all tests.
pub(crate) fn models() -> ModelSet {
    static MODELS: OnceLock<ModelSet> = OnceLock::new();
    let load = || {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
        let options = lockstep_yang::Options {
            path,
            modules: Vec::new(),
            features: Vec::new(),
            origin: Some("lab-origin".into()),
        };
        ModelSet::load(&options).expect("the models of the lab")
    };
    MODELS.get_or_init(load).clone()
}

/// Devices on free ports.
pub(crate) fn simulator(count: u16) -> Simulator {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    Simulator::start(Options { models: models(), listen, count }).expect("free ports")
}

pub(crate) async fn channel(address: SocketAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    endpoint.connect().await.expect("a device that listens")
}

/// The models in `tests/models`: configuration with state beside it, and a module that adds to
/// another.
pub(crate) fn mirror() -> ModelSet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let options = lockstep_yang::Options { path, ..lockstep_yang::Options::default() };
    ModelSet::load(&options).expect("the models of the tests")
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::of(models()).await
    }

    pub(crate) async fn of(models: ModelSet) -> Self {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let simulator = Simulator::start(Options { models, listen, count: 1 }).expect("a port");
        let client = Client::new(channel(simulator.addresses()[0]).await);
        Self { simulator, client }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.simulator.devices()[0]
    }

    /// A client on a connection of its own.
    pub(crate) async fn another(&self) -> Client {
        Client::new(channel(self.device().address()).await)
    }
}

//! A node with its services, and three devices: leaf1 with the tag pod1, leaf2, and spine1.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, Version};
use lockstep_gnmi::proto::gnmi::g_nmi_client::GNmiClient;
use lockstep_gnmi::proto::gnmi::{SetRequest, Update};
use lockstep_gnmi::proto::lockstep::v1::OperateTargetRequest;
use lockstep_gnmi::proto::lockstep::v1::admin_client::AdminClient;
use lockstep_gnmi::{path, value};
use lockstep_node::{
    Clock, Devices, Known, Models, Options as Node, Reached, Retention, Running, Source, Unserved,
    start,
};
use lockstep_northbound::{
    Access, AuditTo, Directory, Limits, Loaded, Options, Porch, Role, Rules, Server, Unbound, User,
    serve,
};
use lockstep_protocol::record::{Binding, Trials};
use lockstep_simulator::faults::{Faults, Refusal};
use lockstep_simulator::{Device, Options as Simulated, Simulator};
use lockstep_southbound::gnmi::{Gnmi, Options as Reach};
use lockstep_store::{Memory, Records, Store};
use lockstep_types::{NodeName, Target};
use lockstep_yang::{ModelSet, Options as Load};
use serde_json::{Map, Value};
use tempfile::TempDir;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;

use super::shown;

const NAMES: [&str; 3] = ["leaf1", "leaf2", "spine1"];
/// Those who have a password. What a role of the page says of others is said of nobody.
const USERS: [&str; 10] = [
    "stranger", "reader", "tagged", "ports", "words", "changer", "operator", "half", "keeper",
    "root",
];
const AUDIT: &str = "audit.jsonl";
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Lab {
    simulator: Simulator,
    node: Running,
    server: Server,
    channel: Channel,
    /// The same node, for whoever shows a certificate.
    secured: Server,
    certified: Channel,
    /// How many ids were given out for what is asked there.
    ids: AtomicU64,
    store: Memory,
    /// With the audit.
    folder: TempDir,
}

/// Says who asks.
#[derive(Clone, Debug)]
pub(crate) struct Login(String);

impl Interceptor for Login {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        match self.0.as_str() {
            "nobody" => {}
            "wrong" => {
                drop(
                    request.metadata_mut().insert("authorization", "Bearer x.y.z".parse().unwrap()),
                );
            }
            // The connection says it.
            shown::CLIENT => {}
            shown::BEARER => {
                let token = format!("Bearer {}", shown::token());
                drop(request.metadata_mut().insert("authorization", token.parse().unwrap()));
            }
            name => {
                request.metadata_mut().insert("username", name.parse().unwrap());
                request.metadata_mut().insert("password", name.parse().unwrap());
            }
        }
        Ok(request)
    }
}

pub(crate) type As = InterceptedService<Channel, Login>;

impl Lab {
    pub(crate) async fn start(roles: Vec<Role>) -> Self {
        Self::within(roles, Limits::default()).await
    }

    pub(crate) async fn within(roles: Vec<Role>, limits: Limits) -> Self {
        let models = models();
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let count = u16::try_from(NAMES.len()).unwrap();
        let simulator =
            Simulator::start(Simulated { models: models.clone(), listen, count }).unwrap();
        let store = Memory::new();
        let records = Records::open(Arc::new(store.clone())).await.unwrap();
        let targets = NAMES.iter().zip(simulator.addresses()).map(|(name, address)| {
            let mut binding = Binding::of(models.digest().clone());
            binding.details = address.to_string();
            (Target::new(*name).unwrap(), binding)
        });
        let node = start(Node {
            name: NodeName::new("n1").unwrap(),
            records: records.clone(),
            targets: targets.collect(),
            devices: Arc::new(ByAddress(models.clone())),
            models: Models::new([("lab".to_owned(), models.clone())].into()),
            pending: 100,
            retention: Retention::default(),
            clock: Clock::default(),
            trace: None,
        });
        let node = node.await.unwrap();
        let secret_paths = vec!["/**/hostname".parse().unwrap()];
        let rules = Rules { users: users(), tokens: vec![shown::issuer()], roles };
        let folder = tempfile::tempdir().unwrap();
        let audit = Some(AuditTo::File(folder.path().join(AUDIT)));
        let access = Access { rules, secret_paths, audit, audit_reads: true, ..Access::default() };
        let directory = Arc::new(ByAddress(models));
        let http = Some(Arc::new(Porch::open(listen, None).unwrap()));
        let tls = None;
        let options = Options { records, directory, listen, http, tls, limits, access };
        // On this machine alone HTTP would be plain, where nobody shows a certificate.
        let everywhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let porch = Porch::open(everywhere, Some(shown::tls())).unwrap();
        let mut more = options.clone();
        more.access.audit = None;
        let more = Options { tls: Some(shown::tls()), http: Some(Arc::new(porch)), ..more };
        let secured = serve(node.handle(), more).await.unwrap();
        let endpoint = Endpoint::from_shared(format!("https://{}", secured.address())).unwrap();
        let certified = endpoint.tls_config(shown::of_grpc()).unwrap().connect().await.unwrap();
        let server = serve(node.handle(), options).await.unwrap();
        let endpoint = Endpoint::from_shared(format!("http://{}", server.address())).unwrap();
        let channel = endpoint.connect().await.unwrap();
        let ids = AtomicU64::default();
        let lab = Self { simulator, node, server, channel, secured, certified, ids, store, folder };
        lab.settled().await;
        lab
    }

    /// Waits for every device to be in line.
    pub(crate) async fn settled(&self) {
        let mut views = self.node.handle().views();
        let settled = views.wait_for(|view| view.targets().all(|one| view.is_synchronised(one)));
        drop(tokio::time::timeout(PATIENCE, settled).await.expect("in line").unwrap());
    }

    /// The RPCs that somebody was heard to ask for, by name.
    pub(crate) fn heard(&self, identity: &str) -> BTreeSet<String> {
        let audit = std::fs::read_to_string(self.folder.path().join(AUDIT)).unwrap();
        let lines = audit.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let theirs = lines.filter(|line| line["identity"] == identity);
        theirs.map(|line| line["action"].as_str().unwrap().to_owned()).collect()
    }

    /// Where HTTP is.
    pub(crate) fn http(&self) -> SocketAddr {
        self.server.http().unwrap()
    }

    /// Where HTTP is with TLS.
    pub(crate) fn https(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.secured.http().unwrap().port()).into()
    }

    /// An id for what somebody asks; empty: the node makes one. Two servers of one node, of which there are none but
    /// here, would make the same.
    pub(crate) fn id(&self, identity: &str) -> String {
        match identity {
            shown::CLIENT => format!("{identity}-{}", self.ids.fetch_add(1, Ordering::Relaxed)),
            _ => String::new(),
        }
    }

    /// An id for a commit, that no other has.
    pub(crate) fn commit_id(&self) -> String {
        format!("commit-{}", self.ids.fetch_add(1, Ordering::Relaxed))
    }

    /// A connection for somebody.
    fn channel(&self, identity: &str) -> Channel {
        let own = if identity == shown::CLIENT { &self.certified } else { &self.channel };
        own.clone()
    }

    pub(crate) fn gnmi(&self, identity: &str) -> GNmiClient<As> {
        GNmiClient::with_interceptor(self.channel(identity), Login(identity.to_owned()))
    }

    pub(crate) fn admin(&self, identity: &str) -> AdminClient<As> {
        AdminClient::with_interceptor(self.channel(identity), Login(identity.to_owned()))
    }

    pub(crate) fn reflection(&self, identity: &str) -> ServerReflectionClient<As> {
        let login = Login(identity.to_owned());
        ServerReflectionClient::with_interceptor(self.channel(identity), login)
    }

    pub(crate) fn health(
        &self,
        identity: &str,
    ) -> tonic_health::pb::health_client::HealthClient<As> {
        let login = Login(identity.to_owned());
        tonic_health::pb::health_client::HealthClient::with_interceptor(
            self.channel(identity),
            login,
        )
    }

    /// Where it listens.
    pub(crate) fn listens(&self) -> SocketAddr {
        self.server.address()
    }

    /// Goes on with a device that was paused.
    pub(crate) async fn resume(&self, target: &str) {
        let request = OperateTargetRequest { name: target.into(), order: "resume".into() };
        self.admin("root").operate_target(request).await.unwrap();
        self.settled().await;
    }

    /// Somebody else changes a device: a value that is secret, and one that is not.
    pub(crate) async fn tamper(&self, target: &str) {
        let address = format!("http://{}", self.address(target));
        let update = |at: &str, text: &str| Update {
            path: Some(path::write(&at.parse().unwrap())),
            val: Some(value::json(&text.into(), true)),
            ..Update::default()
        };
        let update =
            vec![update("/system/hostname", "somebody-else"), update("/system/motd", "by hand")];
        let request = SetRequest { update, ..SetRequest::default() };
        GNmiClient::connect(address).await.unwrap().set(request).await.unwrap();
    }

    /// From now on a device refuses whatever touches a path, with these words.
    pub(crate) fn refuse(&self, target: &str, at: &str, words: &str) {
        let refusal = Refusal { message: words.into(), ..Refusal::of(at.parse().unwrap()) };
        self.device(target).set_faults(Faults { refuse: vec![refusal] });
    }

    /// From now on a device does as it should.
    pub(crate) fn heal(&self, target: &str) {
        self.device(target).set_faults(Faults::default());
    }

    fn device(&self, target: &str) -> &Device {
        let at = NAMES.iter().position(|name| *name == target).unwrap();
        self.simulator.device(at).unwrap()
    }

    /// Waits for something that no view shows.
    pub(crate) async fn eventually(&self, condition: impl AsyncFn() -> bool) {
        let holds = async {
            while !condition().await {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, holds).await.expect("in time");
    }

    /// Where a device is; where none is, if there is no such one.
    pub(crate) fn address(&self, target: &str) -> String {
        let at = NAMES.iter().position(|name| *name == target);
        let device = at.and_then(|at| self.simulator.addresses().get(at));
        device.map_or_else(|| "127.0.0.1:1".to_owned(), ToString::to_string)
    }

    /// From now on the node knows what it knows, and the store is not there to ask.
    pub(crate) async fn lose_store(&self) {
        self.store.close().await.unwrap();
    }

    pub(crate) async fn stop(self) {
        drop((self.channel, self.certified));
        self.server.stop().await;
        self.secured.stop().await;
        self.node.stop().await.unwrap();
        self.simulator.stop().await;
    }
}

/// Everybody's password is their name, hashed as cheaply as can be.
fn users() -> std::collections::BTreeMap<String, User> {
    let params = Params::new(8, 1, 1, None).unwrap();
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let user = |name: &&str| {
        let hash = argon.hash_password(name.as_bytes()).unwrap().to_string();
        let groups = if *name == "keeper" { &["vault"][..] } else { &[] };
        let groups: BTreeSet<String> = groups.iter().map(|&group| group.to_owned()).collect();
        ((*name).to_owned(), User { hash, groups })
    };
    USERS.iter().map(user).collect()
}

fn models() -> ModelSet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
    ModelSet::load(&Load { path, ..Load::default() }).unwrap()
}

/// Devices whose binding says their address, and nothing else.
#[derive(Debug)]
struct ByAddress(ModelSet);

impl Directory for ByAddress {
    fn bind(
        &self,
        _: &Target,
        bound: Option<&Binding>,
        options: Map<String, Value>,
    ) -> Result<Binding, Unbound> {
        let mut binding = bound.cloned().unwrap_or_else(|| Binding::of(self.0.digest().clone()));
        if let Some(address) = options.get("address") {
            binding.details = address.as_str().unwrap().to_owned();
        }
        Ok(binding)
    }

    fn may_change(&self, _: &Target, _: &Binding, _: Option<&NodeName>) -> Result<(), Unbound> {
        Ok(())
    }

    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Loaded, String>> + Send + '_>> {
        let same = [("lab".to_owned(), Ok(self.0.clone()))].into();
        Box::pin(std::future::ready(Ok(same)))
    }
}

impl Devices for ByAddress {
    fn known(&self, target: &Target, binding: &Binding) -> Known {
        let tags = if target.as_str() == "leaf1" { vec!["pod1".to_owned()] } else { Vec::new() };
        let address = binding.details.clone();
        Known { address, model: "lab".into(), tags, source: Source::Api }
    }

    fn is_same(&self, _: &Target, before: &Binding, now: &Binding) -> bool {
        before.details == now.details
    }

    fn reach(&self, _: &Target, binding: &Binding, models: &ModelSet) -> Result<Reached, Unserved> {
        let addresses = vec![binding.details.clone()];
        let reach = Reach { addresses, insecure: true, ..Reach::default() };
        let driver = Arc::new(Gnmi::new(reach, models.clone()));
        Ok(Reached { driver, trials: Trials::Shared })
    }
}

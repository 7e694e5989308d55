//! Real etcd on loopback: members that can be killed, stalled and started again, and that are gone with
//! the test, also when it fails.
#![allow(dead_code, reason = "not every test that starts etcd does all of this to it")]

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use lockstep_store::Etcd;
use lockstep_store::etcd::Options;

/// Far beyond what anything takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(60);

/// How many times a cluster is tried when a port was taken by somebody else.
const TRIES: usize = 3;

/// A cluster, of one member or more.
pub(crate) struct Cluster {
    members: Vec<Server>,
    _folder: tempfile::TempDir,
}

/// One member.
pub(crate) struct Server {
    name: String,
    folder: PathBuf,
    args: Vec<String>,
    pub(crate) port: u16,
    process: Option<Child>,
}

/// How a cluster is set up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Setup {
    /// A folder with `ca.pem`, `server.pem` and `server.key`: clients have to show a certificate.
    pub(crate) tls: Option<PathBuf>,
    /// Further arguments.
    pub(crate) args: Vec<String>,
}

impl Cluster {
    /// Starts so many members, and waits until each of them answers.
    pub(crate) fn start(count: usize) -> Self {
        Self::start_with(count, &Setup::default())
    }

    pub(crate) fn start_with(count: usize, setup: &Setup) -> Self {
        for _ in 1..TRIES {
            let mut cluster = Self::spawn(count, setup);
            if cluster.answers() {
                return cluster;
            }
        }
        let mut cluster = Self::spawn(count, setup);
        assert!(cluster.answers(), "etcd does not come up:\n{}", cluster.log());
        cluster
    }

    fn spawn(count: usize, setup: &Setup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let ports = ports(2 * count);
        let (clients, peers) = ports.split_at(count);
        let scheme = if setup.tls.is_some() { "https" } else { "http" };
        let initial: Vec<String> =
            (0..count).map(|n| format!("m{n}=http://127.0.0.1:{}", peers[n])).collect();
        let members = (0..count).map(|n| {
            let client = format!("{scheme}://127.0.0.1:{}", clients[n]);
            let peer = format!("http://127.0.0.1:{}", peers[n]);
            let name = format!("m{n}");
            let data = folder.path().join(&name);
            let mut args = vec![
                format!("--name={name}"),
                format!("--data-dir={}", data.display()),
                format!("--listen-client-urls={client}"),
                format!("--advertise-client-urls={client}"),
                format!("--listen-peer-urls={peer}"),
                format!("--initial-advertise-peer-urls={peer}"),
                format!("--initial-cluster={}", initial.join(",")),
                format!("--initial-cluster-token={}", folder.path().display()),
                "--logger=zap".to_owned(),
                "--log-level=warn".to_owned(),
            ];
            if count == 1 {
                // Nobody to wait for: it leads at once when it is started again.
                args.push("--heartbeat-interval=20".to_owned());
                args.push("--election-timeout=200".to_owned());
            }
            if let Some(tls) = &setup.tls {
                let file = |name: &str| tls.join(name).display().to_string();
                args.push(format!("--cert-file={}", file("server.pem")));
                args.push(format!("--key-file={}", file("server.key")));
                args.push(format!("--trusted-ca-file={}", file("ca.pem")));
                args.push("--client-cert-auth".to_owned());
            }
            args.extend_from_slice(&setup.args);
            let folder = folder.path().to_owned();
            let mut server = Server { name, folder, args, port: clients[n], process: None };
            server.start();
            server
        });
        Self { members: members.collect(), _folder: folder }
    }

    /// Waits until all members take connections. Whether they do: one may have lost its port to
    /// somebody else.
    fn answers(&mut self) -> bool {
        let deadline = Instant::now() + DEADLINE;
        while Instant::now() < deadline {
            if self.members.iter_mut().any(Server::has_ended) {
                return false;
            }
            // Before it is ready, etcd does not listen for clients.
            if self.members.iter().all(Server::listens) {
                return true;
            }
            std::thread::yield_now();
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    pub(crate) fn member(&mut self, n: usize) -> &mut Server {
        &mut self.members[n]
    }

    /// How to reach the cluster, keys under this prefix. Patient: on a busy machine nothing fails that
    /// is not made to fail.
    pub(crate) fn options(&self, prefix: &str) -> Options {
        let hosts: Vec<String> =
            self.members.iter().map(|member| format!("127.0.0.1:{}", member.port)).collect();
        let mut options =
            Options::parse(&format!("etcd://{}/{prefix}", hosts.join(","))).expect("a store URL");
        options.timeout = Duration::from_secs(20);
        options
    }

    /// The same for a store that is soon tired of a member.
    pub(crate) fn quick(&self, prefix: &str) -> Options {
        Options { timeout: Duration::from_secs(2), ..self.options(prefix) }
    }

    pub(crate) async fn store(&self, prefix: &str) -> Etcd {
        Etcd::open(&self.options(prefix)).await.expect("a store")
    }

    fn log(&self) -> String {
        self.members.iter().map(Server::log).collect::<Vec<_>>().join("\n")
    }

    /// A client of etcd itself, of one member.
    pub(crate) async fn raw(&self, n: usize) -> etcd_client::Client {
        let endpoint = format!("127.0.0.1:{}", self.members[n].port);
        etcd_client::Client::connect([endpoint], None).await.expect("a client")
    }

    /// The place of the leader.
    pub(crate) async fn leader(&self) -> usize {
        for n in 0..self.members.len() {
            let status = self.raw(n).await.maintenance_client().status().await.expect("a status");
            if status.header().expect("a header").member_id() == status.leader() {
                return n;
            }
        }
        panic!("there is no leader");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

impl Server {
    /// Starts it, again if it was killed.
    pub(crate) fn start(&mut self) {
        let log = |kind: &str| {
            let path = self.folder.join(format!("{}.{kind}", self.name));
            File::options().create(true).append(true).open(path).expect("a log")
        };
        let process = Command::new("etcd")
            .args(&self.args)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(log("out"))
            .stderr(log("log"))
            .spawn();
        self.process = Some(process.unwrap_or_else(|error| {
            panic!("etcd cannot be started ({error}): `scripts/setup test` installs it")
        }));
    }

    fn listens(&self) -> bool {
        std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    fn has_ended(&mut self) -> bool {
        self.process.as_mut().is_none_or(|process| process.try_wait().expect("a status").is_some())
    }

    /// Kills it, as a power cut would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("a kill");
            process.wait().expect("an end");
        }
    }

    /// Kills it, starts it again and waits until it takes connections.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.start();
        let deadline = Instant::now() + DEADLINE;
        while !self.listens() {
            assert!(Instant::now() < deadline && !self.has_ended(), "{}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts it again without anything it had, as far back as can be.
    pub(crate) fn set_back(&mut self) {
        self.kill();
        std::fs::remove_dir_all(self.folder.join(&self.name)).expect("its data");
        self.restart();
    }

    /// Stops it where it is, as a stalled disk or a frozen machine would.
    pub(crate) fn stall(&self) {
        self.signal("STOP");
    }

    /// Lets it go on.
    pub(crate) fn resume(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("a process");
        let kill = format!("kill -{signal} {}", process.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
    }

    fn log(&self) -> String {
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let log = read(&self.folder.join(format!("{}.log", self.name)));
        let lines: Vec<&str> = log.lines().collect();
        let end = lines[lines.len().saturating_sub(15)..].join("\n");
        format!("--- {}\n{end}", self.name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Ports nobody has now, and that no connection going out can take while a member is down: they lie below those the
/// kernel gives to such (32,768 and up unless it is told otherwise). Each process begins somewhere else.
fn ports(count: usize) -> Vec<u16> {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    const FIRST: u32 = 10_000;
    const COUNT: u32 = 22_000;
    let begin = std::process::id().wrapping_mul(97);
    let next = || begin.wrapping_add(TAKEN.fetch_add(1, Relaxed)) % COUNT + FIRST;
    let next = || u16::try_from(next()).expect("a port");
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(next).filter(free).take(count).collect()
}

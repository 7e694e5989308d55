//! Nothing is left behind by a connection: no task, no socket, no memory.
//!
//! In a test of its own, because the whole process is looked at. `LOCKSTEP_RECONNECTS` says how many
//! connections come and go; by default fewer, for `make test`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests say what went wrong by panicking"
)]

use std::net::SocketAddr;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lockstep_protocol::{Ask, Event};
use lockstep_simulator::faults::Does;
use lockstep_simulator::{Options as Devices, Simulator};
use lockstep_southbound::gnmi::{Gnmi, Options};
use lockstep_southbound::{Election, Lease, Link, Mandate, Noticed, Watch};
use lockstep_types::{Connection, Content, Delta, Epoch, Sequence, Target};
use lockstep_yang::ModelSet;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;

const USUAL: usize = 500;
const LINKS: usize = 50;
const MANDATE: Mandate =
    Mandate { epoch: Epoch::new(1), election: Election { high: 1, low: 7 }, lease: Lease::ENDLESS };
/// Long enough on a busy machine; only a failing test waits for it.
const LONG: Duration = Duration::from_secs(60);

/// What the process has.
#[derive(Clone, Copy, Debug)]
struct Holds {
    tasks: usize,
    files: usize,
    megabytes: usize,
}

impl Holds {
    fn now() -> Self {
        let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let resident = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        let kilobytes: usize = resident.split_whitespace().nth(1).unwrap().parse().unwrap();
        let tasks = Handle::current().metrics().num_alive_tasks();
        Self { tasks, files, megabytes: kilobytes / 1024 }
    }

    /// When no more is held than before, give or take a little; a server closes its side in its own
    /// time.
    async fn settled(before: Self) -> Self {
        let deadline = Instant::now() + LONG;
        loop {
            let now = Self::now();
            let few = now.tasks <= before.tasks + 10 && now.files <= before.files + 10;
            if few || Instant::now() > deadline {
                return now;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// A link that is watched, and what it tells.
struct Pair {
    link: Link,
    events: mpsc::Receiver<Event>,
    told: mpsc::Receiver<Noticed>,
    connection: Connection,
}

impl Pair {
    fn start(address: SocketAddr, models: &ModelSet) -> Self {
        let options = Options {
            addresses: vec![address.to_string()],
            insecure: true,
            // A machine with other things to do must not look like a dead device.
            timeout: LONG,
            ..Options::default()
        };
        let driver = Arc::new(Gnmi::new(options, models.clone()));
        let (sender, events) = mpsc::channel(4);
        let target = Target::new("leaf1").unwrap();
        let link = Link::spawn(target, driver, Connection::new(1), sender);
        let told = link.watch(Watch::default());
        Self { link, events, told, connection: Connection::ZERO }
    }

    async fn event(&mut self) -> Event {
        timeout(LONG, self.events.recv()).await.expect("nothing happens").unwrap()
    }

    /// Connected, watched, and its master.
    async fn up(&mut self) {
        let Event::Connected { connection, .. } = self.event().await else { panic!("not up") };
        self.connection = connection;
        self.ask(Ask::Claim);
        assert!(matches!(self.event().await, Event::Answered { .. }));
        let told = timeout(LONG, self.told.recv()).await.expect("not watched").unwrap();
        assert_eq!(told.connection, connection);
    }

    fn ask(&self, ask: Ask) {
        self.link.send(self.connection, Sequence::new(1), MANDATE, ask, None);
    }

    /// Ends the connection from one side or the other, and waits for the next.
    async fn again(&mut self, by_device: bool) {
        if by_device {
            let unit = ("/system/motd".parse().unwrap(), Some(Content::leaf("x")));
            self.ask(Ask::Set(Delta::from_iter([unit])));
        } else {
            self.link.close(self.connection);
        }
        while !matches!(self.event().await, Event::Disconnected { .. }) {}
        self.up().await;
    }

    async fn rounds(mut self, rounds: usize) -> Self {
        for round in 0..rounds {
            self.again(round % 2 == 0).await;
        }
        self
    }
}

async fn rounds(pairs: Vec<Pair>, rounds: usize) -> Vec<Pair> {
    let running: Vec<_> = pairs.into_iter().map(|pair| tokio::spawn(pair.rounds(rounds))).collect();
    let mut pairs = Vec::new();
    for pair in running {
        pairs.push(pair.await.unwrap());
    }
    pairs
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_behind_by_thousands_of_connections() {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../models/lab");
    let models = ModelSet::load(&lockstep_yang::Options { path, ..Default::default() }).unwrap();
    let listen = ([127, 0, 0, 1], 0).into();
    let simulator = Simulator::start(Devices { models: models.clone(), listen, count: 1 }).unwrap();
    let device = simulator.device(0).unwrap();
    // Whoever changes anything is hung up on.
    device.set_faults(Does::Drop { after: false }.always());

    let mut pairs: Vec<Pair> = (0..LINKS).map(|_| Pair::start(device.address(), &models)).collect();
    for pair in &mut pairs {
        pair.up().await;
    }
    let wanted = std::env::var("LOCKSTEP_RECONNECTS").map_or(USUAL, |text| text.parse().unwrap());
    // What is made once, and caches, do not count.
    let pairs = rounds(pairs, 2).await;
    let before = Holds::now();
    let began = Instant::now();
    let pairs = rounds(pairs, wanted / LINKS).await;
    let after = Holds::settled(before).await;
    println!("{wanted} connections in {:?}: {before:?}, then {after:?}", began.elapsed());
    assert!(after.tasks <= before.tasks + 10, "{before:?} {after:?}");
    assert!(after.files <= before.files + 10, "{before:?} {after:?}");
    // The device remembers ten thousand requests. One kilobyte a connection would be more than this.
    assert!(after.megabytes <= before.megabytes + 8 + wanted / 1000, "{before:?} {after:?}");

    drop(pairs);
    // A link that is dropped takes its task with it; the device may take a moment to see it.
    let deadline = Instant::now() + LONG;
    while Holds::now().tasks > before.tasks - 2 * LINKS && Instant::now() < deadline {
        tokio::task::yield_now().await;
    }
    let end = Holds::now();
    assert!(end.tasks <= before.tasks - 2 * LINKS, "{before:?} {end:?}");
}

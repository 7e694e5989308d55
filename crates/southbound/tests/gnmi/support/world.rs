//! A link to a device, and what is told of it.

use std::net::SocketAddr;
use std::path::Path as FilePath;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lockstep_protocol::{Answer, Ask, Event};
use lockstep_southbound::gnmi::{Gnmi, Options};
use lockstep_southbound::{Driver, Election, Lease, Line, Link, Mandate};
use lockstep_types::{
    Configuration, Connection, Content, Delta, Epoch, Index, Path, Sequence, Target,
};
use lockstep_yang::ModelSet;
use tokio::sync::mpsc;
use tokio::time::timeout;

pub(crate) const ELECTION: Election = Election { high: 1, low: 7 };
/// Of a store whose master has this election id.
pub(crate) const MANDATE: Mandate = named(ELECTION);

/// The transaction that everything is about.
pub(crate) const ABOUT: Index = Index::new(17);

/// The same store, at another election id.
pub(crate) const fn named(election: Election) -> Mandate {
    Mandate { epoch: Epoch::new(1), election, lease: Lease::ENDLESS }
}

/// Long enough on a busy machine; only a failing test waits for it.
const LONG: Duration = Duration::from_secs(20);

/// The lab's models, loaded once.
pub(crate) fn models() -> ModelSet {
    static MODELS: OnceLock<ModelSet> = OnceLock::new();
    MODELS.get_or_init(|| load("../../models/lab")).clone()
}

/// One of each shape of unit.
pub(crate) fn load_shapes() -> ModelSet {
    load("tests/models")
}

fn load(folder: &str) -> ModelSet {
    let path = FilePath::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (modules, features, origin) = (Vec::new(), Vec::new(), None);
    ModelSet::load(&lockstep_yang::Options { path, modules, features, origin }).unwrap()
}

/// Without TLS, and not patient.
pub(crate) fn options(address: SocketAddr) -> Options {
    Options {
        addresses: vec![address.to_string()],
        insecure: true,
        timeout: Duration::from_secs(10),
        ..Options::default()
    }
}

pub(crate) fn path(text: &str) -> Path {
    text.parse().unwrap()
}

pub(crate) fn leaf(text: &str, value: &str) -> (Path, Option<Content>) {
    (path(text), Some(Content::leaf(value)))
}

pub(crate) fn delta<const N: usize>(units: [(Path, Option<Content>); N]) -> Delta {
    units.into_iter().collect()
}

pub(crate) async fn within<T>(what: &str, wait: impl Future<Output = T>) -> T {
    timeout(LONG, wait).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// Asserts that the device did what was asked; whether it would do it for anyone is not asked here.
#[track_caller]
pub(crate) fn accepted(answer: Answer) {
    assert!(matches!(answer, Answer::Accepted | Answer::Unfenced(_)), "{answer:?}");
}

/// A device's link, or one line to it.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) link: Link,
    models: ModelSet,
    events: mpsc::Receiver<Event>,
    connection: Connection,
    sequence: Sequence,
}

impl World {
    /// A link, up.
    pub(crate) async fn connected(options: Options) -> Self {
        let mut world = Self::start(options);
        world.expect_connected().await;
        world
    }

    pub(crate) fn start(options: Options) -> Self {
        Self::start_with(options, models())
    }

    pub(crate) fn start_with(options: Options, models: ModelSet) -> Self {
        let (sender, events) = mpsc::channel(16);
        let driver = Arc::new(Gnmi::new(options, models.clone()));
        let target = Target::new("leaf1").unwrap();
        let link = Link::spawn(target, driver, Connection::new(1), sender);
        Self { link, models, events, connection: Connection::ZERO, sequence: Sequence::ZERO }
    }

    /// One line, without a link.
    pub(crate) async fn line(options: Options) -> Arc<dyn Line> {
        let driver = Gnmi::new(options, models());
        within("a line", driver.connect()).await.unwrap()
    }

    async fn event(&mut self) -> Event {
        within("an event", self.events.recv()).await.unwrap()
    }

    /// The next connection, with a larger number.
    pub(crate) async fn expect_connected(&mut self) {
        match self.event().await {
            Event::Connected { connection, .. } if connection > self.connection => {
                self.connection = connection;
            }
            other => panic!("not connected anew: {other:?}"),
        }
    }

    pub(crate) async fn expect_disconnected(&mut self) {
        match self.event().await {
            Event::Disconnected { connection, .. } => assert_eq!(connection, self.connection),
            other => panic!("not disconnected: {other:?}"),
        }
    }

    /// The same, where the answer to what was sent may come first: it was not to be had.
    pub(crate) async fn expect_disconnected_unanswered(&mut self) {
        loop {
            match self.event().await {
                Event::Answered { answer: Answer::Unknown, .. } => {}
                Event::Disconnected { connection, .. } => {
                    return assert_eq!(connection, self.connection);
                }
                other => panic!("not disconnected: {other:?}"),
            }
        }
    }

    /// What the device shows is what is wanted, defaults folded.
    pub(crate) async fn assert_holds(&mut self, wanted: &Configuration) {
        let Answer::Values(seen) = self.ask(Ask::Read).await else { panic!("not read") };
        assert_eq!(self.models.fold(&seen, wanted), *wanted);
    }

    /// Sends, and does not wait.
    pub(crate) fn send(&mut self, ask: Ask) {
        self.send_as(ELECTION, ask);
    }

    pub(crate) fn send_as(&mut self, election: Election, ask: Ask) {
        self.sequence = self.sequence.next();
        self.link.send(self.connection, self.sequence, named(election), ask, Some(ABOUT));
    }

    pub(crate) async fn ask(&mut self, ask: Ask) -> Answer {
        self.ask_as(ELECTION, ask).await
    }

    pub(crate) async fn ask_as(&mut self, election: Election, ask: Ask) -> Answer {
        self.send_as(election, ask);
        match self.event().await {
            Event::Answered { connection, sequence, answer, .. } => {
                assert_eq!((connection, sequence), (self.connection, self.sequence));
                answer
            }
            other => panic!("not answered: {other:?}"),
        }
    }

    pub(crate) fn close(&self) {
        self.link.close(self.connection);
    }
}

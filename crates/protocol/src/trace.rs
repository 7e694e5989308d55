//! A run in writing. The core is deterministic: a node's run is what it saw and, for each thing it saw, what it
//! decided to do. So a trace holds just that, one JSON value per line, and can be held against the protocol afterwards.
//!
//! ```text
//! header                     the format, and the store as it was
//! outside                    a revision that no node decided on
//! store                      the store, where nobody can tell how it came to be
//! begin                      a node begins a session, on a view of the store
//! step                       what a node saw, and what it decided to do
//! device                     what a device took and answered, or that it started anew
//! ```
//!
//! Lines stand in an order in which they can have happened: a write comes before whoever saw it, a
//! request before its answer. A node that writes one line before it carries out what the line says
//! keeps to that by itself.

use std::collections::BTreeSet;

use lockstep_types::{
    Configuration as Tree, Connection, NodeName, Revision, Sequence, SessionId, Target, Term,
};
use serde::{Deserialize, Serialize};

use crate::{Answer, Ask, Changes, Command, Event, Node, Retention, Subject, View, Wake, Written};

/// The name of the format, so that a trace is not taken for another file of JSON lines.
pub const FORMAT: &str = "lockstep-trace";

/// The version of the format that this crate writes and reads.
pub const VERSION: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// The first line, and only the first.
    Header(Header),
    /// A revision that no node decided on: a session began or ended, a target was bound. It may as
    /// well come to light when a node sees it; this line is for what a node begins on.
    Outside(Changes),
    /// The store as a node found it that began when no other ran, on a store that keeps no history beyond its process:
    /// record by record, as in the header.
    Store(Vec<Changes>),
    /// A node begins.
    Begin(Begin),
    /// A node takes in something, and decides.
    Step(Step),
    /// A device's own account. Optional: what it says is held against what nodes say.
    Device(Device),
}

/// The format, and the store as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Whose steps are here.
    pub nodes: Nodes,
    /// The store as it was, record by record: taken in one after the other these make the view.
    pub store: Vec<Changes>,
    /// Devices that take requests of any election id, old ones too.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unfenced: BTreeSet<Target>,
}

impl Header {
    /// The header of a trace that starts with this store.
    #[must_use]
    pub fn new(nodes: Nodes, store: Vec<Changes>) -> Self {
        let unfenced = BTreeSet::new();
        Self { format: FORMAT.into(), version: VERSION, nodes, store, unfenced }
    }
}

/// Whose steps a trace has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nodes {
    /// Those of every node on this store, so that every write must be one of theirs.
    All,
    /// Those of some; others write too.
    Some,
}

/// A node begins a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Begin {
    /// This start of it.
    pub session: SessionId,
    /// The node.
    pub node: NodeName,
    /// The revision of the view that it loaded.
    pub read: Revision,
    /// How it is set.
    pub settings: Settings,
}

/// How a node is set; [`crate::Settings`] in writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// How many records one write of the store can hold.
    pub records_per_write: usize,
    /// How many an append can hold, if that is another number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records_per_append: Option<usize>,
    /// How many targets one transaction may have.
    #[serde(default = "targets")]
    pub targets: usize,
    /// How many transactions may be open.
    pub open: usize,
    /// How much of the log is kept: so many entries, of so many nanoseconds, let go of so many at a time.
    #[serde(default = "retention")]
    pub retention: (u64, u64, u64),
    /// Whether targets come to the nodes whose turn they are.
    #[serde(default)]
    pub spread: bool,
    /// The wait before a device is tried again, in nanoseconds.
    pub backoff: u64,
    /// How often it doubles at the most.
    pub backoff_doublings: u32,
}

impl From<&crate::Settings> for Settings {
    fn from(settings: &crate::Settings) -> Self {
        Self {
            records_per_write: settings.records_per_write,
            records_per_append: Some(settings.records_per_append),
            targets: settings.targets,
            open: settings.open,
            retention: in_writing(settings.retention),
            spread: settings.spread,
            backoff: settings.backoff,
            backoff_doublings: settings.backoff_doublings,
        }
    }
}

fn in_writing(Retention { transactions, age, step }: Retention) -> (u64, u64, u64) {
    (transactions, age, step)
}

fn retention() -> (u64, u64, u64) {
    in_writing(Retention::default())
}

fn targets() -> usize {
    crate::Settings::default().targets
}

impl From<Settings> for crate::Settings {
    fn from(settings: Settings) -> Self {
        let (transactions, age, step) = settings.retention;
        Self {
            retention: Retention { transactions, age, step },
            records_per_write: settings.records_per_write,
            records_per_append: settings.records_per_append.unwrap_or(settings.records_per_write),
            targets: settings.targets,
            open: settings.open,
            spread: settings.spread,
            backoff: settings.backoff,
            backoff_doublings: settings.backoff_doublings,
        }
    }
}

/// One step of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Step {
    /// Whose.
    pub session: SessionId,
    /// Which of its steps, from 1.
    pub number: u64,
    /// What it concerned; see [`context`].
    pub context: BTreeSet<Wake>,
    /// The revision of the view it decided on.
    pub read: Revision,
    /// The revision that it learned was written, by itself or by anyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Revision>,
    /// What it saw.
    pub saw: Saw,
    /// What it decided to do. A request to a device carries its term and sequence.
    pub did: Vec<Command>,
}

/// What makes a node take a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "nearly always an event")]
pub enum Saw {
    /// It started, and looks at everything there is.
    Start,
    /// Something happened.
    Event(Event),
}

impl Saw {
    /// The revision that it tells of.
    #[must_use]
    pub fn written(&self) -> Option<Revision> {
        match self {
            Self::Event(Event::Watch(changes)) => Some(changes.revision),
            Self::Event(Event::Written { result: Written::Done(revision), .. }) => Some(*revision),
            _ => None,
        }
    }
}

/// The ids that a step concerned, as far as it shows: what was seen of them, and what was done.
#[must_use]
pub fn context(saw: &Saw, did: &[Command]) -> BTreeSet<Wake> {
    let seen = match saw {
        Saw::Event(
            Event::Connected { target, .. }
            | Event::Trials { target, .. }
            | Event::Disconnected { target, .. }
            | Event::Answered { target, .. }
            | Event::Drifted(target)
            | Event::InLine(target),
        ) => Some(Wake::Target(target.clone())),
        Saw::Event(Event::Written { wake, .. }) => Some(wake.clone()),
        Saw::Event(Event::Verdict { subject, .. }) => Some(concerned(subject)),
        Saw::Event(Event::Submit { .. }) => Some(Wake::Append),
        Saw::Event(Event::Operate { target, .. }) => Some(Wake::Operate(target.clone())),
        Saw::Event(Event::Cancel { index, .. }) => Some(Wake::Transaction(*index)),
        Saw::Event(Event::Confirm { index, .. } | Event::Extend { index, .. }) => {
            Some(Wake::Window(*index))
        }
        Saw::Event(Event::Tick(_) | Event::Watch(_) | Event::Lease(_) | Event::Leave { .. })
        | Saw::Start => None,
    };
    let done = did.iter().filter_map(|command| match command {
        Command::Write { wake, .. } => Some(wake.clone()),
        Command::Validate { subject, .. } => Some(concerned(subject)),
        Command::Send { target, .. }
        | Command::Close { target, .. }
        | Command::Connect(target)
        | Command::Disconnect(target) => Some(Wake::Target(target.clone())),
        Command::Answer { .. } => None,
    });
    seen.into_iter().chain(done).collect()
}

fn concerned(subject: &Subject) -> Wake {
    match subject {
        Subject::Submission(_) => Wake::Append,
        Subject::Transaction(index) => Wake::Transaction(*index),
        Subject::Recheck(target, _) => Wake::Recheck(target.clone()),
    }
}

/// A device's own account of one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Device {
    /// Which device.
    pub target: Target,
    /// What.
    pub did: Doing,
}

/// What a device did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doing {
    /// It started, and holds this. It listens to any election id again.
    Started(Tree),
    /// It took a request.
    Took(Took),
    /// Somebody else changed it, and it holds this.
    Changed(Tree),
    /// Somebody else made it listen to them, and to nobody with a smaller election id.
    Listens(Term),
}

/// A request that a device took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Took {
    /// Who sent it: connections are numbered by each node for itself.
    pub session: SessionId,
    /// On which connection.
    pub connection: Connection,
    /// Its number.
    pub sequence: Sequence,
    /// The low half of its election id.
    pub term: Term,
    /// What was asked.
    pub ask: Ask,
    /// What it answered, whether or not the answer got there.
    pub answer: Answer,
}

/// Counts the steps of one session and puts each into writing.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    steps: u64,
}

impl Journal {
    /// Lets a node take its next step, and puts it into writing.
    pub fn step(&mut self, node: &mut Node, saw: Saw) -> (Vec<Command>, Line) {
        let did = match &saw {
            Saw::Start => node.start(),
            Saw::Event(event) => node.handle(event.clone()),
        };
        self.steps += 1;
        let step = Step {
            session: node.session().clone(),
            number: self.steps,
            context: context(&saw, &did),
            read: node.view().revision(),
            written: saw.written(),
            saw,
            did: did.clone(),
        };
        (did, Line::Step(step))
    }
}

/// The line of a node that begins on this view.
#[must_use]
pub fn begin(name: NodeName, session: SessionId, settings: &crate::Settings, view: &View) -> Line {
    Line::Begin(Begin { session, node: name, read: view.revision(), settings: settings.into() })
}

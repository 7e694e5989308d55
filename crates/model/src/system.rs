//! The whole system in one value: the store, the nodes with the real core inside, the devices, and
//! what is under way between them.

mod action;
mod client;
mod commit;
mod device;
mod fingerprint;
mod kept;
mod moves;
mod network;
mod nodes;
mod observed;
mod record;
mod run;
pub mod yang;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use lockstep_protocol::record::Binding;
use lockstep_protocol::{Event, Op, Txn, View, Wake};
use lockstep_types::{Connection, Index, ModelDigest, Sequence, Target, Term, Timestamp};

pub use action::{Action, Reaction};
pub use client::{EXTENSION, Told};
pub use commit::{Commit, Stores};
pub use device::{Device, Manner};
pub use kept::Kept;
pub use nodes::Running;
pub use record::Record;
pub use run::kept_for_ever;
pub use yang::Question;

use crate::facts::Fact;
use crate::scenario::{Faults, Scenario};
use lockstep_protocol::Ask;

/// A request on its way to a device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flight {
    /// The node that sent it.
    pub node: usize,
    /// Where it goes.
    pub target: Target,
    /// The connection it was sent on.
    pub connection: Connection,
    /// Its number.
    pub sequence: Sequence,
    /// Its election id.
    pub term: Term,
    /// What it asks.
    pub ask: Ask,
    /// Nobody waits for it any more; it may still land.
    pub orphan: bool,
}

/// An answer on its way back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reply {
    /// To which node.
    pub node: usize,
    /// From which device.
    pub target: Target,
    /// On which connection.
    pub connection: Connection,
    /// What the node will learn.
    pub event: Event,
}

/// A write on its way to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// By which node, in which start of it.
    pub node: usize,
    /// Which start; the answer is lost if the node has started anew since.
    pub start: u8,
    /// Whose.
    pub wake: Wake,
    /// The write.
    pub txn: Txn,
    /// Nobody waits for it any more; it may still land.
    pub orphan: bool,
}

/// A device write that a node decided on, kept for the step in which it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The request.
    pub flight: Flight,
    /// Whether the node's view was the store's when it decided.
    pub current: bool,
}

/// The state of everything.
#[derive(Clone, Debug)]
pub struct System {
    /// The run this is part of.
    pub scenario: Arc<Scenario>,
    /// The truth.
    pub store: View,
    /// The same, and whatever was forgotten of it.
    pub archive: View,
    /// What is written of it, where a view may know more than that.
    pub kept: Option<Arc<Kept>>,
    /// The nodes.
    pub nodes: Vec<Running>,
    /// The devices.
    pub devices: BTreeMap<Target, Device>,
    /// Requests under way.
    pub requests: Vec<Flight>,
    /// Answers under way.
    pub replies: Vec<Reply>,
    /// Writes under way.
    pub letters: Vec<Letter>,
    /// Questions that yang has not answered.
    pub questions: Vec<Question>,
    /// The time.
    pub now: Timestamp,
    /// How much of the script was submitted.
    pub submitted: usize,
    /// Faults that may still happen.
    pub left: Faults,
    /// What clients were told.
    pub told: BTreeMap<usize, Told>,
    /// Changes that a client was told are confirmed.
    pub confirmed: BTreeSet<Index>,
    /// Atomic transactions whose values a reader was served.
    pub seen: BTreeSet<Index>,
    /// Invariants that were broken on the way here.
    pub broken: BTreeSet<&'static str>,
    /// What the step that led here came across, of what the run must come across.
    pub facts: Vec<Fact>,
    /// What nodes are about to learn; empty between steps.
    pub news: VecDeque<(usize, Event)>,
    /// The nodes went on and on in the last step, and had to be stopped.
    pub restless: bool,
    /// What the last step sent to devices.
    pub sent: Vec<Sent>,
    /// What the last step wrote to the store, in order.
    pub commits: Vec<Commit>,
    /// The run in writing, where that is wanted.
    pub record: Option<Box<Record>>,
}

impl System {
    /// The start of a run: every node is up, nothing is connected.
    #[must_use]
    pub fn new(scenario: Arc<Scenario>) -> Self {
        Self::blank(scenario).begun()
    }

    /// As [`System::new`], and everything that happens is put into writing.
    #[must_use]
    pub fn recorded(scenario: Arc<Scenario>) -> Self {
        let unfenced = scenario.targets.iter().filter(|_| scenario.unfenced).cloned().collect();
        let record = Some(Box::new(Record::new(unfenced)));
        Self { record, ..Self::blank(scenario) }.begun()
    }

    /// Before anything happened.
    fn blank(scenario: Arc<Scenario>) -> Self {
        let values = scenario.own.clone().unwrap_or_default();
        let device = |target: &Target| {
            (target.clone(), Device { values: values.clone(), ..Device::default() })
        };
        let devices = scenario.targets.iter().map(device).collect();
        Self {
            left: scenario.faults,
            store: View::new(),
            archive: View::new(),
            kept: scenario.small.then(Arc::default),
            nodes: Vec::new(),
            devices,
            requests: Vec::new(),
            replies: Vec::new(),
            letters: Vec::new(),
            questions: Vec::new(),
            now: Timestamp::ZERO,
            submitted: 0,
            told: BTreeMap::new(),
            confirmed: BTreeSet::new(),
            seen: BTreeSet::new(),
            broken: BTreeSet::new(),
            facts: Vec::new(),
            news: VecDeque::new(),
            restless: false,
            sent: Vec::new(),
            commits: Vec::new(),
            record: None,
            scenario,
        }
    }

    fn begun(mut self) -> Self {
        if let (Some(record), Some(own)) = (&mut self.record, &self.scenario.own) {
            self.devices.keys().for_each(|target| record.started(target, own));
        }
        self.bind();
        self.start_nodes();
        self.connect_first();
        if self.scenario.set_back {
            self.set_back();
        }
        self
    }

    /// The store is as it was when each device had been brought in line once; devices have seen later terms since, and
    /// no node is left that knew of them.
    fn set_back(&mut self) {
        for (target, device) in &mut self.devices {
            device.election = device::FORGOTTEN;
            if let Some(record) = &mut self.record {
                record.listens(target, device.election);
            }
        }
        for node in 0..self.nodes.len() {
            self.end_session(node);
            self.crash(node);
            self.start_node(node);
        }
        self.settle();
        self.sent.clear();
        self.commits.clear();
    }

    fn bind(&mut self) {
        let bind = |target: &Target| Op::Binding {
            target: target.clone(),
            binding: self.binding(yang::first_models()),
        };
        let ops = self.scenario.targets.iter().map(bind).collect();
        self.announce(ops);
    }

    fn binding(&self, models: ModelDigest) -> Binding {
        Binding { drift: self.scenario.drift, ..Binding::of(models) }
    }

    /// One node begins as the master of every device, so that runs need not all begin with that.
    fn connect_first(&mut self) {
        // Unless how they are met is what the run is about.
        let met = self.scenario.own.is_none();
        for target in self.scenario.targets.clone().into_iter().filter(|_| met) {
            self.connect(0, &target);
            self.settle();
            while !self.requests.is_empty() || !self.replies.is_empty() {
                if !self.replies.is_empty() {
                    self.deliver_reply(0);
                } else {
                    self.deliver_request(0, Reaction::Accept);
                }
                self.settle();
            }
        }
        self.sent.clear();
        self.commits.clear();
    }
}

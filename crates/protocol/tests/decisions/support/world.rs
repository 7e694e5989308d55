//! One or two nodes, a store, and devices that accept everything.
//!
//! [`World::tell`] and its short forms give one event to one node and return the commands that come out,
//! so that a test can compare them. [`World::perform`] carries out writes; [`World::drive`] carries out
//! everything, until nothing is left to do.

use std::collections::BTreeMap;

use lockstep_protocol::record::Violation;
use lockstep_protocol::record::{Binding, Header, Key, PartStatus, Status, Transaction};
use lockstep_protocol::{
    Answer, Ask, Base, Changes, Client, Command, Compare, Event, Node, Op, Request, Settings,
    Subject, Txn, Verdict, View, Written,
};
use lockstep_types::{
    Configuration as Tree, Connection, ModelDigest, NodeName, Revision, Sequence, Target,
};

use super::build::{connection, index, session, target, time};
use super::{LEASE, N1, NOW, rules};

pub(crate) struct World {
    pub(crate) store: View,
    history: Vec<Changes>,
    nodes: Vec<Node>,
    devices: BTreeMap<Target, Tree>,
    /// What clients were told while driving.
    pub(crate) told: Vec<Command>,
    /// How many writes happened.
    pub(crate) written: usize,
}

impl World {
    /// Nodes with sessions `s1`, `s2`, … and targets bound to models; nothing is connected.
    pub(crate) fn new<const N: usize>(nodes: usize, targets: [&str; N]) -> Self {
        Self::with_settings(nodes, targets, &Settings::default())
    }

    pub(crate) fn with_settings<const N: usize>(
        nodes: usize,
        targets: [&str; N],
        settings: &Settings,
    ) -> Self {
        let mut world = Self {
            store: View::new(),
            history: Vec::new(),
            nodes: Vec::new(),
            devices: BTreeMap::new(),
            told: Vec::new(),
            written: 0,
        };
        let names: Vec<String> = (1..=nodes).map(|number| format!("s{number}")).collect();
        world.change(names.iter().map(|name| Op::Session {
            session: session(name),
            node: NodeName::new(name).expect("a node name"),
        }));
        world.change(targets.map(|name| bound(name, "models-1")));
        for name in &names {
            let mut node = Node::new(session(name), settings.clone(), world.store.clone());
            let mut commands = node.start();
            commands.extend(node.handle(Event::Tick(time(NOW))));
            commands.extend(node.handle(Event::Lease(time(LEASE))));
            assert_eq!(commands, [], "a new node has nothing to do");
            world.nodes.push(node);
        }
        world
    }

    /// One node, connected to its targets and in line with them: term 1, connection 1, two requests so
    /// far on each.
    pub(crate) fn ready<const N: usize>(targets: [&str; N]) -> Self {
        let mut world = Self::new(1, targets);
        for name in targets {
            world.connect_and_drive(N1, name, 1);
        }
        world.written = 0;
        world
    }

    pub(crate) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    pub(crate) fn transaction(&self, at: u64) -> &Transaction {
        self.store.transaction(index(at)).expect("an entry of the log")
    }

    pub(crate) fn status(&self, at: u64) -> Status {
        self.transaction(at).status
    }

    pub(crate) fn part(&self, at: u64, on: &str) -> PartStatus {
        self.transaction(at).part(&target(on))
    }

    pub(crate) fn header(&self, on: &str) -> Header {
        self.store.header(&target(on)).clone()
    }

    /// What a verdict on a target would be reached on now.
    pub(crate) fn base(&self, on: &str) -> Base {
        let binding = self.store.binding(&target(on)).expect("a binding");
        Base { configuration: self.store.decided_at(&target(on)), models: binding.models.clone() }
    }

    pub(crate) fn device(&mut self, on: &str) -> &mut Tree {
        self.devices.entry(target(on)).or_default()
    }

    // What happens to a node, and what it does about it.

    pub(crate) fn tell(&mut self, at: usize, event: Event) -> Vec<Command> {
        self.nodes[at].handle(event)
    }

    pub(crate) fn submit(&mut self, at: usize, client: u64, request: Request) -> Vec<Command> {
        self.tell(at, Event::Submit { client: Client(client), request })
    }

    pub(crate) fn cancel(&mut self, at: usize, client: u64, entry: u64) -> Vec<Command> {
        self.tell(at, Event::Cancel { client: Client(client), index: index(entry) })
    }

    pub(crate) fn tick(&mut self, at: usize, now: u64) -> Vec<Command> {
        self.tell(at, Event::Tick(time(now)))
    }

    pub(crate) fn connect(&mut self, at: usize, on: &str, link: u64) -> Vec<Command> {
        self.tell(at, Event::Connected { target: target(on), connection: connection(link) })
    }

    pub(crate) fn disconnect(&mut self, at: usize, on: &str, link: u64) -> Vec<Command> {
        self.tell(at, Event::Disconnected { target: target(on), connection: connection(link) })
    }

    /// Answers the one request among these commands.
    pub(crate) fn answer(&mut self, at: usize, asked: &[Command], answer: Answer) -> Vec<Command> {
        let (target, connection, sequence) = sent(asked);
        self.tell(at, Event::Answered { target, connection, sequence, answer })
    }

    /// yang's word on the one question among these commands.
    pub(crate) fn verdict(
        &mut self,
        at: usize,
        asked: &[Command],
        violations: Vec<Violation>,
    ) -> Vec<Command> {
        let (subject, verdict) = asked_of_yang(asked, violations);
        self.tell(at, Event::Verdict { subject, verdict })
    }

    pub(crate) fn valid(&mut self, at: usize, asked: &[Command]) -> Vec<Command> {
        self.verdict(at, asked, Vec::new())
    }

    // The store.

    /// A write as it should be: these records unchanged, these compares besides, these operations.
    pub(crate) fn txn<const N: usize>(
        &self,
        unchanged: [Key; N],
        others: impl IntoIterator<Item = Compare>,
        ops: impl IntoIterator<Item = Op>,
    ) -> Txn {
        let unchanged = unchanged.into_iter().map(|key| {
            let revision = self.store.version(&key);
            Compare::Unchanged(key, revision)
        });
        let mut compares: Vec<Compare> = unchanged.chain(others).collect();
        compares.sort();
        Txn { compares, ops: ops.into_iter().collect() }
    }

    /// Changes the store from outside; no node has heard of it yet.
    pub(crate) fn change(&mut self, ops: impl IntoIterator<Item = Op>) -> Revision {
        let ops: Vec<Op> = ops.into_iter().collect();
        rules::check(&self.store, &ops);
        let changes = Changes { revision: self.store.revision().next(), ops };
        self.store.absorb(&changes);
        self.history.push(changes);
        self.store.revision()
    }

    /// Carries out a write; the node has not heard of it yet.
    pub(crate) fn write(&mut self, txn: &Txn) -> Written {
        if !txn.compares.iter().all(|compare| self.store.holds(compare)) {
            return Written::Stale(self.store.revision());
        }
        self.written += 1;
        Written::Done(self.change(txn.ops.iter().cloned()))
    }

    /// Tells a node what it has not seen of the store.
    pub(crate) fn watch(&mut self, at: usize) -> Vec<Command> {
        let seen = self.nodes[at].view().revision();
        let unseen: Vec<Changes> =
            self.history.iter().filter(|changes| changes.revision > seen).cloned().collect();
        unseen.into_iter().flat_map(|changes| self.tell(at, Event::Watch(changes))).collect()
    }

    /// Carries out the one write among these commands and tells the node; what it does next.
    pub(crate) fn perform(&mut self, at: usize, commands: &[Command]) -> Vec<Command> {
        let mut writes = commands.iter().filter_map(|command| match command {
            Command::Write { wake, txn } => Some((wake.clone(), txn)),
            _ => None,
        });
        let (Some((wake, txn)), None) = (writes.next(), writes.next()) else {
            panic!("not one write: {commands:#?}");
        };
        let result = self.write(txn);
        let mut next = self.tell(at, Event::Written { wake, result });
        next.extend(self.watch(at));
        next
    }

    /// Carries out everything until nothing is left: writes happen, what is asked is valid, devices
    /// accept. Answers to clients are kept in `told`.
    pub(crate) fn drive(&mut self, at: usize, commands: Vec<Command>) {
        let mut left = std::collections::VecDeque::from(commands);
        let mut steps = 0;
        while let Some(command) = left.pop_front() {
            steps += 1;
            assert!(steps < 500, "no end of it: {command:?}");
            let one = [command];
            left.extend(match &one[0] {
                Command::Write { .. } => self.perform(at, &one),
                Command::Validate { .. } => self.valid(at, &one),
                Command::Send { target, ask, .. } => {
                    let answer = self.device_answers(&target.clone(), ask);
                    self.answer(at, &one, answer)
                }
                Command::Close { target, connection } => {
                    let (target, connection) = (target.clone(), *connection);
                    self.tell(at, Event::Disconnected { target, connection })
                }
                Command::Answer { .. } => {
                    self.told.extend(one);
                    Vec::new()
                }
            });
        }
    }

    pub(crate) fn connect_and_drive(&mut self, at: usize, on: &str, link: u64) {
        let commands = self.connect(at, on, link);
        self.drive(at, commands);
    }

    pub(crate) fn submit_and_drive(&mut self, at: usize, client: u64, request: Request) {
        let commands = self.submit(at, client, request);
        self.drive(at, commands);
    }

    /// Submits, has it found valid, and has the append written. What the node does next.
    pub(crate) fn commit(&mut self, at: usize, client: u64, request: Request) -> Vec<Command> {
        let asked = self.submit(at, client, request);
        let append = self.valid(at, &asked);
        self.perform(at, &append)
    }

    fn device_answers(&mut self, on: &Target, ask: &Ask) -> Answer {
        let device = self.devices.entry(on.clone()).or_default();
        match ask {
            Ask::Claim => Answer::Accepted,
            Ask::Read => Answer::Values(device.clone()),
            Ask::Set(delta) => {
                device.apply_values(delta);
                Answer::Accepted
            }
        }
    }
}

/// The binding of a target to models.
pub(crate) fn bound(on: &str, models: &str) -> Op {
    let models = ModelDigest::new(models).expect("a digest");
    Op::Binding { target: target(on), binding: Binding { models } }
}

fn sent(commands: &[Command]) -> (Target, Connection, Sequence) {
    let mut sent = commands.iter().filter_map(|command| match command {
        Command::Send { target, connection, sequence, .. } => {
            Some((target.clone(), *connection, *sequence))
        }
        _ => None,
    });
    match (sent.next(), sent.next()) {
        (Some(one), None) => one,
        _ => panic!("not one request: {commands:#?}"),
    }
}

fn asked_of_yang(commands: &[Command], violations: Vec<Violation>) -> (Subject, Verdict) {
    let mut asked = commands.iter().filter_map(|command| match command {
        Command::Validate { subject, checks } => Some((subject.clone(), checks)),
        _ => None,
    });
    match (asked.next(), asked.next()) {
        (Some((subject, checks)), None) => {
            let bases = checks.iter().map(|(on, check)| (on.clone(), check.base.clone())).collect();
            (subject, Verdict { bases, violations })
        }
        _ => panic!("not one question: {commands:#?}"),
    }
}

//! One or two nodes, a store, and devices that accept everything.
//!
//! [`World::tell`] and its short forms give one event to one node and return the commands that come out,
//! so that a test can compare them. [`World::perform`] carries out writes; [`World::drive`] carries out
//! everything, until nothing is left to do.

mod driving;
mod events;
mod store;

use std::collections::BTreeMap;

use lockstep_protocol::record::{Binding, Header, Initial, PartStatus, Status, Transaction};
use lockstep_protocol::{Base, Changes, Command, Event, Node, Op, Settings, View};
use lockstep_types::{Configuration as Tree, ModelDigest, NodeName, Target};

use super::build::{index, session, target, time};
use super::{LEASE, N1, NOW};

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
    /// Nodes with sessions `s1`, `s2`, … and targets bound to models; nothing is connected. Whoever has a
    /// target keeps it.
    pub(crate) fn new<const N: usize>(nodes: usize, targets: [&str; N]) -> Self {
        let settings = Settings { spread: false, ..Settings::default() };
        Self::with_settings(nodes, targets, &settings)
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
            let connects = |command: &Command| matches!(command, Command::Connect(_));
            assert!(
                commands.iter().all(connects),
                "a new node has nothing else to do: {commands:?}"
            );
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
}

/// The binding of a target to models. What its device has when it is first met is taken away.
pub(crate) fn bound(on: &str, models: &str) -> Op {
    let models = ModelDigest::new(models).expect("a digest");
    let binding = Binding { initial: Initial::Replace, ..Binding::of(models) };
    Op::Binding { target: target(on), binding }
}

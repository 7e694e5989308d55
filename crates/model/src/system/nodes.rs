//! Nodes: starting, dying, losing their lease, falling behind.

use lockstep_protocol::{Changes, Op};
use lockstep_protocol::{Command, Event, Node, Retention, Settings};
use lockstep_types::{Connection, NodeName, SessionId, Timestamp};

use super::{System, record};
use crate::scenario::Scenario;
use crate::trace::line::Saw;

/// A node and what is between it and the store.
#[derive(Clone, Debug)]
pub struct Running {
    /// The real core; none while the node is down.
    pub core: Option<Node>,
    /// How often it started.
    pub start: u8,
    /// What the store has told it that it has not taken in.
    pub inbox: Vec<Event>,
    /// It hears nothing from the store.
    pub deaf: bool,
    /// The last connection number given out.
    pub connection: Connection,
}

impl Running {
    /// Whether it lost its lease and does not know.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.deaf && self.core.is_some()
    }
}

#[expect(clippy::expect_used, reason = "a name made here")]
pub(super) fn session(node: usize, start: u8) -> SessionId {
    SessionId::new(format!("n{node}.{start}")).expect("a short plain name")
}

#[expect(clippy::expect_used, reason = "a name made here")]
fn name(node: usize) -> NodeName {
    NodeName::new(format!("n{node}")).expect("a short plain name")
}

/// More than anything may set off that happens at once.
const ENOUGH: usize = 2_000;

/// No waiting in the model: a retry may come at any moment. Except on a device that insists, which
/// would be tried for ever.
fn settings(scenario: &Scenario) -> Settings {
    let backoff = u64::from(scenario.is_stubborn());
    let production = Settings::default();
    let records_per_write = if scenario.small { 1 } else { production.records_per_write };
    let retention = scenario.keeps.map_or(production.retention, |transactions| Retention {
        transactions,
        step: 1,
        ..production.retention
    });
    Settings {
        spread: scenario.spread,
        records_per_write,
        records_per_append: records_per_write,
        retention,
        backoff,
        backoff_doublings: 0,
        ..production
    }
}

impl System {
    pub(super) fn start_nodes(&mut self) {
        for node in 0..self.scenario.nodes {
            self.nodes.push(Running {
                core: None,
                start: 0,
                inbox: Vec::new(),
                deaf: false,
                connection: Connection::ZERO,
            });
            self.start_node(node);
        }
    }

    /// A node starts, in a new session, with what the store holds.
    pub(super) fn start_node(&mut self, node: usize) {
        let running = &mut self.nodes[node];
        running.start += 1;
        running.deaf = false;
        running.inbox.clear();
        let session = session(node, running.start);
        self.announce(vec![Op::Session { session: session.clone(), node: name(node) }]);
        if let Some(record) = &mut self.record {
            record.begin(name(node), session.clone(), &settings(&self.scenario), &self.store);
        }
        let view = self.kept.as_ref().map_or_else(|| self.store.clone(), |kept| kept.load());
        let mut core = Node::new(session, settings(&self.scenario), view.as_read());
        let lease = Event::Lease(Timestamp::new(u64::MAX));
        let first = [Saw::Event(Event::Tick(self.now)), Saw::Event(lease), Saw::Start];
        let commands = first
            .into_iter()
            .flat_map(|saw| record::step(&mut self.record, &mut core, saw))
            .collect();
        self.nodes[node].core = Some(core);
        self.run(node, commands);
    }

    /// A write by the store itself or by a node that is not part of the protocol's decisions.
    pub(super) fn announce(&mut self, ops: Vec<Op>) {
        let changes = Changes { revision: self.store.revision().next(), ops };
        self.take(&changes);
        if let Some(record) = &mut self.record {
            record.outside(&changes);
        }
        self.watch(&changes);
    }

    pub(super) fn end_session(&mut self, node: usize) {
        let session = session(node, self.nodes[node].start);
        if self.store.is_alive(&session) {
            self.announce(vec![Op::EndSession(session)]);
        }
    }

    /// A node dies. What it had sent to the store may still arrive.
    pub(super) fn crash(&mut self, node: usize) {
        self.nodes[node].core = None;
        self.nodes[node].inbox.clear();
        self.news.retain(|(to, _)| *to != node);
        self.requests.iter_mut().filter(|flight| flight.node == node).for_each(|flight| {
            flight.orphan = true;
        });
        self.drop_orphans();
        self.replies.retain(|reply| reply.node != node);
        self.questions.retain(|question| question.node != node);
    }

    /// The node's lease is gone; it hears nothing and acts on, as far as its own count of it allows.
    pub(super) fn lose_lease(&mut self, node: usize) {
        if self.scenario.honest {
            self.tell(node, Event::Lease(self.now));
        }
        self.nodes[node].deaf = true;
        self.end_session(node);
    }

    /// A node takes in what it has not heard yet.
    pub(super) fn catch_up(&mut self, node: usize) {
        self.nodes[node].deaf = false;
        for event in std::mem::take(&mut self.nodes[node].inbox) {
            self.tell(node, event);
        }
    }

    /// A node is about to learn something, after what it is about to learn already.
    pub(super) fn tell(&mut self, node: usize, event: Event) {
        self.news.push_back((node, event));
    }

    /// Every node takes in what it is about to learn, and acts.
    pub(super) fn settle(&mut self) {
        let mut steps = 0;
        while let Some((node, event)) = self.news.pop_front() {
            steps += 1;
            if steps > ENOUGH {
                self.restless = true;
                self.news.clear();
            }
            let commands: Vec<Command> = match &mut self.nodes[node].core {
                Some(core) => record::step(&mut self.record, core, Saw::Event(event)),
                None => continue,
            };
            self.run(node, commands);
        }
    }

    /// Brings news of the store to a node, now or when it hears again.
    pub(super) fn tell_of_store(&mut self, node: usize, event: Event) {
        if self.nodes[node].core.is_none() {
            return;
        }
        if self.nodes[node].deaf {
            self.nodes[node].inbox.push(event);
        } else {
            self.tell(node, event);
        }
    }

    pub(super) fn watch(&mut self, changes: &Changes) {
        for node in 0..self.nodes.len() {
            self.tell_of_store(node, Event::Watch(changes.clone()));
        }
    }
}

//! A node taken through the same steps again.

use std::collections::BTreeMap;

use lockstep_protocol::{Base, Command, Event, Node, Reply, Subject, View};
use lockstep_types::{NodeName, SessionId, Target, Timestamp};

use crate::trace::difference::Difference;
use crate::trace::finding::Reason;
use crate::trace::line::{Saw, Settings, Step, context};

/// The real core, fed with what a node saw.
#[derive(Debug)]
pub(super) struct Replica {
    /// The node's name.
    pub(super) name: NodeName,
    node: Node,
    steps: u64,
    asked: BTreeMap<Subject, BTreeMap<Target, Base>>,
}

impl Replica {
    pub(super) fn new(name: NodeName, session: SessionId, settings: Settings, view: &View) -> Self {
        let node = Node::new(session, settings.into(), view.as_read());
        Self { name, node, steps: 0, asked: BTreeMap::new() }
    }

    /// The store as the node knows it.
    pub(super) fn view(&self) -> &View {
        self.node.view()
    }

    /// Whether a step is the next of this node, and whether it can have seen this: what concerns only
    /// the node and the world around it, not the store or a device.
    pub(super) fn may_see(&mut self, step: &Step) -> Result<(), Reason> {
        let expected = self.steps + 1;
        if step.number != expected {
            return Err(Reason::Missing { expected });
        }
        self.steps = expected;
        let Saw::Event(event) = &step.saw else { return Ok(()) };
        let connection_of = |target| self.node.desk().link(target).map(|link| link.connection);
        match event {
            Event::Tick(to) => self.in_time(*to),
            Event::Verdict { subject, verdict } => match self.asked.remove(subject) {
                Some(bases) if bases == verdict.bases => Ok(()),
                _ => Err(Reason::Unasked(subject.clone())),
            },
            Event::Connected { target, connection } => match connection_of(target) {
                Some(last) if last >= *connection => {
                    let (target, connection) = (target.clone(), *connection);
                    Err(Reason::OldConnection { target, connection })
                }
                _ => Ok(()),
            },
            Event::Disconnected { target, connection } => match connection_of(target) {
                Some(last) if last >= *connection => Ok(()),
                _ => {
                    let (target, connection) = (target.clone(), *connection);
                    Err(Reason::NoConnection { target, connection })
                }
            },
            _ => Ok(()),
        }
    }

    fn in_time(&self, to: Timestamp) -> Result<(), Reason> {
        let from = self.node.desk().now();
        if to < from { Err(Reason::ClockBack { from, to }) } else { Ok(()) }
    }

    /// Takes the step, and holds it against what the node did.
    pub(super) fn take(&mut self, step: &Step) -> Result<(), Reason> {
        let did = match &step.saw {
            Saw::Start => self.node.start(),
            Saw::Event(event) => self.node.handle(event.clone()),
        };
        step.did.iter().try_for_each(|command| self.is_so(command))?;
        if let Some(mut difference) = Difference::between(&did, &step.did) {
            difference.at.insert_str(0, "did");
            return Err(Reason::NotTheProtocol(difference));
        }
        self.account(step, &did)?;
        for command in did {
            if let Command::Validate { subject, checks } = command {
                let bases = checks.into_iter().map(|(target, check)| (target, check.base));
                self.asked.insert(subject, bases.collect());
            }
        }
        Ok(())
    }

    /// A client is told only what the store holds.
    fn is_so(&self, command: &Command) -> Result<(), Reason> {
        let Command::Answer { client, reply: Reply::Transaction { index, status } } = command
        else {
            return Ok(());
        };
        let holds = self.view().transaction(*index).map(|transaction| transaction.status);
        if holds == Some(*status) {
            return Ok(());
        }
        let (client, index, told) = (*client, *index, *status);
        Err(Reason::Told { client, index, told, holds, revision: self.view().revision() })
    }

    /// What a step says of itself besides follows from the rest.
    fn account(&self, step: &Step, did: &[Command]) -> Result<(), Reason> {
        let mut right = step.clone();
        right.context = context(&step.saw, did);
        right.read = self.view().revision();
        right.written = step.saw.written();
        match Difference::between(&right, step) {
            None => Ok(()),
            Some(difference) => Err(Reason::Account(difference)),
        }
    }
}

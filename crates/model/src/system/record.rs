//! A run in writing, as the product would write it.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_protocol::{Answer, Changes, Command, Node, Settings, View};
use lockstep_types::{Configuration as Tree, Connection, NodeName, SessionId, Target, Term};

use super::Flight;
use crate::trace::line::{Device, Doing, Header, Journal, Line, Nodes, Saw, Took, begin};

/// What happened, line by line.
#[derive(Clone, Debug)]
pub struct Record {
    lines: Vec<Line>,
    journals: BTreeMap<SessionId, Journal>,
    /// Who opened a connection: a request may land when its node has long begun anew.
    opened: BTreeMap<(usize, Connection), SessionId>,
}

/// Lets a node take a step, and puts it into writing where that is wanted.
pub(super) fn step(record: &mut Option<Box<Record>>, node: &mut Node, saw: Saw) -> Vec<Command> {
    match (record, saw) {
        (Some(record), saw) => record.step(node, saw),
        (None, Saw::Start) => node.start(),
        (None, Saw::Event(event)) => node.handle(event),
    }
}

impl Record {
    /// A record that begins with an empty store, and with devices of which these listen to anyone.
    pub(super) fn new(unfenced: BTreeSet<Target>) -> Self {
        let header = Header { unfenced, ..Header::new(Nodes::All, Vec::new()) };
        let lines = vec![Line::Header(header)];
        Self { lines, journals: BTreeMap::new(), opened: BTreeMap::new() }
    }

    /// The lines so far, which are then no longer here.
    pub fn take(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    pub(super) fn begin(&mut self, name: NodeName, id: SessionId, set: &Settings, view: &View) {
        self.lines.push(begin(name, id, set, view));
    }

    fn step(&mut self, node: &mut Node, saw: Saw) -> Vec<Command> {
        let journal = self.journals.entry(node.session().clone()).or_default();
        let (commands, line) = journal.step(node, saw);
        self.lines.push(line);
        commands
    }

    pub(super) fn outside(&mut self, changes: &Changes) {
        self.lines.push(Line::Outside(changes.clone()));
    }

    pub(super) fn connected(&mut self, node: usize, connection: Connection, session: &SessionId) {
        self.opened.insert((node, connection), session.clone());
    }

    pub(super) fn took(&mut self, flight: &Flight, answer: &Answer) {
        let Some(session) = self.opened.get(&(flight.node, flight.connection)) else { return };
        let took = Took {
            session: session.clone(),
            connection: flight.connection,
            sequence: flight.sequence,
            term: flight.term,
            ask: flight.ask.clone(),
            answer: answer.clone(),
        };
        self.device(&flight.target, Doing::Took(took));
    }

    pub(super) fn started(&mut self, target: &Target, values: &Tree) {
        self.device(target, Doing::Started(values.clone()));
    }

    pub(super) fn changed(&mut self, target: &Target, values: &Tree) {
        self.device(target, Doing::Changed(values.clone()));
    }

    pub(super) fn listens(&mut self, target: &Target, term: Term) {
        self.device(target, Doing::Listens(term));
    }

    fn device(&mut self, target: &Target, did: Doing) {
        self.lines.push(Line::Device(Device { target: target.clone(), did }));
    }
}

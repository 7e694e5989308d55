//! What happens to a node, and what it does about it.

use std::collections::BTreeMap;

use lockstep_protocol::record::Violation;
use lockstep_protocol::{Answer, Check, Client, Command, Event, Request, Subject, Verdict};
use lockstep_types::{Connection, Sequence, Target};

use super::World;
use crate::support::build::{connection, id, index, target, time};

impl World {
    pub(crate) fn tell(&mut self, at: usize, event: Event) -> Vec<Command> {
        self.nodes[at].handle(event)
    }

    pub(crate) fn submit(&mut self, at: usize, client: u64, request: Request) -> Vec<Command> {
        self.tell(at, Event::Submit { client: Client(client), request, verdict: None })
    }

    /// As [`World::submit`], by somebody who has asked yang on what the node knows now, and found it valid.
    pub(crate) fn submit_judged(
        &mut self,
        at: usize,
        client: u64,
        request: Request,
    ) -> Vec<Command> {
        let checks = self.nodes[at].view().checks(&request.body);
        let bases = |checks: BTreeMap<Target, Check>| {
            checks.into_iter().map(|(on, c)| (on, c.base)).collect()
        };
        let verdict = checks.map(|checks| Verdict { bases: bases(checks), violations: Vec::new() });
        self.tell(at, Event::Submit { client: Client(client), request, verdict })
    }

    pub(crate) fn cancel(&mut self, at: usize, client: u64, entry: u64) -> Vec<Command> {
        let author = "canceller".into();
        self.tell(at, Event::Cancel { client: Client(client), index: index(entry), author })
    }

    pub(crate) fn confirm(&mut self, at: usize, client: u64, entry: u64) -> Vec<Command> {
        self.tell(at, Event::Confirm { client: Client(client), index: index(entry) })
    }

    pub(crate) fn leave(&mut self, at: usize, client: u64, name: &str) -> Vec<Command> {
        self.tell(at, Event::Leave { client: Client(client), id: id(name) })
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

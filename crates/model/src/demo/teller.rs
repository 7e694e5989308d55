//! Makes sentences from the lines of a trace.

use std::collections::BTreeMap;

use lockstep_protocol::record::{Header, PartStatus, Status, Transaction};
use lockstep_protocol::{Changes, Command, Event, Op, View};
use lockstep_types::{NodeName, SessionId, Target, Term};

use super::words;
use crate::trace::line::{Device, Doing, Line, Saw, Step};

/// A sentence, and who it is about.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    /// Who.
    pub(super) who: String,
    /// What.
    pub(super) what: String,
}

fn sentence(who: impl ToString, what: impl Into<String>) -> Sentence {
    Sentence { who: who.to_string(), what: what.into() }
}

/// What has been told so far.
#[derive(Debug, Default)]
pub(super) struct Teller {
    /// The store as it was told of: every revision is told once, whoever sees it first.
    store: View,
    nodes: BTreeMap<SessionId, NodeName>,
}

impl Teller {
    /// What a line of the trace tells that was not told before.
    pub(super) fn tell(&mut self, line: &Line) -> Vec<Sentence> {
        match line {
            Line::Header(_) | Line::Store(_) => Vec::new(),
            Line::Begin(begin) => {
                self.nodes.insert(begin.session.clone(), begin.node.clone());
                Vec::new()
            }
            Line::Outside(changes) => self.store(changes),
            Line::Step(step) => self.step(step),
            Line::Device(device) => vec![self.device(device)],
        }
    }

    fn node(&self, session: &SessionId) -> String {
        self.nodes.get(session).map_or_else(|| session.to_string(), NodeName::to_string)
    }

    fn step(&mut self, step: &Step) -> Vec<Sentence> {
        let mut told = match &step.saw {
            Saw::Event(Event::Submit { request, .. }) => {
                let asked = words::request(request);
                vec![sentence("client", format!("asks {}, {asked}", self.node(&step.session)))]
            }
            Saw::Event(Event::Watch(changes)) => self.store(changes),
            Saw::Event(Event::Disconnected { target, .. }) => {
                vec![sentence(target, format!("{} has lost it", self.node(&step.session)))]
            }
            Saw::Event(Event::Connected { target, .. }) => {
                vec![sentence(target, format!("{} is connected to it", self.node(&step.session)))]
            }
            _ => Vec::new(),
        };
        told.extend(step.did.iter().filter_map(|command| match command {
            Command::Answer { reply, .. } => {
                Some(sentence("client", format!("is told: {}", words::reply(reply))))
            }
            _ => None,
        }));
        told
    }

    fn device(&self, device: &Device) -> Sentence {
        match &device.did {
            Doing::Started(values) => {
                sentence(&device.target, format!("starts, with {}", words::values(values)))
            }
            Doing::Changed(values) => sentence(
                &device.target,
                format!("is changed by somebody else, to {}", words::values(values)),
            ),
            Doing::Listens(term) => {
                sentence(&device.target, format!("listens to somebody else, from term {term} on"))
            }
            Doing::Took(took) => {
                let (ask, answer) = (words::ask(&took.ask), words::answer(&took.answer));
                let node = self.node(&took.session);
                let what = format!("{node}, term {}: {ask} -> {answer}", took.term);
                sentence(&device.target, what)
            }
        }
    }

    /// What one write changed, in one sentence.
    fn store(&mut self, changes: &Changes) -> Vec<Sentence> {
        let before = self.store.clone();
        self.store.absorb(changes);
        if self.store.revision() == before.revision() {
            return Vec::new();
        }
        let told = changes.ops.iter().filter_map(|op| self.op(&before, op));
        let told = told.collect::<Vec<_>>().join("; ");
        if told.is_empty() { Vec::new() } else { vec![sentence("store", told)] }
    }

    fn op(&self, before: &View, op: &Op) -> Option<String> {
        match op {
            Op::Transaction(now) => transaction(before.transaction(now.index), now),
            Op::Configuration { target, header, .. } => {
                synchronised(target, before.header(target), header)
            }
            Op::Mastership { target, mastership } => Some(match &mastership.session {
                Some(session) => {
                    let node = self.node(session);
                    format!("{node} is master of {target} in term {}", mastership.term)
                }
                None => format!("{target} has no master"),
            }),
            Op::EndSession(session) => Some(format!("the session of {} ends", self.node(session))),
            _ => None,
        }
    }
}

/// What changed about a transaction.
fn transaction(before: Option<&Transaction>, now: &Transaction) -> Option<String> {
    let mut changed = Vec::new();
    for (target, part) in now.targets.iter() {
        let was = before.map_or(PartStatus::Pending, |before| before.part(target));
        if was != part.status {
            changed.push(format!("{} {target}", words::part(part.status)));
        }
    }
    if before.map(|before| before.status) != Some(now.status) {
        changed.push(match now.status {
            Status::Committed if now.is_atomic() => {
                format!("committed, and holds {}", words::names(now.targets.keys()))
            }
            Status::Committed => format!("committed on {}", words::names(now.targets.keys())),
            Status::Reverting => "it turns".into(),
            status if status.is_final() => format!("outcome {}", status.name()),
            status => status.name().into(),
        });
    }
    let told = format!("transaction {} {}", now.index, changed.join(", "));
    (!changed.is_empty()).then_some(told)
}

fn synchronised(target: &Target, before: &Header, now: &Header) -> Option<String> {
    match now.synced {
        synced if synced == before.synced => None,
        Term::ZERO => Some(format!("{target} must be read again")),
        term => Some(format!("{target} is synchronised in term {term}")),
    }
}

//! Replays a trace, and names the first line that is not allowed.
//!
//! ```text
//!   line ──► Checker ──► Replica   the real core: would it have done that?
//!               │  └───► Devices   does the answer belong to a request; who does the device listen to?
//!               └──────► Store     who wrote this revision; did the compares hold?
//!                          └─────► Guarantees   the invariants of the model, on every new revision
//! ```

mod devices;
mod guarantees;
mod replica;
mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

use lockstep_protocol::{Changes, Command, Event, Written};
use lockstep_types::{NodeName, SessionId, Target};

use super::finding::{At, Finding, Reason};
use super::line::{Begin, Device, Doing, Header, Line, Saw, Step};
use super::reader::{self, Lines};
use devices::{Devices, Id};
use guarantees::Guarantees;
use replica::Replica;
use store::{New, Store};

/// Why a trace was not found good.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be read to the end.
    #[error("the trace could not be read")]
    Io(#[from] io::Error),
    /// It cannot have happened.
    #[error(transparent)]
    Found(#[from] Box<Finding>),
}

/// What a good trace was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines.
    pub lines: usize,
    /// Nodes.
    pub nodes: BTreeSet<NodeName>,
    /// Starts of nodes.
    pub sessions: usize,
    /// Steps of nodes.
    pub steps: usize,
    /// Revisions of the store.
    pub revisions: usize,
    /// Those that were held against the guarantees: where the log no longer goes back to its beginning, they cannot be.
    pub held: usize,
    /// Transactions in the log at the end.
    pub transactions: usize,
    /// Requests to devices.
    pub requests: usize,
    /// What is not wrong and worth knowing.
    pub notes: Vec<Note>,
}

/// Something that is not wrong and worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// A device showed other values than it had accepted.
    #[error(
        "line {line}: {target} shows other values than it accepted: it was changed behind our back, or shows some in a form of its own"
    )]
    Drift {
        /// At which line.
        line: usize,
        /// Which device.
        target: Target,
    },
    /// A line is not whole. What it would have told of was not carried out yet; if its node went on all the same, a
    /// step of it is missing.
    #[error("line {line}: cut off, as by the end of the process that wrote it; left out")]
    CutOff {
        /// Which.
        line: usize,
    },
}

/// Checks a trace.
///
/// # Errors
///
/// The first line that is not allowed, or a failure to read.
pub fn check(input: impl BufRead) -> Result<Report, Error> {
    let mut checker: Option<Checker> = None;
    for raw in Lines::new(input) {
        let raw = raw?;
        if raw.text.is_empty() {
            continue;
        }
        let line = raw.number;
        let found = |reason| Box::new(Finding { line, step: None, reason });
        let Some(checker) = &mut checker else {
            let header = reader::header(&raw.text).and_then(Checker::new);
            checker = Some(header.map_err(found)?);
            continue;
        };
        match reader::line(&raw.text) {
            Ok(read) => checker.take(line, read)?,
            Err(_) if !raw.ended || reader::is_cut_off(&raw.text) => {
                checker.report.notes.push(Note::CutOff { line })
            }
            Err(reason) => return Err(found(reason).into()),
        }
    }
    let no_header = Finding { line: 1, step: None, reason: Reason::NoHeader };
    Ok(checker.ok_or(Box::new(no_header))?.finish()?)
}

/// A trace as far as it was read.
#[derive(Debug)]
struct Checker {
    store: Store,
    nodes: BTreeMap<SessionId, Replica>,
    devices: Devices,
    guarantees: Guarantees,
    report: Report,
}

impl Checker {
    fn new(header: Header) -> Result<Self, Reason> {
        let store = Store::new(header.nodes, &header.store)?;
        Ok(Self {
            guarantees: Guarantees::new(store.latest()),
            store,
            nodes: BTreeMap::new(),
            devices: Devices::new(header.unfenced),
            report: Report { lines: 1, ..Report::default() },
        })
    }

    fn finish(mut self) -> Result<Report, Box<Finding>> {
        let line = self.report.lines;
        self.guarantees.end().map_err(|reason| Box::new(Finding { line, step: None, reason }))?;
        self.report.transactions = self.store.latest().transactions().count();
        Ok(self.report)
    }

    fn take(&mut self, number: usize, line: Line) -> Result<(), Box<Finding>> {
        self.report.lines += 1;
        let step = match &line {
            Line::Step(step) => Some(At {
                node: self.nodes.get(&step.session).map(|replica| replica.name.clone()),
                session: step.session.clone(),
                number: step.number,
            }),
            _ => None,
        };
        let result = match line {
            Line::Header(_) => Err(Reason::SecondHeader),
            Line::Outside(changes) => self.store.saw(&changes).and_then(|new| self.hold(new)),
            Line::Store(content) => self.found(&content),
            Line::Begin(begin) => self.begin(begin),
            Line::Step(step) => self.step(number, &step),
            Line::Device(device) => self.device(number, &device),
        };
        result.map_err(|reason| Box::new(Finding { line: number, step, reason }))
    }

    /// New revisions are held against the invariants.
    fn hold(&mut self, new: impl IntoIterator<Item = New>) -> Result<(), Reason> {
        new.into_iter().try_for_each(|new| {
            self.report.revisions += 1;
            self.report.held += usize::from(self.guarantees.hold(new)?);
            Ok(())
        })
    }

    /// The store as a node found it when it began, which had not watched for a while.
    fn found(&mut self, content: &[Changes]) -> Result<(), Reason> {
        self.store.found(content)?;
        self.guarantees.go_on(self.store.latest());
        Ok(())
    }

    fn begin(&mut self, begin: Begin) -> Result<(), Reason> {
        let Begin { session, node, read, settings } = begin;
        let new = self.store.catch_up()?;
        self.hold(new)?;
        let Some(view) = self.store.at(read) else {
            return Err(Reason::Ahead { read, known: self.store.latest().revision() });
        };
        if !view.is_alive(&session) {
            return Err(Reason::NoSession(session));
        }
        if self.nodes.contains_key(&session) {
            return Err(Reason::SessionAgain(session));
        }
        let replica = Replica::new(node.clone(), session.clone(), settings, view);
        // One start of a node ends before the next.
        let earlier = self.nodes.iter().filter(|(_, replica)| replica.name == node);
        earlier.for_each(|(session, _)| self.store.ended(session));
        self.nodes.insert(session, replica);
        self.report.nodes.insert(node);
        self.report.sessions += 1;
        Ok(())
    }

    /// First whether this can have been seen, then whether this was to be done.
    fn step(&mut self, number: usize, step: &Step) -> Result<(), Reason> {
        self.report.steps += 1;
        let unknown = || Reason::UnknownSession(step.session.clone());
        self.nodes.get_mut(&step.session).ok_or_else(unknown)?.may_see(step)?;
        if let Saw::Event(event) = &step.saw {
            self.seen(number, &step.session, event)?;
        }
        self.nodes.get_mut(&step.session).ok_or_else(unknown)?.take(step)?;
        step.did.iter().for_each(|command| self.done(&step.session, command));
        Ok(())
    }

    /// What a node saw of the store and of devices.
    fn seen(&mut self, line: usize, session: &SessionId, event: &Event) -> Result<(), Reason> {
        match event {
            Event::Watch(changes) => {
                let seen = self.nodes.get(session).map(|replica| replica.view().revision());
                self.store.is_unbroken(seen.unwrap_or_default(), changes.revision)?;
                let new = self.store.saw(changes)?;
                self.hold(new)
            }
            Event::Written { wake, result: Written::Done(revision) } => {
                self.store.done(session, wake, *revision)
            }
            Event::Written { wake, result: Written::Stale(_) } => self.store.stale(session, wake),
            Event::Disconnected { target, connection } => {
                self.devices.gone(session, target, *connection);
                Ok(())
            }
            Event::Answered { target, connection, sequence, answer } => {
                let (session, target) = (session.clone(), target.clone());
                let (connection, sequence) = (*connection, *sequence);
                let id = Id { session, target, connection, sequence };
                // What the device was found to do, whatever was thought of it when the trace began.
                let fenced = self.store.latest().header(&id.target).fenced != Some(false);
                let drift = self.devices.answered(&id, answer, fenced)?;
                self.note_drift(drift, line, &id.target);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What a node is about to do.
    fn done(&mut self, session: &SessionId, command: &Command) {
        match command {
            Command::Write { wake, txn } => self.store.wrote(session, wake, txn),
            Command::Send { target, connection, sequence, term, ask } => {
                let (session, target) = (session.clone(), target.clone());
                let (connection, sequence) = (*connection, *sequence);
                self.devices.sent(Id { session, target, connection, sequence }, *term, ask);
                self.report.requests += 1;
            }
            Command::Close { target, connection } => {
                self.devices.gone(session, target, *connection);
            }
            Command::Answer { .. } => self.guarantees.told(command),
            Command::Validate { .. } | Command::Connect(_) | Command::Disconnect(_) => {}
        }
    }

    fn device(&mut self, line: usize, device: &Device) -> Result<(), Reason> {
        match &device.did {
            Doing::Started(values) => self.devices.started(&device.target, values),
            Doing::Changed(values) => self.devices.changed(&device.target, values),
            Doing::Listens(term) => self.devices.listens(&device.target, *term),
            Doing::Took(took) => {
                let drift = self.devices.took(&device.target, took)?;
                self.note_drift(drift, line, &device.target);
            }
        }
        Ok(())
    }

    fn note_drift(&mut self, drift: bool, line: usize, target: &Target) {
        if drift {
            self.report.notes.push(Note::Drift { line, target: target.clone() });
        }
    }
}

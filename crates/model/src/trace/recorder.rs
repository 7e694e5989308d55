//! Writing a trace while a node runs.

use std::io;

use lockstep_protocol::{Command, Event, Node, Settings, View};
use lockstep_types::{NodeName, SessionId};

use super::line::{Begin, Line, Saw, Step, context};

/// Writes lines to a file, or wherever bytes go.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
}

impl<W: io::Write> Writer<W> {
    /// A trace that goes there.
    pub fn new(out: W) -> Self {
        Self { out }
    }

    /// Writes one line, whole, in one go.
    ///
    /// # Errors
    ///
    /// What the writer says.
    pub fn write(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.out.write_all(&text)
    }

    /// Gives the writer back, with everything in it.
    ///
    /// # Errors
    ///
    /// What the writer says.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
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

/// A node whose every step is written down before it is carried out.
#[derive(Debug)]
pub struct Recorder<W> {
    node: Node,
    journal: Journal,
    writer: Writer<W>,
}

impl<W: io::Write> Recorder<W> {
    /// A node that has loaded this view and begun its session. The trace has its header, and the
    /// store it tells of is this view.
    ///
    /// # Errors
    ///
    /// What the writer says.
    pub fn begin(
        name: NodeName,
        session: SessionId,
        settings: Settings,
        view: View,
        mut writer: Writer<W>,
    ) -> io::Result<Self> {
        writer.write(&begin(name, session.clone(), &settings, &view))?;
        let node = Node::new(session, settings, view);
        Ok(Self { node, journal: Journal::default(), writer })
    }

    /// As [`Node::start`].
    ///
    /// # Errors
    ///
    /// What the writer says. The step was taken all the same.
    pub fn start(&mut self) -> io::Result<Vec<Command>> {
        self.step(Saw::Start)
    }

    /// As [`Node::handle`].
    ///
    /// # Errors
    ///
    /// What the writer says. The step was taken all the same.
    pub fn handle(&mut self, event: Event) -> io::Result<Vec<Command>> {
        self.step(Saw::Event(event))
    }

    fn step(&mut self, saw: Saw) -> io::Result<Vec<Command>> {
        let (did, line) = self.journal.step(&mut self.node, saw);
        self.writer.write(&line)?;
        Ok(did)
    }

    /// The node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Ends the trace.
    ///
    /// # Errors
    ///
    /// What the writer says.
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }
}

/// The line of a node that begins on this view.
#[must_use]
pub fn begin(name: NodeName, session: SessionId, settings: &Settings, view: &View) -> Line {
    Line::Begin(Begin { session, node: name, read: view.revision(), settings: settings.into() })
}

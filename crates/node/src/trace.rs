//! Every step of the core in writing, to be held against the protocol afterwards.
//!
//! Several nodes write to one file, each line whole and at its end. A node writes its line before it carries out what
//! the line says, so lines stand in an order in which they can have happened, whoever wrote them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use lockstep_protocol::trace::{Header, Journal, Line, Nodes, Saw, begin};
use lockstep_protocol::{Changes, Command, Node, Settings, View};
use lockstep_store::{Records, Watch};
use lockstep_types::{NodeName, Revision};
use tokio::time::{Instant, sleep};

/// How much is read at once when the last line of a file is looked for.
const CHUNK: u64 = 64 * 1024;

/// How long the first line of a file is waited for that another node has just made.
const BEGINNING: Duration = Duration::from_secs(5);
/// How often it is looked for.
const POLL: Duration = Duration::from_millis(20);

/// Why a trace cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be written or read.
    #[error("the trace cannot be written")]
    Io(#[from] io::Error),
    /// The store cannot be read.
    #[error("the store cannot be read")]
    Store(#[from] lockstep_store::Error),
    /// It goes on where this store never was.
    #[error(
        "the trace is of another store: it knows of revision {known}, and this store is at {is}; name another file"
    )]
    Ahead {
        /// What the trace knows.
        known: Revision,
        /// Where the store is.
        is: Revision,
    },
    /// It is of something else.
    #[error("the last line of the file is none of a trace; name another")]
    Foreign,
}

/// The trace of one session.
#[derive(Debug)]
pub(crate) struct Trace {
    file: File,
    journal: Journal,
    /// The store is known to the trace up to here.
    known: Revision,
}

impl Trace {
    /// Opens a trace, before this node writes anything to the store: a new one if there is none.
    pub(crate) async fn open(path: &Path, records: &Records) -> Result<Self, TraceError> {
        let mut options = OpenOptions::new();
        // It holds every value there is.
        options.append(true).read(true).mode(0o600);
        let journal = Journal::default();
        match options.clone().create_new(true).open(path) {
            Ok(mut file) => {
                let content = records.content().await?;
                let known = last(&content)?;
                write(&mut file, &Line::Header(Header::new(Nodes::All, content)))?;
                Ok(Self { file, journal, known })
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut file = options.open(path)?;
                let known = known(&last_line_of(&mut file).await?)?;
                Ok(Self { file, journal, known })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A node is about to begin on this view. What was written since the trace was last written to, by this node before
    /// it began or by one that has ended since, is taken from the store. Where that is not kept, the store is written down
    /// as it is by now, and the node is to know as much: what it began on before that, nobody could be told of.
    pub(crate) async fn catch_up(
        &mut self,
        records: &Records,
        view: &mut View,
        following: &mut Watch,
    ) -> Result<(), TraceError> {
        if self.known > view.revision() {
            return Err(TraceError::Ahead { known: self.known, is: view.revision() });
        }
        let mut watch = match records.watch(self.known).await {
            // What lies between is not kept.
            Err(lockstep_store::Error::Compacted { .. }) => {
                let content = records.content().await?;
                self.known = last(&content)?;
                write(&mut self.file, &Line::Store(content))?;
                while view.revision() < self.known {
                    view.absorb(&following.next().await.ok_or(lockstep_store::Error::Closed)??);
                }
                // As a node that reads all of it now would know it.
                *view = view.as_read();
                records.watch(self.known).await?
            }
            watch => watch?,
        };
        while self.known < view.revision() {
            let changes = watch.next().await.ok_or(lockstep_store::Error::Closed)??;
            self.known = changes.revision;
            write(&mut self.file, &Line::Outside(changes))?;
        }
        Ok(())
    }

    /// It begins.
    pub(crate) fn begin(
        &mut self,
        name: &NodeName,
        view: &View,
        settings: &Settings,
        session: &lockstep_types::SessionId,
    ) -> Result<(), TraceError> {
        Ok(write(&mut self.file, &begin(name.clone(), session.clone(), settings, view))?)
    }

    /// Lets the core take a step, and writes it down.
    pub(crate) fn step(&mut self, core: &mut Node, saw: Saw) -> (Vec<Command>, io::Result<()>) {
        let (commands, line) = self.journal.step(core, saw);
        (commands, write(&mut self.file, &line))
    }
}

/// Writes a line at the end, in one go. It begins with the end of the line before, which a process that was killed may
/// not have written.
fn write(file: &mut File, line: &Line) -> io::Result<()> {
    let mut text = vec![b'\n'];
    serde_json::to_writer(&mut text, line)?;
    text.push(b'\n');
    file.write_all(&text)
}

/// The last line that is whole; waits for the first, which whoever made the file is about to write.
async fn last_line_of(file: &mut File) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + BEGINNING;
    loop {
        let line = last_line(file)?;
        if !line.is_empty() || Instant::now() > deadline {
            return Ok(line);
        }
        sleep(POLL).await;
    }
}

/// The last line that is whole; empty: there is none.
fn last_line(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut from = length;
    loop {
        from = from.saturating_sub(CHUNK.max(length - from));
        file.seek(SeekFrom::Start(from))?;
        let mut end = Vec::new();
        file.take(length - from).read_to_end(&mut end)?;
        let lines: Vec<&[u8]> = end.split(|byte| *byte == b'\n').collect();
        // The first may have begun earlier, and after the last nothing has ended.
        let first = usize::from(from > 0);
        let whole = &lines[first.min(lines.len() - 1)..lines.len() - 1];
        let readable = |line: &&&[u8]| serde_json::from_slice::<Line>(line).is_ok();
        if let Some(found) = whole.iter().rev().find(readable) {
            return Ok(found.to_vec());
        }
        if from == 0 {
            return Ok(Vec::new());
        }
    }
}

/// The revision of a store with this content.
fn last(content: &[Changes]) -> Result<Revision, TraceError> {
    content.last().map(|last| last.revision).ok_or(TraceError::Foreign)
}

/// How far the store is known by a line.
fn known(line: &[u8]) -> Result<Revision, TraceError> {
    match serde_json::from_slice(line).map_err(|_| TraceError::Foreign)? {
        Line::Header(header) => last(&header.store),
        Line::Store(content) => last(&content),
        Line::Outside(changes) => Ok(changes.revision),
        Line::Begin(begin) => Ok(begin.read),
        Line::Step(step) => Ok(step.read),
        Line::Device(_) => Err(TraceError::Foreign),
    }
}

#[cfg(test)]
mod tests;

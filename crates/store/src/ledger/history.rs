//! The latest revisions, for watchers and for reads in the past. Bounded: whoever falls behind its
//! beginning has to load again.

use std::collections::{BTreeMap, VecDeque};

use lockstep_types::Revision;

use crate::Error;
use crate::kv::{Bytes, Commit, Entry, Event, Range};

/// How many revisions are kept: minutes of a busy node, so that a watcher that is behind them is not
/// slow but gone.
const REVISIONS: usize = 16_384;
/// How many bytes they may hold together.
const BYTES: usize = 64 << 20;

/// A revision, and what stood before it at each key it changed.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) commit: Commit,
    pub(super) before: Vec<Option<Entry>>,
}

impl Change {
    fn bytes(&self) -> usize {
        let entry = |entry: &Entry| entry.key.len() + entry.value.len();
        let after = self.commit.events.iter().map(|event| match event {
            Event::Put(put) => entry(put),
            Event::Delete(key) => key.len(),
        });
        after.sum::<usize>() + self.before.iter().flatten().map(entry).sum::<usize>()
    }
}

/// Keys that have changed since a revision, as they stood then.
pub(super) type Past = BTreeMap<Bytes, Option<Entry>>;

#[derive(Debug)]
pub(super) struct History {
    /// The revision before the first that is kept; the oldest that can be read.
    oldest: Revision,
    /// The last that is durable. Later ones are being written.
    published: Revision,
    changes: VecDeque<Change>,
    bytes: usize,
}

impl History {
    pub(super) fn new(revision: Revision) -> Self {
        Self { oldest: revision, published: revision, changes: VecDeque::new(), bytes: 0 }
    }

    /// Takes in revisions that are about to be made durable.
    pub(super) fn prepare(&mut self, changes: Vec<Change>) {
        self.bytes += changes.iter().map(Change::bytes).sum::<usize>();
        self.changes.extend(changes);
    }

    /// They are durable. What has become too much goes, the last one never.
    pub(super) fn publish(&mut self, revision: Revision) {
        self.published = revision;
        while self.changes.len() > 1 && (self.changes.len() > REVISIONS || self.bytes > BYTES) {
            if let Some(gone) = self.changes.pop_front() {
                self.bytes -= gone.bytes();
                self.oldest = gone.commit.revision;
            }
        }
    }

    fn place(&self, after: Revision) -> Result<usize, Error> {
        let distance = after.get().checked_sub(self.oldest.get());
        let distance = distance.ok_or(Error::Compacted { asked: after, oldest: self.oldest })?;
        Ok(usize::try_from(distance).unwrap_or(usize::MAX))
    }

    /// The durable revision that follows this one, if there is one yet.
    pub(super) fn next(&self, after: Revision) -> Result<Option<Commit>, Error> {
        let next = self.changes.get(self.place(after)?).map(|change| &change.commit);
        Ok(next.filter(|commit| commit.revision <= self.published).cloned())
    }

    /// At which revision a range is read by someone who sees the store at `seen`, and what was
    /// different then. Without a wish: the last durable one.
    pub(super) fn past(&self, range: &Range, seen: Revision) -> Result<(Revision, Past), Error> {
        let current = seen.min(self.published);
        let at = range.revision.unwrap_or(current);
        if at > current {
            return Err(Error::Future { asked: at, current });
        }
        let later = self.changes.iter().skip(self.place(at)?);
        let mut past = Past::new();
        for change in later.take_while(|change| change.commit.revision <= seen) {
            for (event, before) in change.commit.events.iter().zip(&change.before) {
                if range.contains(event.key()) {
                    past.entry(event.key().clone()).or_insert_with(|| before.clone());
                }
            }
        }
        Ok((at, past))
    }
}

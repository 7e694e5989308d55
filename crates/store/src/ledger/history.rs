//! The latest revisions, for watchers and for reads in the past. Bounded: whoever falls behind its
//! beginning has to load again. What every watcher has seen is soon let go of, so that it costs memory only while
//! somebody lags behind.

use std::collections::{BTreeMap, VecDeque};

use lockstep_types::Revision;

use crate::Error;
use crate::kv::{Bytes, Commit, Entry, Event, Range};

/// How many revisions are kept: minutes of a busy node, so that a watcher that is behind them is not
/// slow but gone.
const REVISIONS: usize = 16_384;
/// How much memory they may take together.
const BYTES: usize = 64 << 20;
/// How much of that those may take that every watcher has seen.
const SEEN: usize = 4 << 20;
/// What an entry takes beside its bytes: its fields, in the change and before it, and what two allocations need.
const ENTRY: usize = 160;

/// A revision, and what stood before it at each key it changed.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) commit: Commit,
    pub(super) before: Vec<Option<Entry>>,
}

impl Change {
    fn bytes(&self) -> usize {
        let entry = |entry: &Entry| entry.key.len() + entry.value.len() + ENTRY;
        let after = self.commit.events.iter().map(|event| match event {
            Event::Put(put) => entry(put),
            Event::Delete(key) => key.len() + ENTRY,
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
    /// How far each watcher is.
    watchers: BTreeMap<Watcher, Revision>,
    next: Watcher,
}

/// One who watches, by number.
pub(super) type Watcher = u64;

impl History {
    pub(super) fn new(revision: Revision) -> Self {
        Self {
            oldest: revision,
            published: revision,
            changes: VecDeque::new(),
            bytes: 0,
            watchers: BTreeMap::new(),
            next: 0,
        }
    }

    /// Takes in revisions that are about to be made durable.
    pub(super) fn prepare(&mut self, changes: Vec<Change>) {
        self.bytes += changes.iter().map(Change::bytes).sum::<usize>();
        self.changes.extend(changes);
    }

    /// They are durable. What has become too much goes, the last one never.
    pub(super) fn publish(&mut self, revision: Revision) {
        self.published = revision;
        self.let_go();
    }

    fn let_go(&mut self) {
        let seen = self.watchers.values().copied().min().unwrap_or(self.published);
        while self.changes.len() > 1
            && let Some(first) = self.changes.front().map(|change| change.commit.revision)
            && self.is_too_much(first <= seen)
            && let Some(gone) = self.changes.pop_front()
        {
            self.bytes -= gone.bytes();
            self.oldest = gone.commit.revision;
        }
    }

    fn is_too_much(&self, seen: bool) -> bool {
        let room = if seen { SEEN } else { BYTES };
        self.changes.len() > REVISIONS || self.bytes > room
    }

    /// Someone watches from here on.
    pub(super) fn watch(&mut self, after: Revision) -> Watcher {
        self.next += 1;
        self.watchers.insert(self.next, after);
        self.next
    }

    /// A watcher has seen this revision.
    pub(super) fn seen(&mut self, watcher: Watcher, revision: Revision) {
        self.watchers.insert(watcher, revision);
    }

    /// A watcher is gone.
    pub(super) fn left(&mut self, watcher: Watcher) {
        self.watchers.remove(&watcher);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A history in which each of these revisions wrote a megabyte.
    fn after(watchers: &[u64], revisions: std::ops::RangeInclusive<u64>) -> History {
        let mut history = History::new(Revision::ZERO);
        for watcher in watchers {
            let watcher_is = history.watch(Revision::ZERO);
            history.seen(watcher_is, Revision::new(*watcher));
        }
        for revision in revisions.map(Revision::new) {
            let (key, value) = (Bytes::from(*b"a"), Bytes::from(vec![0; 1 << 20]));
            let put = Event::Put(Entry { key, value, revision, lease: None });
            let commit = Commit { revision, events: [put].into() };
            history.prepare(vec![Change { commit, before: vec![None] }]);
            history.publish(revision);
        }
        history
    }

    #[test]
    fn what_all_watchers_have_seen_is_soon_let_go_of() {
        assert_eq!(after(&[], 1..=40).changes.len(), 3);
        assert_eq!(after(&[40, 40], 1..=40).changes.len(), 3);
    }

    #[test]
    fn what_one_of_them_has_yet_to_see_is_kept_up_to_the_limit() {
        let mut history = after(&[40, 10], 1..=40);
        assert_eq!(history.oldest, Revision::new(10));
        assert!(history.next(Revision::new(10)).unwrap().is_some());
        assert!(history.next(Revision::new(9)).is_err(), "both have seen it");
        history.left(2);
        history.publish(Revision::new(40));
        assert_eq!(history.changes.len(), 3, "it is gone");
        assert_eq!(after(&[10], 1..=100).changes.len(), 63, "however far behind somebody is");
    }
}

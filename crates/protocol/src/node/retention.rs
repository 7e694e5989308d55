//! Retention: the horizon moves along with the log, and what lies behind it is forgotten, a few records at
//! a time.

use lockstep_types::{Index, Timestamp};

use super::Node;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::Wake;
use crate::record::{Horizon, Key};

/// How much of the log is kept. An entry goes when it is beyond either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Retention {
    /// The latest so many entries.
    pub transactions: u64,
    /// Those that are not older than this, in nanoseconds.
    pub age: u64,
    /// By how many entries the horizon moves at least, so that not every Set moves it.
    pub step: u64,
}

/// How many entries the horizon passes at once, at the most.
const AT_MOST: usize = 4096;

/// How many records are forgotten at once, at the most: few writes, none of which others wait for long behind.
const FORGOTTEN: usize = 512;

const DAY: u64 = 24 * 3_600 * 1_000_000_000;

impl Default for Retention {
    fn default() -> Self {
        Self { transactions: 100_000, age: 90 * DAY, step: 1_000 }
    }
}

impl Node {
    /// Where the horizon moves to with an append that makes `head` the end of the log; none: it stays.
    /// Written with the append, it meets no entry that was not looked at.
    pub(super) fn horizon_with(&self, head: Index) -> Option<Horizon> {
        let Retention { transactions, age, step } = self.settings.retention;
        let horizon = self.view.horizon();
        let beyond = Index::new(head.get().saturating_sub(transactions));
        let old = |index: Index| {
            let entry = self.view.transaction(index);
            entry.is_some_and(|entry| entry.submitted < before(self.desk.now, age))
        };
        let far = Index::new(horizon.get().saturating_add(step));
        let wanted = if beyond >= far {
            beyond
        } else if old(far) {
            // The log is in the order of time: whatever is as old as this may go.
            far
        } else {
            return None;
        };
        let next = self.view.next_horizon(wanted.min(self.view.head().index), AT_MOST);
        (next.index > horizon).then_some(next)
    }

    /// Forgets what lies behind the horizon. One node does that for all.
    pub(super) fn wake_retention(&mut self, out: &mut Vec<Command>) {
        if self.view.sessions().next() != Some(&self.session) {
            return;
        }
        let mut draft = Draft::new(&self.view);
        let records = self.view.forgettable().flat_map(|entry| self.view.records_of(entry));
        let at_most = self.settings.records_per_append.clamp(2, FORGOTTEN);
        records.take(at_most).for_each(|key| draft.forget(key));
        if draft.is_empty() {
            return;
        }
        draft.depends_on(Key::Horizon);
        let txn = draft.txn();
        self.write(Wake::Retention, txn, out);
    }
}

fn before(now: Timestamp, age: u64) -> Timestamp {
    Timestamp::new(now.get().saturating_sub(age))
}

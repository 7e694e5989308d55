//! One page of keys at a revision: the engine's map, with what was different then laid over it.

use std::iter::Peekable;
use std::{collections::btree_map, mem};

use lockstep_types::Revision;

use super::history::Past;
use super::{Ledger, lock, rows};
use crate::Error;
use crate::engine::{Fault, Reading};
use crate::kv::{Bytes, Entry, Page, Range};

/// How many keys a page holds at the most.
const ENTRIES: usize = 4_096;
/// After how many bytes a page ends.
const BYTES: usize = 1 << 20;

impl Ledger {
    /// Reads a page. Takes as long as the disk does.
    pub(crate) fn page(&self, range: &Range) -> Result<Page, Error> {
        let mut answer = Err(Error::Closed);
        self.with_engine(|engine| {
            engine.read(&mut |map| {
                let seen = rows::revision(map)?;
                let past = lock(&self.history).past(range, seen);
                answer = match past {
                    Ok((revision, past)) => Ok(read(map, range, revision, past)?),
                    Err(error) => Err(error),
                };
                Ok(())
            })
        })?;
        answer
    }
}

fn read(map: &dyn Reading, range: &Range, at: Revision, past: Past) -> Result<Page, Fault> {
    let mut gather = Gather::new(range.limit, past);
    let mut fault = None;
    let until = range.until.as_deref().map_or_else(rows::beyond, rows::row);
    map.scan(
        &rows::row(&range.from),
        Some(&until),
        &mut |row, value| match rows::entry(row, value) {
            Ok(entry) => gather.now(entry),
            Err(damaged) => {
                fault = Some(damaged);
                false
            }
        },
    )?;
    fault.map_or_else(|| Ok(gather.page(at)), Err)
}

/// A page in the making.
struct Gather {
    past: Peekable<btree_map::IntoIter<Bytes, Option<Entry>>>,
    room: usize,
    bytes: usize,
    entries: Vec<Entry>,
    next: Option<Vec<u8>>,
}

impl Gather {
    fn new(limit: usize, past: Past) -> Self {
        let room = if limit == 0 { ENTRIES } else { limit.min(ENTRIES) };
        let past = past.into_iter().peekable();
        Self { past, room, bytes: 0, entries: Vec::new(), next: None }
    }

    /// Takes in the next key as it stands now, after those that stood before it then. Whether there
    /// is room for more.
    fn now(&mut self, entry: Entry) -> bool {
        while let Some((_, then)) = self.past.next_if(|(key, _)| *key < entry.key) {
            if !self.take(then) {
                return false;
            }
        }
        let then = self.past.next_if(|(key, _)| *key == entry.key);
        self.take(then.map_or(Some(entry), |(_, then)| then))
    }

    fn take(&mut self, entry: Option<Entry>) -> bool {
        let Some(entry) = entry else { return true };
        if self.entries.len() == self.room || self.bytes > BYTES {
            self.next = Some(entry.key.to_vec());
            return false;
        }
        self.bytes += entry.key.len() + entry.value.len();
        self.entries.push(entry);
        true
    }

    fn page(mut self, revision: Revision) -> Page {
        while self.next.is_none()
            && let Some((_, then)) = self.past.next()
        {
            self.take(then);
        }
        Page { revision, entries: mem::take(&mut self.entries), next: self.next }
    }
}

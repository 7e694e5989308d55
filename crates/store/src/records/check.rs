//! Looking at everything a store holds, without changing anything.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_protocol::Op;
use lockstep_protocol::record::Key;
use lockstep_types::{Index, Revision, Target};

use super::decode::{self, Stored};
use super::key::Name;
use super::pool::Pool;
use super::value::Elsewhere;
use super::{LEVEL, body, fold, format};
use crate::kv::{Entry, Range};
use crate::{Error, Store};

/// How many keys of a kind there are, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Keys.
    pub keys: u64,
    /// Bytes of keys and values.
    pub bytes: u64,
}

/// What was found in a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The revision at which it was looked at.
    pub revision: Revision,
    /// Its format level.
    pub level: u32,
    /// Its epoch.
    pub epoch: u64,
    /// What it holds, by kind.
    pub kinds: BTreeMap<&'static str, Count>,
    /// Parts of long values that no record names: left by a process that was cut off. Harmless.
    pub unused: Count,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// Reads everything in a store and says what is there and what is wrong with it.
///
/// # Errors
/// The store is not ours, is of a later version, was not imported to its end, or cannot be read at
/// all.
pub async fn check(store: &dyn Store) -> Result<Checked, Error> {
    let level = match format::level(store, LEVEL).await? {
        Some((_, level)) => level,
        None if format::is_empty(store).await? => return Err(Error::Empty),
        None => return Err(format::unowned(store).await?),
    };
    let epoch = format::epoch(store).await?.get();
    let mut look =
        Look { found: Checked { level, epoch, ..Checked::default() }, ..Look::default() };
    let mut next = Some(Range::all());
    while let Some(range) = next {
        let page = store.range(range.clone()).await?;
        next = range.after(&page);
        look.found.revision = page.revision;
        for entry in page.entries {
            look.entry(store, entry).await?;
        }
    }
    look.trees(store).await?;
    Ok(look.end())
}

#[derive(Default)]
struct Look {
    found: Checked,
    head: Index,
    horizon: Index,
    transactions: BTreeSet<Index>,
    /// Transactions that others name, and who does.
    named: BTreeMap<Index, String>,
    configurations: BTreeSet<Target>,
    pieces: BTreeSet<Target>,
    parts: BTreeMap<(Vec<u8>, u64), Count>,
}

impl Look {
    fn problem(&mut self, problem: impl ToString) {
        self.found.problems.push(problem.to_string());
    }

    async fn entry(&mut self, store: &dyn Store, mut entry: Entry) -> Result<(), Error> {
        let bytes = (entry.key.len() + entry.value.len()) as u64;
        let name = match Name::parse(&entry.key) {
            Ok(name) => name,
            Err(error) => {
                self.problem(error);
                return Ok(());
            }
        };
        let count = self.found.kinds.entry(name.kind()).or_default();
        (count.keys, count.bytes) = (count.keys + 1, count.bytes + bytes);
        if entry.revision > self.found.revision {
            self.problem(format_args!("the record {} is ahead of the store", text(&entry.key)));
        }
        if let Name::Body(key, unique, _) = &name {
            let count = self.parts.entry((key.to_vec(), *unique)).or_default();
            (count.keys, count.bytes) = (count.keys + 1, count.bytes + bytes);
            return Ok(());
        }
        match body::resolve(store, self.found.revision, &mut entry).await {
            Ok(Some(Elsewhere { unique, .. })) => {
                self.parts.remove(&(entry.key.to_vec(), unique));
            }
            Ok(None) => {}
            Err(error @ Error::Unreadable { .. }) => {
                self.problem(error);
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        match decode::stored(&entry.key, &entry.value) {
            Ok(stored) => self.stored(name, stored),
            Err(error) => self.problem(error),
        }
        Ok(())
    }

    fn stored(&mut self, name: Name, stored: Stored) {
        match (name, stored) {
            (_, Stored::Record(Op::Head(head))) => self.head = head.index,
            (_, Stored::Record(Op::Horizon(horizon))) => self.horizon = horizon.index,
            (_, Stored::Record(Op::Id { id, index })) => {
                self.named.insert(index, format!("the id {id}"));
            }
            (Name::Record(Key::Transaction(index)), Stored::Record(Op::Transaction(found))) => {
                if found.index != index {
                    self.problem(format_args!("transaction {index} says it is {}", found.index));
                }
                self.transactions.insert(index);
            }
            (_, Stored::Record(Op::Proposal { index, target, .. })) => {
                self.named.insert(index, format!("the proposal of {index} on {target}"));
            }
            (_, Stored::Record(Op::Part { index, target, .. })) => {
                self.named.insert(index, format!("the part of {index} on {target}"));
            }
            (_, Stored::Header(target, _)) => {
                self.configurations.insert(target);
            }
            (
                _,
                Stored::Delta(target, ..) | Stored::Snapshot(target, _) | Stored::Chunk(target, ..),
            ) => {
                self.pieces.insert(target);
            }
            (_, Stored::Record(_) | Stored::Note) => {}
        }
    }

    /// Puts the trees of every configuration together, one at a time.
    async fn trees(&mut self, store: &dyn Store) -> Result<(), Error> {
        for target in self.pieces.clone() {
            if !self.configurations.contains(&target) {
                self.problem(format_args!(
                    "there are values of {target}, which has no configuration"
                ));
            }
            let pieces = fold::read(store, &target, Some(self.found.revision)).await;
            match pieces.and_then(|pieces| pieces.trees(&target, &mut Pool::default())) {
                Ok(_) => {}
                Err(error @ Error::Unreadable { .. }) => self.problem(error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn end(mut self) -> Checked {
        let head = self.head;
        if self.transactions.last().is_some_and(|last| *last > head) {
            self.problem(format_args!("the log ends at {head}, and there are transactions beyond"));
        }
        if self.horizon > head {
            let horizon = self.horizon;
            self.problem(format_args!(
                "the log ends at {head}, and is kept only from {horizon} on"
            ));
        }
        let beyond = self.transactions.range(self.horizon.next()..=head.max(self.horizon.next()));
        let (found, whole) = (beyond.count() as u64, head.get().saturating_sub(self.horizon.get()));
        if found < whole {
            let missing = whole - found;
            self.problem(format_args!("{missing} of the transactions up to {head} are not there"));
        }
        for (index, who) in std::mem::take(&mut self.named) {
            if !self.transactions.contains(&index) {
                self.problem(format_args!("{who} names transaction {index}, which is not there"));
            }
        }
        for count in self.parts.values() {
            self.found.unused.keys += count.keys;
            self.found.unused.bytes += count.bytes;
        }
        self.found
    }
}

fn text(key: &[u8]) -> String {
    crate::kv::text(key)
}

//! What this process wrote, for its own watch: a store in this process tells of the very bytes that it was given, and
//! what they say is known without reading them again.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lockstep_protocol::Op;

use crate::kv::{self, Bytes, Commit, Event};
use crate::ledger::lock;

/// Writes that are under way or have yet to be watched, by where the last of their values lies in memory.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// How many watch. With none nobody would fetch what is kept; of several, one fetches it and the others read.
    watches: AtomicUsize,
    written: Mutex<HashMap<usize, Written>>,
}

/// A write. As long as it is kept here, nothing else lies where its value does.
#[derive(Debug)]
struct Written {
    _value: Bytes,
    ops: Vec<Op>,
}

/// What a write is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark(usize);

fn place(value: &Bytes) -> usize {
    value.as_ptr().addr()
}

impl Own {
    /// Somebody watches from now on.
    pub(super) fn followed(&self) {
        self.watches.fetch_add(1, Ordering::Relaxed);
    }

    /// Somebody watches no more.
    pub(super) fn left(&self) {
        if self.watches.fetch_sub(1, Ordering::Relaxed) == 1 {
            lock(&self.written).clear();
        }
    }

    /// Keeps what is about to be written, until it is watched or was not written after all.
    pub(super) fn keep(&self, txn: &kv::Txn, ops: Vec<Op>) -> Option<Mark> {
        let value = txn.ops.iter().rev().find_map(|op| match op {
            kv::Op::Put { value, .. } => Some(value),
            kv::Op::Delete(_) => None,
        });
        let value = value.filter(|_| self.watches.load(Ordering::Relaxed) > 0)?;
        let at = place(value);
        lock(&self.written).insert(at, Written { _value: Bytes::clone(value), ops });
        Some(Mark(at))
    }

    /// It was not written, or the store may tell of it in its own words.
    pub(super) fn forget(&self, mark: Option<Mark>) {
        if let Some(Mark(at)) = mark {
            lock(&self.written).remove(&at);
        }
    }

    /// What a revision says, if it is a write of ours.
    pub(super) fn fetch(&self, commit: &Commit) -> Option<Vec<Op>> {
        let value = commit.events.iter().rev().find_map(|event| match event {
            Event::Put(entry) => Some(&entry.value),
            Event::Delete(_) => None,
        });
        lock(&self.written).remove(&place(value?)).map(|written| written.ops)
    }
}

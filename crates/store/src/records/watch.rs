//! The watch, in the words of `protocol`.

use std::collections::BTreeMap;

use lockstep_protocol::{Changes, Op};
use lockstep_types::Target;

use super::decode::{self, Stored};
use super::value::Delta;
use crate::kv::{Commit, Event};
use crate::{Error, Feed};

/// What is written to the records, revision by revision.
#[derive(Debug)]
pub struct Watch {
    feed: Option<Box<dyn Feed>>,
}

impl Watch {
    pub(super) fn new(feed: Box<dyn Feed>) -> Self {
        Self { feed: Some(feed) }
    }

    /// The next revision, once it is there. None: the store was closed, or there was an error before.
    ///
    /// An error ends the watch. [`Error::Compacted`] says that it was too slow: what it missed is no
    /// longer kept, and the reader has to load and watch from there.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<Changes, Error>> {
        let next = self.feed.as_mut()?.next().await.and_then(|commit| changes(&commit));
        if next.is_err() {
            self.feed = None;
        }
        match next {
            Err(Error::Closed) => None,
            next => Some(next),
        }
    }
}

fn changes(commit: &Commit) -> Result<Changes, Error> {
    let mut ops = Vec::new();
    let mut deltas: BTreeMap<Target, Delta> = BTreeMap::new();
    for event in &*commit.events {
        match event {
            Event::Delete(key) => ops.extend(decode::removed(key)?),
            Event::Put(entry) => match decode::written(&entry.key, &entry.value)? {
                Stored::Record(op) => ops.push(op),
                Stored::Header(target, header) => {
                    let (committed, applied) = Default::default();
                    ops.push(Op::Configuration { target, header, committed, applied });
                }
                Stored::Delta(target, _, delta) => {
                    deltas.insert(target, delta);
                }
                Stored::Snapshot(..) | Stored::Chunk(..) | Stored::Note => {}
            },
        }
    }
    for op in &mut ops {
        if let Op::Configuration { target, committed, applied, .. } = op
            && let Some(delta) = deltas.remove(target)
        {
            (*committed, *applied) = (delta.committed, delta.applied);
        }
    }
    Ok(Changes { revision: commit.revision, ops })
}

//! The watch, in the words of `protocol`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use lockstep_protocol::{Changes, Op};
use lockstep_types::Target;

use super::decode::{self, Stored};
use super::pool::Pool;
use super::value::{Delta, Elsewhere};
use super::{Inner, body};
use crate::kv::{Commit, Event};
use crate::{Error, Feed};

/// What is written to the records, revision by revision.
#[derive(Debug)]
pub struct Watch {
    inner: Weak<Inner>,
    feed: Option<Box<dyn Feed>>,
    /// What the feed has given and nobody has had yet, for whoever drops [`Watch::next`] half-way.
    pending: Option<Commit>,
    pool: Pool,
}

impl Watch {
    pub(super) fn new(inner: &Arc<Inner>, feed: Box<dyn Feed>) -> Self {
        inner.own.followed();
        Self {
            inner: Arc::downgrade(inner),
            feed: Some(feed),
            pending: None,
            pool: Pool::default(),
        }
    }

    /// The next revision, once it is there. None: the store was closed, or there was an error before.
    ///
    /// An error ends the watch. [`Error::Compacted`] says that it was too slow: what it missed is no
    /// longer kept, and the reader has to load and watch from there.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<Changes, Error>> {
        let feed = self.feed.as_mut()?;
        let next = next(&self.inner, feed, &mut self.pending, &mut self.pool).await;
        if next.is_err() {
            self.feed = None;
        }
        match next {
            Err(Error::Closed) => None,
            next => Some(next),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.upgrade() {
            inner.own.left();
        }
    }
}

async fn next(
    inner: &Weak<Inner>,
    feed: &mut Box<dyn Feed>,
    pending: &mut Option<Commit>,
    pool: &mut Pool,
) -> Result<Changes, Error> {
    if pending.is_none() {
        *pending = Some(feed.next().await?);
    }
    let commit = pending.as_ref().ok_or(Error::Closed)?;
    let ops = match inner.upgrade().and_then(|inner| inner.own.fetch(commit)) {
        Some(ops) => ops,
        None => {
            let whole = whole(inner, commit).await?;
            read(&whole)?
        }
    };
    let revision = commit.revision;
    let changes = Changes { revision, ops: ops.into_iter().map(|op| pool.record(op)).collect() };
    pool.settle();
    *pending = None;
    Ok(changes)
}

/// A revision with its long values in their places.
async fn whole<'c>(inner: &Weak<Inner>, commit: &'c Commit) -> Result<Cow<'c, Commit>, Error> {
    if commit.events.iter().any(is_elsewhere) {
        let inner = inner.upgrade().ok_or(Error::Closed)?;
        return Ok(Cow::Owned(fetch(&inner, commit).await?));
    }
    Ok(Cow::Borrowed(commit))
}

fn is_elsewhere(event: &Event) -> bool {
    match event {
        Event::Put(entry) => !matches!(Elsewhere::read(&entry.key, &entry.value), Ok(None)),
        Event::Delete(_) => false,
    }
}

/// The same revision with its long values in their places.
async fn fetch(inner: &Inner, commit: &Commit) -> Result<Commit, Error> {
    let mut events = commit.events.to_vec();
    for event in &mut events {
        if let Event::Put(entry) = event
            && let Some(place) = body::resolve(&*inner.store, commit.revision, entry).await?
        {
            inner.bodies.note(&entry.key, Some(place));
        }
    }
    Ok(Commit { revision: commit.revision, events: events.into() })
}

/// What the bytes of a revision say.
fn read(commit: &Commit) -> Result<Vec<Op>, Error> {
    let mut ops = Vec::new();
    let mut deltas: BTreeMap<Target, Delta> = BTreeMap::new();
    for event in &*commit.events {
        match event {
            Event::Delete(key) => ops.extend(decode::removed(key)?),
            Event::Put(entry) => match decode::written(&entry.key, &entry.value)? {
                Stored::Record(op) => ops.push(op),
                Stored::Header(target, header) => {
                    let (committed, applied) = Default::default();
                    let cleared = false;
                    ops.push(Op::Configuration { target, header, committed, applied, cleared });
                }
                Stored::Delta(target, _, delta) => {
                    deltas.insert(target, delta);
                }
                Stored::Snapshot(..) | Stored::Chunk(..) | Stored::Note => {}
            },
        }
    }
    for op in &mut ops {
        if let Op::Configuration { target, committed, applied, cleared, .. } = op
            && let Some(delta) = deltas.remove(target)
        {
            (*committed, *applied, *cleared) = (delta.committed, delta.applied, delta.cleared);
        }
    }
    Ok(ops)
}

//! Everything the store holds, as a view.
//!
//! ```text
//!   pages of records ──► read by other threads ──► view
//!   pages of chunks  ──► trees built by other threads, target by target ──┘
//! ```
//!
//! Chunks are most of a store, so they come last: whatever else there is to know of a target is known
//! by then, and its chunks are gone from memory as soon as its trees stand.

mod workers;

use std::collections::BTreeMap;

use lockstep_protocol::record::{Configuration, Header};
use lockstep_protocol::{Op, View};
use lockstep_types::{Configuration as Tree, Patch, Revision, Target};

use super::Inner;
use super::account::Bulk;
use super::body;
use super::decode::{self, Stored};
use super::key::Name;
use super::pieces::Pieces;
use super::pool::Pool;
use super::value::Elsewhere;
use crate::kv::{Entry, Range};
use crate::{Error, Store};
use workers::Workers;

/// How often a reader that is overtaken by the store's history begins again.
const TRIES: usize = 3;

pub(super) async fn load<S: Sink>(inner: &Inner) -> Result<S, Error> {
    let mut tries = 1;
    loop {
        match Loading::new(inner, S::default()).load().await {
            Err(Error::Compacted { .. }) if tries < TRIES => tries += 1,
            loaded => return loaded,
        }
    }
}

/// Reads a range to its end, at one revision, which is given back. Long values are whole.
pub(super) async fn each(
    store: &dyn Store,
    range: Range,
    mut take: impl FnMut(Entry, Option<Elsewhere>) -> Result<(), Error>,
) -> Result<Revision, Error> {
    let mut pages = Pages { store, rest: Some(range) };
    let mut revision = Revision::ZERO;
    while let Some((at, entries)) = pages.next().await? {
        revision = at;
        entries.into_iter().try_for_each(|(entry, place)| take(entry, place))?;
    }
    Ok(revision)
}

/// A range, page by page.
struct Pages<'a> {
    store: &'a dyn Store,
    rest: Option<Range>,
}

/// Some keys with their values; and where those lie, if elsewhere.
type Entries = Vec<(Entry, Option<Elsewhere>)>;
/// The revision that is read, and some of what stands there.
type Page = (Revision, Entries);

impl Pages<'_> {
    async fn next(&mut self) -> Result<Option<Page>, Error> {
        let Some(range) = self.rest.take() else { return Ok(None) };
        let page = self.store.range(range.clone()).await?;
        self.rest = range.after(&page);
        let mut entries = Vec::with_capacity(page.entries.len());
        for mut entry in page.entries {
            let place = body::resolve(self.store, page.revision, &mut entry).await?;
            entries.push((entry, place));
        }
        Ok(Some((page.revision, entries)))
    }
}

/// What is made of a store that is read.
pub(super) trait Sink: Default {
    /// A record, with the revision of its last write. They come in any order.
    fn record(&mut self, op: Op, revision: Revision);
    /// A configuration, whole.
    fn configuration(&mut self, target: Target, record: Configuration, revision: Revision);
    /// That was all of it, at this revision.
    fn end(&mut self, revision: Revision);
}

impl Sink for View {
    fn record(&mut self, op: Op, revision: Revision) {
        self.restore(op, revision);
    }

    fn configuration(&mut self, target: Target, record: Configuration, revision: Revision) {
        self.restore_configuration(target, record, revision);
    }

    fn end(&mut self, revision: Revision) {
        self.restored(revision);
    }
}

/// Every record by the revision of its last write.
#[derive(Debug, Default)]
pub(super) struct Content(pub(super) BTreeMap<Revision, Vec<Op>>);

impl Sink for Content {
    fn record(&mut self, op: Op, revision: Revision) {
        self.0.entry(revision).or_default().push(op);
    }

    fn configuration(&mut self, target: Target, record: Configuration, revision: Revision) {
        let Configuration { header, committed, applied, .. } = record;
        let (committed, applied) = (whole(&committed), whole(&applied));
        let cleared = false;
        self.record(Op::Configuration { target, header, committed, applied, cleared }, revision);
    }

    fn end(&mut self, revision: Revision) {
        self.0.entry(revision).or_default();
    }
}

/// Every unit of a tree.
fn whole(tree: &Tree) -> Patch {
    tree.units().map(|(path, unit)| (path.clone(), unit.clone())).collect()
}

/// A store that is being read.
struct Loading<'a, S> {
    inner: &'a Inner,
    sink: S,
    workers: Workers<Done>,
    targets: BTreeMap<Target, Read>,
}

/// What was read of a target's configuration.
#[derive(Default)]
struct Read {
    header: Option<(Revision, Header)>,
    /// Its trees, as they came.
    pieces: Vec<Entry>,
}

/// What was made of what was read.
enum Done {
    /// Records.
    Records(Vec<(Stored, Revision)>),
    /// A configuration, and what its pieces come to in the store.
    Configuration(Target, Revision, Box<Configuration>, Bulk),
    /// Pieces that are left of a configuration that is not there.
    Nothing,
}

impl<'a, S: Sink> Loading<'a, S> {
    fn new(inner: &'a Inner, sink: S) -> Self {
        Self { inner, sink, workers: Workers::new(), targets: BTreeMap::new() }
    }

    async fn load(mut self) -> Result<S, Error> {
        let chunks = Range::prefix(Name::CHUNKS);
        let before = Range { until: Some(chunks.from.clone()), ..Range::all() };
        let revision = self.records(before).await?;
        if let Some(from) = chunks.until.clone() {
            self.records(Range { from, ..Range::all() }.at(revision)).await?;
        }
        self.chunks(chunks.at(revision)).await?;
        while let Some(done) = self.workers.next().await? {
            self.take(done);
        }
        self.sink.end(revision);
        Ok(self.sink)
    }

    /// Reads everything in a range that has no chunks in it. The next page is read while one is looked at.
    async fn records(&mut self, range: Range) -> Result<Revision, Error> {
        let mut pages = Pages { store: &*self.inner.store, rest: Some(range) };
        let mut revision = Revision::ZERO;
        let mut page = pages.next().await?;
        while let Some((at, entries)) = page {
            revision = at;
            let (next, looked) = tokio::join!(pages.next(), self.look_at_records(entries));
            looked?;
            page = next?;
        }
        // Headers are among them, and no tree is built before its header is known.
        while let Some(done) = self.workers.next().await? {
            self.take(done);
        }
        Ok(revision)
    }

    async fn look_at_records(&mut self, entries: Entries) -> Result<(), Error> {
        let mut records = Vec::new();
        for (entry, place) in entries {
            self.note(&entry, place);
            match decode::piece_of(&entry.key)? {
                Some(target) => self.targets.entry(target).or_default().pieces.push(entry),
                None => records.push(entry),
            }
        }
        self.give(move |pool| read(records, pool)).await
    }

    /// Reads the chunks, which come target by target, and builds the trees.
    async fn chunks(&mut self, range: Range) -> Result<(), Error> {
        let mut pages = Pages { store: &*self.inner.store, rest: Some(range) };
        let mut last: Option<Target> = None;
        let mut page = pages.next().await?;
        while let Some((_, entries)) = page {
            let (next, looked) =
                tokio::join!(pages.next(), self.look_at_chunks(entries, &mut last));
            looked?;
            page = next?;
        }
        while let Some((target, read)) = self.targets.pop_first() {
            self.give(move |pool| read.build(target, pool)).await?;
        }
        Ok(())
    }

    async fn look_at_chunks(
        &mut self,
        entries: Entries,
        last: &mut Option<Target>,
    ) -> Result<(), Error> {
        for (entry, place) in entries {
            self.note(&entry, place);
            let Some(target) = decode::piece_of(&entry.key)? else { continue };
            let next = last.replace(target.clone());
            if let Some(whole) = next.filter(|last| *last != target) {
                self.build(whole).await?;
            }
            self.targets.entry(target).or_default().pieces.push(entry);
        }
        Ok(())
    }

    async fn build(&mut self, target: Target) -> Result<(), Error> {
        match self.targets.remove(&target) {
            Some(read) => self.give(move |pool| read.build(target, pool)).await,
            None => Ok(()),
        }
    }

    async fn give(
        &mut self,
        work: impl FnOnce(&mut Pool) -> Result<Done, Error> + Send + 'static,
    ) -> Result<(), Error> {
        if let Some(done) = self.workers.give(work).await? {
            self.take(done);
        }
        Ok(())
    }

    fn take(&mut self, done: Done) {
        match done {
            Done::Nothing => {}
            Done::Records(records) => {
                records.into_iter().for_each(|(stored, revision)| self.record(stored, revision));
            }
            Done::Configuration(target, revision, configuration, bulk) => {
                self.inner.accounts.set(&target, bulk);
                self.sink.configuration(target, *configuration, revision);
            }
        }
    }

    fn record(&mut self, stored: Stored, revision: Revision) {
        match stored {
            Stored::Record(op) => self.sink.record(op, revision),
            Stored::Header(target, header) => {
                self.targets.entry(target).or_default().header = Some((revision, header));
            }
            Stored::Note | Stored::Delta(..) | Stored::Snapshot(..) | Stored::Chunk(..) => {}
        }
    }

    fn note(&self, entry: &Entry, place: Option<Elsewhere>) {
        if place.is_some() {
            self.inner.bodies.note(&entry.key, place);
        }
    }
}

fn read(entries: Vec<Entry>, pool: &mut Pool) -> Result<Done, Error> {
    let mut records = Vec::with_capacity(entries.len());
    for entry in entries {
        let stored = match decode::stored(&entry.key, &entry.value)? {
            Stored::Record(op) => Stored::Record(pool.record(op)),
            other => other,
        };
        records.push((stored, entry.revision));
    }
    Ok(Done::Records(records))
}

impl Read {
    fn build(self, target: Target, pool: &mut Pool) -> Result<Done, Error> {
        let Some((revision, header)) = self.header else { return Ok(Done::Nothing) };
        let mut pieces = Pieces::default();
        for entry in self.pieces {
            pieces.add(decode::stored(&entry.key, &entry.value)?, &entry);
        }
        let bulk = pieces.bulk();
        let (committed, applied) = pieces.trees(&target, pool)?;
        let configuration = Box::new(Configuration::new(header, committed, applied));
        Ok(Done::Configuration(target, revision, configuration, bulk))
    }
}

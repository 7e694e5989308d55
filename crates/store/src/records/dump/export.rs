//! Writing a dump.

use lockstep_protocol::record::Key;
use lockstep_types::{Revision, Target};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use super::Progress;
use super::line::{FIRST, LAST, Line, VERSION, digest};
use crate::kv::{Bytes, Entry, Range};
use crate::records::key::Name;
use crate::records::pool::Pool;
use crate::records::value::Snapshot;
use crate::records::{Records, body, fold, format, pieces, value};
use crate::{Error, Store};

/// About how many bytes a block has: enough that their number does not matter.
pub const BLOCK: usize = 256 << 10;

/// What is exported, in this order. Everything else is what a store needs for itself; where devices are not as they
/// should be is found out anew, as they are all read again.
const KINDS: [&str; 10] = [
    "head",
    "horizon",
    "binding/",
    "mastership/",
    "marks/",
    "configuration/",
    "id/",
    "transaction/",
    "proposal/",
    "part/",
];

impl Records {
    /// Writes everything the store holds at one revision as a dump, in blocks of whole lines.
    ///
    /// # Errors
    /// [`Error::Compacted`] if the store is written to so fast that the revision is gone before all is
    /// read; [`Error::Closed`] if nobody takes the blocks any more; and whatever the store has to say.
    pub async fn export(&self, out: &mpsc::Sender<Vec<u8>>) -> Result<Progress, Error> {
        let store = &**self.store();
        let (_, level) = format::level(store, self.inner.knows).await?.ok_or(Error::Foreign)?;
        let revision = store.revision().await?;
        // Nobody listens to it. But a store keeps for a watcher what it would let go of otherwise.
        let _kept = store.watch(revision).await?;
        let first = Line {
            version: Some(VERSION),
            level: Some(level),
            epoch: Some(self.epoch()),
            revision: Some(revision),
            ..Line::of(FIRST)
        };
        let (seen, progress) = (Sha256::new(), Progress::default());
        let mut export = Export { out, block: Vec::new(), seen, progress };
        export.line(&first)?;
        for kind in KINDS {
            export.kind(store, kind, revision).await?;
        }
        export.end().await
    }
}

struct Export<'a> {
    out: &'a mpsc::Sender<Vec<u8>>,
    block: Vec<u8>,
    seen: Sha256,
    progress: Progress,
}

impl Export<'_> {
    async fn kind(&mut self, store: &dyn Store, kind: &str, at: Revision) -> Result<(), Error> {
        let mut next = Some(Range::prefix(kind).at(at));
        while let Some(range) = next {
            let page = store.range(range.clone()).await?;
            next = range.after(&page);
            for mut entry in page.entries {
                body::resolve(store, at, &mut entry).await?;
                let name = self.entry(&entry).await?;
                if let Name::Record(Key::Configuration(target)) = name {
                    self.trees(store, &target, at).await?;
                }
            }
        }
        Ok(())
    }

    /// The trees of a configuration, as one snapshot with no deltas beyond.
    async fn trees(&mut self, store: &dyn Store, on: &Target, at: Revision) -> Result<(), Error> {
        let pieces = fold::read(store, on, Some(at)).await?;
        let (committed, applied) = pieces.trees(on, &mut Pool::default())?;
        let chunks = pieces::chunks(on, &committed, &applied)?;
        let from = Revision::ZERO;
        let snapshot = Snapshot { from, chunks: chunks.len() as u64 };
        for (number, chunk) in (0..).zip(&chunks) {
            self.record(&Name::Chunk(on.clone(), from, number), chunk).await?;
        }
        self.record(&Name::Snapshot(on.clone()), &snapshot).await
    }

    async fn record<T: Serialize>(&mut self, name: &Name, record: &T) -> Result<(), Error> {
        let value = value::write(name, record)?;
        self.pair(name, &name.bytes(), &value).await
    }

    async fn entry(&mut self, entry: &Entry) -> Result<Name, Error> {
        let name = Name::parse(&entry.key)?;
        self.pair(&name, &entry.key, &entry.value).await?;
        Ok(name)
    }

    async fn pair(&mut self, name: &Name, key: &Bytes, value: &[u8]) -> Result<(), Error> {
        let json: &RawValue = serde_json::from_slice(value::json(key, value)?)
            .map_err(|error| Error::unreadable(key, error))?;
        let text = std::str::from_utf8(key).map_err(|error| Error::unreadable(key, error))?;
        let line = Line { key: Some(text.into()), value: Some(json), ..Line::of(name.kind()) };
        self.line(&line)?;
        self.progress.entries += 1;
        if self.block.len() >= BLOCK { self.send().await } else { Ok(()) }
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), Error> {
        let unwritable = |error: serde_json::Error| Error::Unwritable {
            key: line.key.as_deref().unwrap_or(&line.kind).to_owned(),
            reason: error.to_string(),
        };
        let before = self.block.len();
        serde_json::to_writer(&mut self.block, line).map_err(unwritable)?;
        self.block.push(b'\n');
        self.seen.update(&self.block[before..]);
        self.progress.bytes += (self.block.len() - before) as u64;
        Ok(())
    }

    async fn send(&mut self) -> Result<(), Error> {
        let block = std::mem::take(&mut self.block);
        self.out.send(block).await.map_err(|_| Error::Closed)
    }

    async fn end(mut self) -> Result<Progress, Error> {
        let (entries, digest) = (self.progress.entries, digest(self.seen.clone()));
        let last = Line { entries: Some(entries), digest: Some(digest.into()), ..Line::of(LAST) };
        self.line(&last)?;
        self.send().await?;
        Ok(self.progress)
    }
}

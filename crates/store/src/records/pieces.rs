//! The trees of a configuration, put together from a snapshot and the deltas beyond it, and taken apart
//! into a new snapshot.

use std::collections::BTreeMap;

use lockstep_types::{Configuration as Tree, Path, Revision, Target, Unit};

use super::account::Bulk;
use super::decode::Stored;
use super::key::Name;
use super::pool::Pool;
use super::value::{self, Chunk, Delta, Snapshot};
use crate::Error;
use crate::kv::Entry;

/// What the store holds of the trees of one configuration.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pub(super) snapshot: Option<(Revision, Snapshot)>,
    pub(super) chunks: BTreeMap<(Revision, u64), (usize, Chunk)>,
    pub(super) deltas: BTreeMap<Revision, (usize, Delta)>,
}

impl Pieces {
    /// Takes in one piece.
    pub(super) fn add(&mut self, piece: Stored, entry: &Entry) {
        let bytes = entry.key.len() + entry.value.len();
        match piece {
            Stored::Delta(_, base, delta) => {
                self.deltas.insert(base, (bytes, delta));
            }
            Stored::Snapshot(_, snapshot) => self.snapshot = Some((entry.revision, snapshot)),
            Stored::Chunk(_, place, chunk) => {
                self.chunks.insert(place, (bytes, chunk));
            }
            Stored::Record(_) | Stored::Header(..) | Stored::Note => {}
        }
    }

    /// The first delta that the snapshot does not hold.
    pub(super) fn from(&self) -> Revision {
        self.snapshot.map_or(Revision::ZERO, |(_, snapshot)| snapshot.from)
    }

    /// The deltas beyond the snapshot, in order.
    pub(super) fn beyond(&self) -> impl DoubleEndedIterator<Item = (Revision, &(usize, Delta))> {
        self.deltas.range(self.from()..).map(|(base, delta)| (*base, delta))
    }

    /// What they come to.
    pub(super) fn bulk(&self) -> Bulk {
        let from = self.from();
        let chunks = self.chunks.range((from, 0)..=(from, u64::MAX));
        Bulk {
            snapshot: chunks.map(|(_, (bytes, _))| bytes).sum(),
            deltas: self.beyond().map(|(_, (bytes, _))| bytes).sum(),
            clears: self.beyond().filter(|(_, (_, delta))| delta.cleared).count(),
            left: self.deltas.range(..from).count() + self.chunks.range(..(from, 0)).count(),
        }
    }

    /// The keys that hold nothing any more once there is a snapshot from here.
    pub(super) fn before(&self, target: &Target, from: Revision) -> Vec<Name> {
        let deltas = self.deltas.range(..from).map(|(base, _)| Name::Delta(target.clone(), *base));
        let chunks = self.chunks.range(..(from, 0));
        let chunks = chunks.map(|((from, number), _)| Name::Chunk(target.clone(), *from, *number));
        deltas.chain(chunks).collect()
    }

    /// The committed and the applied tree.
    pub(super) fn trees(self, target: &Target, pool: &mut Pool) -> Result<(Tree, Tree), Error> {
        let from = self.from();
        let named = self.snapshot.map_or(0, |(_, snapshot)| snapshot.chunks);
        let mut chunks = self.chunks;
        let mut both = Tree::new();
        let mut differ = Vec::new();
        for number in 0..named {
            let Some((_, mut chunk)) = chunks.remove(&(from, number)) else {
                let name = Name::Chunk(target.clone(), from, number);
                return Err(Error::unreadable(&name.bytes(), "it is not there"));
            };
            pool.patch(&mut both, std::mem::take(&mut chunk.both));
            let Chunk { committed, applied, .. } = chunk;
            differ.push(Delta { committed, applied, cleared: false });
        }
        // Built once, and shared as far as the two agree.
        let (mut committed, mut applied) = (both.clone(), both);
        let deltas = self.deltas.into_iter().filter(|(base, _)| *base >= from);
        differ.extend(deltas.map(|(_, (_, delta))| delta));
        for delta in differ {
            if delta.cleared {
                (committed, applied) = (Tree::new(), Tree::new());
            }
            pool.patch(&mut committed, delta.committed);
            pool.patch(&mut applied, delta.applied);
        }
        Ok((committed, applied))
    }
}

/// When a chunk is full: well below what any store takes at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Takes the trees apart. The same trees always give the same chunks, so two who do it at once write
/// the same.
pub(super) fn chunks(
    target: &Target,
    committed: &Tree,
    applied: &Tree,
) -> Result<Vec<Chunk>, Error> {
    let mut chunks = Chunks { name: Name::Snapshot(target.clone()), done: Vec::new(), bytes: 0 };
    for (path, unit) in committed.units() {
        let chunk = chunks.room(path, unit)?;
        let both = applied.unit(path) == *unit;
        let place = if both { &mut chunk.both } else { &mut chunk.committed };
        place.insert(path.clone(), unit.clone());
    }
    for (path, unit) in applied.units().filter(|(path, unit)| committed.unit(path) != **unit) {
        chunks.room(path, unit)?.applied.insert(path.clone(), unit.clone());
    }
    Ok(chunks.done)
}

struct Chunks {
    name: Name,
    done: Vec<Chunk>,
    bytes: usize,
}

impl Chunks {
    /// The chunk that has room for this unit.
    fn room(&mut self, path: &Path, unit: &Unit) -> Result<&mut Chunk, Error> {
        let bytes = value::write(&self.name, &(path, unit))?.len();
        let last = self.done.len().checked_sub(1).filter(|_| self.bytes + bytes <= CHUNK_BYTES);
        let at = last.unwrap_or_else(|| {
            self.bytes = 0;
            self.done.push(Chunk::default());
            self.done.len() - 1
        });
        self.bytes += bytes;
        Ok(&mut self.done[at])
    }
}

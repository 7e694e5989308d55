//! The floors: the same bytes, in batches of the same size, with nothing of ours in between.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use lockstep_store::kv::Bytes;
use redb::{Database, TableDefinition};

use crate::Failed;
use crate::times::Times;

/// One write: keys with their values; none: removed.
pub(super) type Write = Vec<(Bytes, Option<Bytes>)>;

const MAP: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("map");

/// Puts every key and value into the engine, so many writes to a commit; how long all took, and each commit.
pub(super) fn engine(
    file: &Path,
    writes: &[Write],
    batch: usize,
) -> Result<(Duration, Times), Failed> {
    let (database, mut times) = (Database::create(file)?, Times::new()?);
    let began = Instant::now();
    for batch in writes.chunks(batch) {
        let at = Instant::now();
        let transaction = database.begin_write()?;
        let mut table = transaction.open_table(MAP)?;
        for (key, value) in batch.iter().flatten() {
            match value {
                Some(value) => drop(table.insert(&**key, &**value)?),
                None => drop(table.remove(&**key)?),
            }
        }
        drop(table);
        transaction.commit()?;
        times.record(at.elapsed())?;
    }
    Ok((began.elapsed(), times))
}

/// Appends every key and value to a file, so many writes to a sync.
pub(super) fn file(file: &Path, writes: &[Write], batch: usize) -> Result<Duration, Failed> {
    let mut file = File::create(file)?;
    let began = Instant::now();
    for batch in writes.chunks(batch) {
        let mut bytes = Vec::new();
        for (key, value) in batch.iter().flatten() {
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(value.as_deref().unwrap_or_default());
        }
        file.write_all(&bytes)?;
        file.sync_data()?;
    }
    Ok(began.elapsed())
}

//! The map in a file, by redb.

use std::fmt;
use std::io::ErrorKind;
use std::ops::Bound;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::{Database, Durability, ReadableDatabase, ReadableTable, Table, TableDefinition};

use super::{Engine, Fault, Reading, Writing};

const MAP: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("map");

/// Records are read once, when they are loaded, so there is little to gain from more.
const CACHE: usize = 16 << 20;

/// A redb file. Dropping it leaves it clean; a file that was not dropped is repaired when it is
/// opened.
pub(crate) struct Disk(Database);

impl Disk {
    /// Makes the file.
    pub(crate) fn create(file: &Path) -> Result<Self, Fault> {
        guarded(|| {
            Self::new(Database::builder().set_cache_size(CACHE).create(file).map_err(failed)?)
        })
    }

    /// Opens the file, which is there, and compares every page of it with its checksum: a page that is
    /// not as it was written may also be one that says which others there are, and then rows are
    /// missing that nobody would miss. The file is read anyway, by whoever loads what is in it. Whether
    /// it had been closed as it should be.
    pub(crate) fn open(file: &Path) -> Result<(Self, bool), Fault> {
        // To redb an empty file is as good as none. We never leave one.
        if std::fs::metadata(file).is_ok_and(|file| file.len() == 0) {
            return Err(Fault::damaged("it is empty"));
        }
        let repaired = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&repaired);
        guarded(|| {
            let mut builder = Database::builder();
            builder.set_cache_size(CACHE);
            builder.set_repair_callback(move |_| noted.store(true, Ordering::Relaxed));
            let mut database = builder.open(file).map_err(failed)?;
            database.check_integrity().map_err(failed)?;
            Ok((Self::new(database)?, !repaired.load(Ordering::Relaxed)))
        })
    }

    fn new(database: Database) -> Result<Self, Fault> {
        let create = database.begin_write().map_err(failed)?;
        drop(create.open_table(MAP).map_err(failed)?);
        create.commit().map_err(failed)?;
        Ok(Self(database))
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Disk")
    }
}

fn failed(error: impl Into<redb::Error>) -> Fault {
    match error.into() {
        redb::Error::Corrupted(what) => Fault::damaged(what),
        redb::Error::UpgradeRequired(version) => {
            Fault::damaged(format_args!("its version is {version}, which we never write"))
        }
        redb::Error::Io(error) if error.kind() == ErrorKind::InvalidData => Fault::damaged(error),
        redb::Error::Io(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Fault::damaged("it is shorter than it was")
        }
        other => Fault::Failed(Arc::new(other)),
    }
}

/// Where pages are not what they were, redb does not always come to an error. Nothing of ours panics,
/// so whatever does is that.
fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|thrown| {
        let said = thrown.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| thrown.downcast_ref::<&str>().copied());
        Err(Fault::damaged(said.unwrap_or("its pages make no sense")))
    })
}

impl Engine for Disk {
    fn read(&self, work: &mut dyn FnMut(&dyn Reading) -> Result<(), Fault>) -> Result<(), Fault> {
        guarded(|| {
            let transaction = self.0.begin_read().map_err(failed)?;
            let table = transaction.open_table(MAP).map_err(failed)?;
            work(&View(&table))
        })
    }

    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Writing) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        guarded(|| {
            let mut transaction = self.0.begin_write().map_err(failed)?;
            transaction.set_durability(Durability::Immediate).map_err(failed)?;
            let mut table = transaction.open_table(MAP).map_err(failed)?;
            let wanted = work(&mut Change(&mut table));
            drop(table);
            if wanted? {
                transaction.commit().map_err(|e| Fault::Unknown(Arc::new(redb::Error::from(e))))
            } else {
                transaction.abort().map_err(failed)
            }
        })
    }
}

struct View<'t, T>(&'t T);

struct Change<'t, 'a>(&'t mut Table<'a, &'static [u8], &'static [u8]>);

impl<T: ReadableTable<&'static [u8], &'static [u8]>> Reading for View<'_, T> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.0.get(key).map_err(failed)?.map(|value| value.value().to_vec()))
    }

    fn scan(
        &self,
        from: &[u8],
        until: Option<&[u8]>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), Fault> {
        if until.is_some_and(|until| until <= from) {
            return Ok(());
        }
        let bounds = (Bound::Included(from), until.map_or(Bound::Unbounded, Bound::Excluded));
        for entry in self.0.range::<&[u8]>(bounds).map_err(failed)? {
            let (key, value) = entry.map_err(failed)?;
            if !each(key.value(), value.value()) {
                break;
            }
        }
        Ok(())
    }
}

impl Reading for Change<'_, '_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        View(&*self.0).get(key)
    }

    fn scan(
        &self,
        from: &[u8],
        until: Option<&[u8]>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<(), Fault> {
        View(&*self.0).scan(from, until, each)
    }
}

impl Writing for Change<'_, '_> {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let stood = self.0.insert(key, value).map_err(failed)?;
        Ok(stood.map(|stood| stood.value().to_vec()))
    }

    fn remove(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let stood = self.0.remove(key).map_err(failed)?;
        Ok(stood.map(|stood| stood.value().to_vec()))
    }
}

#[cfg(test)]
mod tests;

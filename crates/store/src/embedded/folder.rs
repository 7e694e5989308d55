//! The folder of a store, held by one process at a time.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::engine::{Engine, Fault, Reading, Writing};

/// Locked while the store is open; holds the process that has it. The lock goes with the process,
/// however it ends.
const LOCK: &str = "lock";
const FILE: &str = "store.redb";

/// A folder that this process holds.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Makes the folder if needed, and takes hold of it.
    pub(super) fn take(path: &Path) -> Result<Self, Error> {
        let unusable =
            |error: io::Error| Error::Folder { folder: path.into(), source: Arc::new(error) };
        fs::create_dir_all(path).map_err(unusable)?;
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut lock = options.open(path.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Held { folder: path.into(), pid: holder(&mut lock) });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        sign(&mut lock).map_err(unusable)?;
        Ok(Self { path: path.into(), lock })
    }

    /// Opens the file in it, and holds the folder for as long as the file is open.
    pub(super) fn engine<E: Engine>(
        self,
        open: impl FnOnce(&Path) -> Result<E, Fault>,
    ) -> Result<impl Engine, Error> {
        let unusable = |source| Error::Folder { folder: self.path.clone(), source };
        let engine = open(&self.path.join(FILE))
            .map_err(|(Fault::Failed(source) | Fault::Unknown(source))| unusable(source))?;
        // A new file is found after a power cut only if the folder, too, is on the disk.
        let synced = File::open(&self.path).and_then(|folder| folder.sync_all());
        synced.map_err(|error| unusable(Arc::new(error)))?;
        Ok(Held { engine, _lock: self.lock })
    }
}

fn holder(lock: &mut File) -> Option<u32> {
    let mut pid = String::new();
    lock.read_to_string(&mut pid).ok()?;
    pid.trim().parse().ok()
}

fn sign(lock: &mut File) -> io::Result<()> {
    lock.set_len(0)?;
    lock.rewind()?;
    writeln!(lock, "{}", std::process::id())
}

/// An engine in a folder that is held. Fields are dropped in order: the file first.
#[derive(Debug)]
struct Held<E> {
    engine: E,
    _lock: File,
}

impl<E: Engine> Engine for Held<E> {
    fn read(&self, work: &mut dyn FnMut(&dyn Reading) -> Result<(), Fault>) -> Result<(), Fault> {
        self.engine.read(work)
    }

    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Writing) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        self.engine.write(work)
    }
}

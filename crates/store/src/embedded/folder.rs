//! The folder of a store, held by one process at a time.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::Error;
use crate::engine::{Disk, Engine, Fault, Reading, Writing};
use crate::ledger;

/// Locked while the store is open; holds the process that has it. The lock goes with the process,
/// however it ends.
const LOCK: &str = "lock";
const FILE: &str = "store.redb";
const NEW: &str = "store.redb.new";

/// How often, and how far apart, a lock is tried for that this process itself held last.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// A folder that this process holds.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Takes hold of a folder that has a store in it.
    pub(super) fn find(path: &Path) -> Result<Self, Error> {
        if path.join(FILE).exists() {
            Self::take(path)
        } else {
            Err(Error::NoStore { folder: path.into() })
        }
    }

    /// Makes the folder if needed, and takes hold of it.
    pub(super) fn take(path: &Path) -> Result<Self, Error> {
        let unusable =
            |error: io::Error| Error::Folder { folder: path.into(), source: Arc::new(error) };
        // What is in it is in clear. One that is there already is as its owner wants it.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        let options = File::options().read(true).write(true).create(true).truncate(false).clone();
        let mut lock = options.open(path.join(LOCK)).map_err(unusable)?;
        match locked(&mut lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Held { folder: path.into(), pid: holder(&mut lock) });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        sign(&mut lock).map_err(unusable)?;
        Ok(Self { path: path.into(), lock })
    }

    /// The file in it.
    pub(super) fn file(&self) -> PathBuf {
        self.path.join(FILE)
    }

    /// Opens the file in it, or makes one, and holds the folder for as long as the file is open.
    pub(super) fn engine(self) -> Result<impl Engine, Error> {
        let file = self.file();
        let open = || Disk::open(&file).map(|(engine, _)| engine);
        let engine = if file.exists() { open() } else { self.create(&file) };
        let engine = engine.map_err(|fault| self.unusable(fault))?;
        Ok(Held { engine, file, _lock: self.lock })
    }

    /// A new file gets its name when there is something in it, so that an empty one is never ours.
    fn create(&self, file: &Path) -> Result<Disk, Fault> {
        let new = self.path.join(NEW);
        let failed = |error: io::Error| Fault::Failed(Arc::new(error));
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        File::options().write(true).create_new(true).mode(0o600).open(&new).map_err(failed)?;
        let engine = Disk::create(&new)?;
        fs::rename(&new, file).map_err(failed)?;
        // After a power cut it is found only if the folder, too, is on the disk.
        File::open(&self.path).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok(engine)
    }

    /// Compares every page of the file with its checksum, and every row with its own.
    pub(super) fn check(self) -> Result<FileCheck, Error> {
        let file = self.file();
        let bytes = fs::metadata(&file).map_or(0, |file| file.len());
        let checked = Disk::open(&file).and_then(|(engine, clean)| {
            let mut rows = 0;
            engine.read(&mut |map| {
                rows = ledger::check(map)?;
                Ok(())
            })?;
            Ok((clean, rows))
        });
        let (clean, rows) = checked.map_err(|fault| self.unusable(fault))?;
        Ok(FileCheck { file, bytes, clean, rows })
    }

    fn unusable(&self, fault: Fault) -> Error {
        match fault.within(&self.path.join(FILE)) {
            Fault::Failed(source) | Fault::Unknown(source) => {
                Error::Folder { folder: self.path.clone(), source }
            }
            damaged @ Fault::Damaged { .. } => damaged.into(),
        }
    }
}

/// What a look at the file of a store has shown. What is wrong with it is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCheck {
    /// The file.
    pub file: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// It was closed as it should be; otherwise it was brought in order first, as at any opening.
    pub clean: bool,
    /// How many rows it has.
    pub rows: u64,
}

/// Takes the lock. One that this very process had is tried for a moment longer: a program that it is just starting
/// has a copy of every file that is open here, locks included, until it has become itself.
fn locked(lock: &mut File) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) if holder(lock) == Some(std::process::id()) => {
                thread::sleep(BETWEEN_TRIES);
            }
            other => return other,
        }
    }
    lock.try_lock()
}

fn holder(lock: &mut File) -> Option<u32> {
    let mut pid = String::new();
    lock.rewind().ok()?;
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
    file: PathBuf,
    _lock: File,
}

impl<E: Engine> Engine for Held<E> {
    fn read(&self, work: &mut dyn FnMut(&dyn Reading) -> Result<(), Fault>) -> Result<(), Fault> {
        self.engine.read(work).map_err(|fault| fault.within(&self.file))
    }

    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Writing) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        self.engine.write(work).map_err(|fault| fault.within(&self.file))
    }
}

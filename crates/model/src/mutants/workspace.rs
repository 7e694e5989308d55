//! A copy of the workspace's sources, to be broken and built apart from the real one.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The real workspace, and the place beside its builds where it is copied to.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    place: PathBuf,
}

impl Workspace {
    /// The workspace that the current folder is part of.
    ///
    /// # Errors
    /// The current folder is not part of it.
    pub fn find() -> io::Result<Self> {
        let here = std::env::current_dir()?;
        let root = here.ancestors().find(|folder| folder.join("crates/protocol/src").is_dir());
        let root = root.ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "not inside the project's own sources")
        })?;
        let builds = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        Ok(Self { root: root.to_owned(), place: root.join(builds).join("mutants") })
    }

    /// The root of the real workspace.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root of the copy.
    #[must_use]
    pub fn copy(&self) -> PathBuf {
        self.place.join("source")
    }

    /// Where the copy is built; kept from mutant to mutant, so that only what changed is built again.
    #[must_use]
    pub fn builds(&self) -> PathBuf {
        self.place.join("target")
    }

    /// The text of a real source file, named from `crates/`.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, file: &str) -> io::Result<String> {
        read(&self.root, file)
    }

    /// The text of a file of the copy.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_copy(&self, file: &str) -> io::Result<String> {
        read(&self.copy(), file)
    }

    /// Puts another text in place of a file of the copy.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_copy(&self, file: &str, text: &str) -> io::Result<()> {
        fs::write(self.copy().join("crates").join(file), text)
    }

    /// Makes the copy the same as the original. Files that are the same already are not touched, and so
    /// not built again.
    ///
    /// # Errors
    /// Something cannot be read or written.
    pub fn refresh(&self) -> io::Result<()> {
        let copy = self.copy();
        fs::create_dir_all(&copy)?;
        let mut kept = BTreeSet::new();
        for entry in fs::read_dir(&self.root)? {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
            if is_source(&path, &name) {
                mirror(&path, &copy.join(&name))?;
                kept.insert(name);
            }
        }
        remove_others(&copy, &kept)
    }
}

fn read(root: &Path, file: &str) -> io::Result<String> {
    fs::read_to_string(root.join("crates").join(file))
}

/// The manifest, the lock file and every folder with crates in it.
fn is_source(path: &Path, name: &OsStr) -> bool {
    ["Cargo.toml", "Cargo.lock", "crates", "tests"].iter().any(|known| *known == name)
        || path.join("Cargo.toml").is_file()
}

fn mirror(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_file() {
        let text = fs::read(from)?;
        return if fs::read(to).is_ok_and(|old| old == text) {
            Ok(())
        } else {
            fs::write(to, text)
        };
    }
    fs::create_dir_all(to)?;
    let mut kept = BTreeSet::new();
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        mirror(&entry.path(), &to.join(entry.file_name()))?;
        kept.insert(entry.file_name());
    }
    remove_others(to, &kept)
}

fn remove_others(folder: &Path, kept: &BTreeSet<std::ffi::OsString>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if kept.contains(&entry.file_name()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

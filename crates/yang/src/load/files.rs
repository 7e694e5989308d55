//! The files of a model set: which there are, what modules they hold, and their digest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use lockstep_types::ModelDigest;
use sha2::{Digest, Sha256};

use super::Options;
use super::statements::statements;
use crate::error::{Fault, LoadError};
use crate::nearest::nearest;

/// The mark of the byte order.
const MARK: char = '\u{feff}';

/// The YANG files below a folder, by their path in it.
pub(super) struct Files {
    root: PathBuf,
    files: BTreeMap<String, String>,
}

/// Reads every YANG file below a folder, but for what is hidden.
pub(super) fn find(root: &Path) -> Result<Files, LoadError> {
    let mut files = Files { root: root.to_owned(), files: BTreeMap::new() };
    files.scan(root)?;
    Ok(files)
}

impl Files {
    fn scan(&mut self, folder: &Path) -> Result<(), LoadError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| LoadError::Read { path, source }
        };
        for entry in std::fs::read_dir(folder).map_err(failed(folder))? {
            let entry = entry.map_err(failed(folder))?;
            let path = entry.path();
            // Editors and file systems leave such beside the files that are meant.
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            // A link to a folder may lead back here, or to the same files once more.
            let is_folder = entry.file_type().map_err(failed(&path))?.is_dir();
            if is_folder {
                self.scan(&path)?;
            } else if path.extension().is_some_and(|extension| extension == "yang")
                && path.is_file()
            {
                let bytes = std::fs::read(&path).map_err(failed(&path))?;
                self.files.insert(self.name(&path)?, text(&path, bytes)?);
            }
        }
        Ok(())
    }

    /// The path below the root, the same on every machine.
    fn name(&self, path: &Path) -> Result<String, LoadError> {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
        let parts = parts.ok_or_else(|| LoadError::NotUtf8 { path: path.to_owned() })?;
        Ok(parts.join("/"))
    }

    /// Every file, by its path in the folder; without the mark of the byte order that some editors
    /// begin a file with, since libyang takes it for a part of the first word.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.trim_start_matches(MARK)))
    }

    /// Where a file is that is known by this path in the folder.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The modules to load: those that were asked for, or all there are.
    pub(super) fn modules(&self, path: &Path, asked: &[String]) -> Result<Vec<String>, LoadError> {
        if path.to_str().is_none() {
            return Err(LoadError::NotUtf8 { path: path.to_owned() });
        }
        let module = |text: &String| module(text).map(str::to_owned);
        let found: BTreeSet<String> = self.files.values().filter_map(module).collect();
        if found.is_empty() {
            return Err(LoadError::NoModules { path: path.to_owned() });
        }
        let wanted: Vec<&str> = asked.iter().map(|name| bare(name)).collect();
        if let Some(unknown) = wanted.iter().find(|name| !found.contains(**name)) {
            let (module, path) = ((*unknown).to_owned(), path.to_owned());
            return Err(LoadError::UnknownModule {
                nearest: nearest(unknown, found.iter().map(String::as_str)),
                module,
                path,
            });
        }
        if let Some(unknown) = asked.iter().find(|name| !self.has_revision(name)) {
            let (module, path) = (unknown.clone(), path.to_owned());
            return Err(LoadError::UnknownModule { module, path, nearest: None });
        }
        let all = || found.iter().cloned().collect();
        let chosen = || wanted.iter().map(|name| (*name).to_owned()).collect();
        Ok(if wanted.is_empty() { all() } else { chosen() })
    }

    /// The newest revision of a module, where there are several files of it.
    pub(super) fn newest(&self, name: &str) -> Option<String> {
        let found = self.revisions(name);
        if found.len() > 1 { found.into_iter().flatten().max() } else { None }
    }

    /// Whether the revision is there that is asked for, if one is.
    fn has_revision(&self, asked: &str) -> bool {
        let Some((name, revision)) = asked.split_once('@') else { return true };
        self.revisions(name).iter().flatten().any(|known| known == revision)
    }

    /// The revision of each file of a module.
    fn revisions(&self, name: &str) -> Vec<Option<String>> {
        let named = self.files.values().filter(|text| module(text) == Some(name));
        let newest = |text| statements(text, &["revision"]).map(|revision| revision.argument).max();
        named.map(|text| newest(text)).collect()
    }

    /// What the models are known by: names and bytes of the files, and what was chosen of them,
    /// since that changes what is valid. Each part goes in with its length, so that none can run
    /// into the next.
    pub(super) fn digest(&self, options: &Options) -> Result<ModelDigest, LoadError> {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        for (name, text) in &self.files {
            part(name.as_bytes());
            part(text.as_bytes());
        }
        for chosen in [&options.modules, &options.features] {
            let sorted: BTreeSet<&String> = chosen.iter().collect();
            part(sorted.len().to_string().as_bytes());
            sorted.into_iter().for_each(|name| part(name.as_bytes()));
        }
        let text = HEXLOWER.encode(&hash.finalize());
        // Sixty-four hexadecimal digits are always a name.
        ModelDigest::new(text).map_err(|error| {
            let message = error.to_string();
            let fault = Fault { path: None, line: None, at: None, message };
            LoadError::Invalid { faults: vec![fault] }
        })
    }
}

/// What a file holds. libyang takes other bytes in comments and descriptions, but what cannot be read
/// here cannot be checked either.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String, LoadError> {
    String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        let before = error.as_bytes().iter().take(position);
        let line = 1 + before.filter(|byte| **byte == b'\n').count();
        LoadError::Encoding { path: path.to_owned(), line, position }
    })
}

/// The name of a module without the revision that may follow it.
fn bare(name: &str) -> &str {
    name.split_once('@').map_or(name, |(name, _)| name)
}

/// The name of the module in this text; none for a submodule.
fn module(text: &str) -> Option<&str> {
    let rest = skip(text).strip_prefix("module")?;
    let rest = skip(rest.strip_prefix(|c: char| c.is_whitespace() || c == '/')?);
    let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '{'))?;
    // Nothing else can be asked of libyang.
    Some(&rest[..end]).filter(|name| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
    })
}

/// What follows white space and comments.
fn skip(text: &str) -> &str {
    let mut text = text.trim_start_matches(MARK);
    loop {
        text = text.trim_start();
        text = if let Some(comment) = text.strip_prefix("//") {
            comment.split_once('\n').map_or("", |(_, rest)| rest)
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, rest)| rest)
        } else {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    //! Module names as they are written.

    use super::module;

    #[test]
    fn the_name_of_a_module_is_found() {
        assert_eq!(module("module a {"), Some("a"));
        assert_eq!(module("\u{feff}/* x */ // y\n module\n \"a-b\" {"), Some("a-b"));
        assert_eq!(module("module a{"), Some("a"));
        assert_eq!(module("submodule a {"), None);
        assert_eq!(module("modules a {"), None);
        assert_eq!(module(""), None);
    }
}

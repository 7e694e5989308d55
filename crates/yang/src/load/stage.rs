//! Modules of which there are several revisions.
//!
//! libyang finds files by their names, and takes two revisions apart only if the names have them. Where
//! they lie in folders of their own instead, they are laid out anew for it, while it loads.

use std::collections::BTreeMap;

use tempfile::TempDir;

use super::files::Files;
use super::statements::statements;
use crate::error::LoadError;

/// A folder with every file of these modules under a name with its revision; none if there is no need.
pub(super) fn several(files: &Files) -> Result<Option<TempDir>, LoadError> {
    let mut by_name: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, bytes) in files.all() {
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        if let Some(head) = statements(text, &["module", "submodule"]).next() {
            by_name.entry(head.argument).or_default().push((path, text));
        }
    }
    by_name.retain(|_, found| found.len() > 1 && !found.iter().all(|(path, _)| path.contains('@')));
    if by_name.is_empty() {
        return Ok(None);
    }
    let failed = |source| LoadError::Read { path: std::env::temp_dir(), source };
    let folder = tempfile::tempdir().map_err(failed)?;
    for (name, found) in by_name {
        // Nothing else can be the name of a file.
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        for (_, text) in found.into_iter().filter(|_| plain) {
            let revision = statements(text, &["revision"]).map(|revision| revision.argument).max();
            let Some(revision) = revision.filter(|date| is_date(date)) else { continue };
            let file = folder.path().join(format!("{name}@{revision}.yang"));
            std::fs::write(file, text).map_err(failed)?;
        }
    }
    Ok(Some(folder))
}

fn is_date(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

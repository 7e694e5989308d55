//! The one folder that libyang reads.
//!
//! libyang looks for what a module needs by the names of files, in whatever is below the folders that it
//! is given: hidden ones, those that links lead to, YIN. So it is given none of the folders that the
//! models come from, but one with exactly those files that were checked. Each has its revision in its
//! name, for libyang takes two revisions apart only by that.

use tempfile::TempDir;

use super::statements::statements;
use super::survive::Checked;
use crate::error::LoadError;

/// Lays out these files, for as long as the folder is held.
pub(super) fn stage(checked: &[Checked<'_>]) -> Result<TempDir, LoadError> {
    let failed = |source| LoadError::Stage { path: std::env::temp_dir(), source };
    let folder = tempfile::tempdir().map_err(failed)?;
    for Checked { name, text } in checked.iter().filter(|checked| is_plain(&checked.name)) {
        let revision = statements(text, &["revision"]).map(|revision| revision.argument).max();
        let file = match revision.filter(|date| is_date(date)) {
            Some(revision) => format!("{name}@{revision}.yang"),
            None => format!("{name}.yang"),
        };
        std::fs::write(folder.path().join(file), text).map_err(failed)?;
    }
    Ok(folder)
}

/// Nothing else can be the name of a file, nor of a module.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// Whether libyang takes it for a date in the name of a file.
fn is_date(text: &str) -> bool {
    text.len() == "2026-01-01".len()
        && text.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

//! Models that libyang does not survive are not given to it.

use std::collections::{BTreeMap, BTreeSet};

use super::files::Files;
use super::statements::{Statement, statements};
use crate::error::LoadError;
use crate::xpath;

/// As much of an expression as is worth telling.
const TOLD: usize = 200;

/// Looks at every file that may be loaded for these modules.
pub(super) fn check(files: &Files, names: &[String]) -> Result<(), LoadError> {
    let mut by_name: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, bytes) in files.all() {
        // libyang says what is wrong with one that is no text.
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        if let Some(first) = statements(text, &["module", "submodule"]).next() {
            by_name.entry(first.argument).or_default().push((path, text));
        }
    }
    let mut open: Vec<String> = names.to_vec();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(name) = open.pop() {
        for (path, text) in by_name.get(&name).into_iter().flatten() {
            open.extend(file(files, path, text)?.into_iter().filter(|name| !seen.contains(name)));
        }
        seen.insert(name);
    }
    Ok(())
}

/// The modules and submodules that a file needs, if nothing is wrong with it.
fn file(files: &Files, path: &str, text: &str) -> Result<Vec<String>, LoadError> {
    let mut needs = Vec::new();
    for statement in statements(text, &["import", "include", "must", "when", "path"]) {
        let Statement { keyword, argument, line } = statement;
        if matches!(keyword.as_str(), "import" | "include") {
            needs.push(argument);
        } else if let Some(reason) = xpath::danger(&argument) {
            let expression = argument.chars().take(TOLD).collect();
            return Err(LoadError::Expression {
                path: files.place(path),
                line,
                expression,
                reason,
            });
        }
    }
    Ok(needs)
}

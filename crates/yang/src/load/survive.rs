//! Models that libyang does not survive are not given to it.

use std::collections::{BTreeMap, BTreeSet};

use super::files::Files;
use super::statements::{Statement, statements};
use crate::error::LoadError;
use crate::xpath;

/// As much of an expression as is worth telling.
const TOLD: usize = 200;

/// A module or submodule that libyang may be given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checked<'a> {
    pub(super) name: String,
    pub(super) text: &'a str,
}

/// Looks at every file that may be loaded for these modules. Those are all that libyang may find:
/// what it needs beyond them was not seen here.
pub(super) fn check<'a>(files: &'a Files, names: &[String]) -> Result<Vec<Checked<'a>>, LoadError> {
    let mut by_name: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, text) in files.all() {
        if let Some(first) = statements(text, &["module", "submodule"]).next() {
            by_name.entry(first.argument).or_default().push((path, text));
        }
    }
    let mut open: Vec<String> = names.to_vec();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut checked = Vec::new();
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        for (path, text) in by_name.get(&name).into_iter().flatten() {
            open.extend(file(files, path, text)?);
            checked.push(Checked { name: name.clone(), text });
        }
    }
    Ok(checked)
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

#[cfg(test)]
mod tests {
    //! Which files are looked at, and how often.
    #![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

    use super::super::files::find;
    use super::check;

    #[test]
    fn each_file_is_looked_at_once_however_many_need_it() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, imports: &[&str]| {
            let imports: String =
                imports.iter().map(|name| format!("import {name} {{ prefix {name}; }} ")).collect();
            let text = format!("module {name} {{ {imports} }}");
            std::fs::write(folder.path().join(format!("{name}.yang")), text).unwrap();
        };
        write("top", &["left", "right", "base"]);
        write("left", &["base", "right"]);
        write("right", &["base", "left"]);
        write("base", &[]);
        write("other", &["base"]);
        let files = find(folder.path()).unwrap();
        let checked = check(&files, &["top".to_owned(), "base".to_owned()]).unwrap();
        let mut names: Vec<&str> = checked.iter().map(|checked| checked.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["base", "left", "right", "top"]);
    }
}

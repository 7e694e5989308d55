//! Where in the files an error of libyang's is.
//!
//! libyang tells the line of what it cannot read, but not the file, and of what it cannot compile only the
//! place in the models. The files are looked through for what it means.

use std::path::PathBuf;

use super::files::Files;
use super::statements::{Statement, statements};
use crate::error::Fault;
use crate::libyang::Heard;

const NODES: [&str; 12] = [
    "container",
    "list",
    "leaf",
    "leaf-list",
    "choice",
    "case",
    "anydata",
    "anyxml",
    "rpc",
    "action",
    "notification",
    "augment",
];
const NAMES: [&str; 14] = [
    "type",
    "base",
    "uses",
    "path",
    "must",
    "when",
    "import",
    "include",
    "if-feature",
    "key",
    "unique",
    "default",
    "deviation",
    "refine",
];

/// What may be the reason that a module is not found which is there.
const ONLY: &str = " Only files `*.yang` in the folder of the models are read, and none that are hidden \
                    or in hidden or linked folders.";

/// What libyang said of these files, with where it is as far as that can be found.
pub(super) fn faults(files: &Files, heard: Vec<Heard>) -> Vec<Fault> {
    let mut found: Vec<Fault> = Vec::new();
    for heard in heard {
        let read = parsed(&heard.message).map(|name| of_module(files, name));
        if let Some(texts) = read.filter(|_| !found.is_empty()) {
            // What was told before is in there.
            let open = found.iter_mut().filter(|fault| fault.path.is_none());
            open.for_each(|fault| settle(fault, &texts));
            continue;
        }
        let (path, line) = match place(files, &heard) {
            Some((path, line)) => (Some(path), Some(line)),
            None => (None, heard.line),
        };
        let mut message = heard.message;
        if absent(&message).is_some() {
            message.push_str(ONLY);
        }
        found.push(Fault { path, line, at: heard.schema_path, message });
    }
    found
}

/// Puts a fault in one of these files.
fn settle(fault: &mut Fault, texts: &[(PathBuf, &str)]) {
    fault.path = texts.first().map(|(path, _)| path.clone());
    let Some(name) = absent(&fault.message) else { return };
    let needs = texts.iter().find_map(|(path, text)| {
        let mut needs = statements(text, &["import", "include"]);
        Some((path.clone(), needs.find(|statement| statement.argument == name)?.line))
    });
    if let Some((path, line)) = needs {
        (fault.path, fault.line) = (Some(path), Some(line));
    }
}

/// The module or submodule that was not found.
fn absent(message: &str) -> Option<&str> {
    let rest =
        message.strip_prefix("Loading \"").or_else(|| message.strip_prefix("Including \""))?;
    rest.split('"').next().filter(|_| rest.contains("failed, not found."))
}

/// The module or submodule that could not be read.
fn parsed(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("Parsing module \"");
    rest.or_else(|| message.strip_prefix("Parsing submodule \""))?.split('"').next()
}

/// The files of a module or submodule, and of the submodules that belong to it.
fn of_module<'a>(files: &'a Files, name: &str) -> Vec<(PathBuf, &'a str)> {
    let named = |(_, text): &(&str, &str)| {
        let heads = statements(text, &["module", "submodule", "belongs-to"]).take(2);
        heads.into_iter().any(|head| head.argument == name)
    };
    files.all().filter(named).map(|(path, text)| (files.place(path), text)).collect()
}

/// The line that names what the message names, or else the node.
fn place(files: &Files, heard: &Heard) -> Option<(PathBuf, usize)> {
    let path = heard.schema_path.as_ref()?;
    let (module, _) = path.trim_start_matches('/').split_once(':')?;
    let quoted: Vec<&str> = heard.message.split('"').skip(1).step_by(2).collect();
    let node = path.rsplit('/').next()?;
    let node = node.rsplit(':').next()?;
    let texts = of_module(files, module);
    let first = |keywords: &[&str], meant: &dyn Fn(&Statement) -> bool| {
        texts.iter().find_map(|(path, text)| {
            let found = statements(text, keywords).find(|statement| meant(statement))?;
            Some((path.clone(), found.line))
        })
    };
    first(&NAMES, &|statement| quoted.contains(&statement.argument.as_str()))
        .or_else(|| first(&NODES, &|statement| statement.argument == node))
}

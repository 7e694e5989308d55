//! `lockstep.yaml`: what a node is told.
//!
//! Read in three steps: the text becomes a tree, the environment is put in, the tree becomes a
//! [`Config`] in which everything is checked, so that nothing later checks again.

mod access;
mod check;
mod environment;
mod error;
mod file;
mod given;
mod gnmic;
mod nearest;
mod scalar;
mod size;
mod store;
mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lockstep_northbound::{Access, Glob, Source, Tls};
use lockstep_types::{NodeName, Target};
use lockstep_yang::Options as Models;
use serde_json::Value;
use serde_saphyr::UserMessageFormatter;

use crate::secret::Key;
pub(crate) use error::{Error, Problem};
pub(crate) use given::target;
pub(crate) use gnmic::Options as TargetOptions;
pub(crate) use store::StoreConfig;
pub(crate) use target::{TargetConfig, addresses as target_addresses, has_port};

/// Everything a node is told, checked.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The node's name.
    pub node: NodeName,
    /// gNMI and the admin API.
    pub listen: SocketAddr,
    /// HTTP.
    pub http: SocketAddr,
    /// None: plaintext, on a loopback address.
    pub tls: Option<Tls>,
    /// Where records are kept.
    pub store: StoreConfig,
    /// What paths are relative to.
    pub folder: PathBuf,
    /// The file it was read from; none: it was not read from one.
    pub file: Option<PathBuf>,
    /// What credentials in the store are encrypted with.
    pub secret_key: Option<Arc<Key>>,
    /// The variables that targets may name which the file does not, beside those that are theirs by name.
    pub target_variables: Vec<Glob>,
    /// Model sets by name.
    pub models: BTreeMap<String, Models>,
    /// Targets by name.
    pub targets: BTreeMap<Target, TargetConfig>,
    /// Who may do what.
    pub access: Access,
    /// How much is served at once.
    pub limits: lockstep_northbound::Limits,
    /// How many requests may be under way.
    pub pending: usize,
    /// How much of the log is kept.
    pub retention: lockstep_node::Retention,
    /// Where every step is written down; not from the file.
    pub trace: Option<PathBuf>,
    /// What was asked for and has no effect yet, to be said once.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads a configuration file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// It cannot be read, or says something that cannot be done.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::Unreadable { path: path.into(), error })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let config = Self::parse(&text, folder, &variable);
        let mut config = config.map_err(|problem| Error::Invalid { path: path.into(), problem })?;
        config.access.files.push(path.into());
        Ok(Self { file: Some(path.into()), ..config })
    }

    /// The same, with users, tokens and roles that are read again when they change.
    ///
    /// # Errors
    /// As for reading it once.
    pub(crate) fn read_again(path: &Path) -> Result<Self, Error> {
        let (mut config, path) = (Self::read(path)?, path.to_owned());
        let read = move || match Self::read(&path) {
            Ok(Self { access: Access { rules, files, .. }, .. }) => Ok((rules, files)),
            Err(error) => Err(crate::output::chain(&error)),
        };
        config.access.source = Some(Source { read: Arc::new(read) });
        Ok(config)
    }

    fn parse(
        text: &str,
        folder: &Path,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Problem> {
        let mut file = file::read(tree(text, environment)?)?;
        let mut warnings = Vec::new();
        if let Some(path) = file.targets_file.take() {
            let path = folder.join(path);
            let more = std::fs::read_to_string(&path).map_err(|error| error.to_string());
            let more = more.and_then(|text| {
                let tree = tree(&text, environment).map_err(|problem| problem.to_string())?;
                gnmic::read(&tree).map_err(|problem| problem.to_string())
            });
            let wrong = |why| Problem::value("targets-file", format!("{}: {why}", path.display()));
            let (targets, ignored) = more.map_err(wrong)?;
            file.add_targets(targets)?;
            warnings.extend(ignored_warning(&path, &ignored));
        }
        check::check(file, folder, warnings)
    }
}

/// A variable of the environment.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The variable of the environment that a text stands for.
pub(crate) fn reference(text: &str) -> Option<&str> {
    environment::reference(text)
}

/// The name of a target, unless none can have it.
pub(crate) fn target_name(name: &str) -> Result<Target, String> {
    match name {
        "*" => Err("`*` stands for every target, so none can have that name".to_owned()),
        name => Target::new(name).map_err(|error| error.to_string()),
    }
}

/// Whether a target can have this key.
pub(crate) fn target_key(key: &str) -> Result<(), Problem> {
    gnmic::known(key)
}

/// The targets of a file of gnmic, as options by name. What stands for a variable of the environment stays.
pub(crate) fn targets_of_gnmic(path: &Path) -> Result<Imported, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::Unreadable { path: path.into(), error })?;
    let read = yaml(&text).and_then(|tree| gnmic::options(&tree));
    let (targets, ignored) =
        read.map_err(|problem| Error::Invalid { path: path.into(), problem })?;
    Ok(Imported { targets, warning: ignored_warning(path, &ignored) })
}

/// Targets of a file of gnmic.
#[derive(Debug)]
pub(crate) struct Imported {
    /// Their options, by name.
    pub targets: gnmic::Options,
    /// What of the file was of no use.
    pub warning: Option<String>,
}

fn tree(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Value, Problem> {
    environment::fill(yaml(text)?, environment)
}

/// The tree of a text. What is wrong with it is told by line and column, without the lines around: there
/// may be a password in them, and the error goes into logs and answers.
fn yaml(text: &str) -> Result<Value, Problem> {
    let options = serde_saphyr::options! { with_snippet: false };
    let tree = serde_saphyr::from_str_with_options(text, options);
    tree.map_err(|error| Problem::Syntax(error.render_with_formatter(&UserMessageFormatter)))
}

/// One warning for all that gnmic alone has a use for.
fn ignored_warning(path: &Path, ignored: &BTreeSet<String>) -> Option<String> {
    let names: Vec<&str> = ignored.iter().map(String::as_str).collect();
    let names = names.join(", ");
    (!ignored.is_empty())
        .then(|| format!("{}: these keys are for gnmic and ignored: {names}", path.display()))
}

#[cfg(test)]
mod tests;

//! Where a node keeps its records.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_store::etcd::{Options, Tls, User};

use super::error::Problem;
use super::file::File;
use super::size;

/// The folder of a node that says nothing about it.
const FOLDER: &str = "./data";
/// How often history is let go of, which then lasts once to twice as long.
const COMPACTION: Duration = Duration::from_secs(300);
/// The least: a node that starts has to load the store before what it began with is gone, and a quiet
/// watch looks only once a minute how far the cluster is.
const SHORTEST: Duration = Duration::from_secs(120);

/// A store, not opened yet.
#[derive(Clone, Debug)]
pub(crate) enum StoreConfig {
    /// Embedded, in a folder.
    Folder(PathBuf),
    /// A prefix of an etcd cluster.
    Etcd(Box<Options>),
}

pub(super) fn check(file: &File, folder: &Path) -> Result<StoreConfig, Problem> {
    let given = file.store.as_deref().unwrap_or(FOLDER);
    if given.starts_with("etcd:") {
        return etcd(given, file, folder);
    }
    let keys = [
        ("store-tls", file.store_tls.is_some()),
        ("store-user", file.store_user.is_some()),
        ("store-password", file.store_password.is_some()),
        ("store-compaction", file.store_compaction.is_some()),
    ];
    match keys.into_iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(Problem::value(key, "goes with a store on etcd")),
        None => Ok(StoreConfig::Folder(folder.join(given))),
    }
}

fn etcd(url: &str, file: &File, folder: &Path) -> Result<StoreConfig, Problem> {
    let mut options = Options::parse(url).map_err(|error| Problem::value("store", error))?;
    let read = |key: &str, path: &Path| {
        let path = folder.join(path);
        let wrong = |error| format!("cannot read {}: {error}", path.display());
        std::fs::read(&path)
            .map_err(|error| Problem::value(format!("store-tls.{key}"), wrong(error)))
    };
    if let Some(tls) = &file.store_tls {
        let identity = match (&tls.cert, &tls.key) {
            (Some(cert), Some(key)) => Some((read("cert", cert)?, read("key", key)?)),
            (None, None) => None,
            _ => return Err(Problem::value("store-tls", "`cert` and `key` go together")),
        };
        let ca = read("ca", &tls.ca)?;
        options.tls = Some(Tls { ca, identity, server_name: tls.server_name.clone() });
    }
    options.user = match (&file.store_user, &file.store_password) {
        (Some(name), Some(password)) => {
            Some(User { name: name.clone(), password: password.clone() })
        }
        (None, None) => None,
        _ => return Err(Problem::value("store-user", "and `store-password` go together")),
    };
    options.compaction = compaction(file.store_compaction.as_deref())?;
    Ok(StoreConfig::Etcd(Box::new(options)))
}

fn compaction(given: Option<&str>) -> Result<Option<Duration>, Problem> {
    let wrong = |wrong: String| Problem::value("store-compaction", wrong);
    match given {
        None => Ok(Some(COMPACTION)),
        // Some readers of YAML take `off` for a truth value.
        Some("off" | "false") => Ok(None),
        Some(text) => {
            let every = size::duration(text).map_err(|why| wrong(format!("{why}, or `off`")))?;
            if every < SHORTEST {
                return Err(wrong(format!("{text} is too short; at least 2m, or `off`")));
            }
            Ok(Some(every))
        }
    }
}

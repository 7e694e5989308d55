//! Where a node keeps its records.

use std::path::{Path, PathBuf};

use lockstep_store::etcd::{Options, Tls, User};

use super::error::Problem;
use super::file::File;

/// The folder of a node that says nothing about it.
const FOLDER: &str = "./data";

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
    Ok(StoreConfig::Etcd(Box::new(options)))
}

//! From what the file says to what a node is told.

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;

use lockstep_node::Retention;
use lockstep_northbound::{Glob, Limits, Tls};
use lockstep_types::{NodeName, Target};
use lockstep_yang::Options as Models;

use super::Config;
use super::error::Problem;
use super::file::{File, Size};
use super::{access, size, store, target};
use crate::secret::Key;

const LISTEN: &str = "127.0.0.1:9339";
const HTTP: &str = "127.0.0.1:9340";
const PENDING: usize = 10_000;

pub(super) fn check(file: File, folder: &Path, warnings: Vec<String>) -> Result<Config, Problem> {
    let models = models(&file, folder);
    let targets = targets(&file, folder, &models)?;
    let listen = address("listen", file.listen.as_deref().unwrap_or(LISTEN))?;
    let http = address("http", file.http.as_deref().unwrap_or(HTTP))?;
    let tls = tls(&file, listen, http, folder)?;
    Ok(Config {
        node: node(file.node.as_deref())?,
        listen,
        http,
        tls,
        store: store::check(&file, folder)?,
        folder: folder.to_owned(),
        file: None,
        secret_key: secret_key(&file, folder)?,
        target_variables: file.target_variables.iter().map(Glob::new).collect(),
        models,
        targets,
        access: access::check(&file, folder)?,
        limits: limits(&file)?,
        pending: file.limits.pending.unwrap_or(PENDING),
        trace: None,
        retention: retention(file.retention.as_ref()),
        warnings,
    })
}

/// How much of the log is kept. It is let go of by the hundredth, so that not every change does.
fn retention(given: Option<&super::file::Retention>) -> Retention {
    const DAY: u64 = 24 * 3_600 * 1_000_000_000;
    let usual = Retention::default();
    let transactions = given.and_then(|given| given.transactions).unwrap_or(usual.transactions);
    let age = given.and_then(|given| given.days).map(|days| days.saturating_mul(DAY));
    let step = (transactions / 100).clamp(1, usual.step);
    Retention { transactions, age: age.unwrap_or(usual.age), step }
}

/// How much is served at once.
fn limits(file: &File) -> Result<Limits, Problem> {
    let given = &file.limits;
    let usual = Limits::default();
    let message = match &given.message {
        None => usual.message,
        Some(Size::Bytes(0)) => {
            return Err(Problem::value("limits.message", "0 bytes are too few"));
        }
        Some(Size::Bytes(bytes)) => *bytes,
        Some(Size::Text(text)) => {
            size::bytes(text).map_err(|wrong| Problem::value("limits.message", wrong))?
        }
    };
    Ok(Limits {
        message,
        subscriptions: given.subscriptions.unwrap_or(usual.subscriptions),
        connections: given.connections.unwrap_or(usual.connections),
        behind: given.behind.unwrap_or(usual.behind),
    })
}

/// What credentials in the store are encrypted with.
fn secret_key(file: &File, folder: &Path) -> Result<Option<Arc<Key>>, Problem> {
    let key = file.secret_key_file.as_ref().map(|path| Key::read(&folder.join(path))).transpose();
    let key = key.map_err(|wrong| Problem::value("secret-key-file", wrong))?;
    Ok(key.map(Arc::new))
}

fn node(given: Option<&str>) -> Result<NodeName, Problem> {
    let name = match given {
        Some(name) => name.to_owned(),
        None => std::fs::read_to_string("/proc/sys/kernel/hostname")
            .map_err(|error| Problem::value("node", format!("the host has no name: {error}")))?
            .trim()
            .to_owned(),
    };
    NodeName::new(name).map_err(|error| Problem::value("node", error))
}

fn address(key: &str, text: &str) -> Result<SocketAddr, Problem> {
    let wrong = |why: String| Problem::value(key, format!("{text:?} is no address: {why}"));
    let mut found = text.to_socket_addrs().map_err(|error| wrong(error.to_string()))?;
    found.next().ok_or_else(|| wrong("the name has none".into()))
}

/// Plaintext is for the machine itself only, and only when asked for.
fn tls(
    file: &File,
    listen: SocketAddr,
    http: SocketAddr,
    folder: &Path,
) -> Result<Option<Tls>, Problem> {
    let reachable = [listen, http].into_iter().find(|address| !address.ip().is_loopback());
    match &file.tls {
        Some(_) if file.insecure => {
            Err(Problem::value("insecure", "goes without `tls`; give one of them"))
        }
        Some(tls) if tls.require_client_cert && tls.ca.is_none() => Err(Problem::value(
            "tls.require-client-cert",
            "goes with `tls.ca`, which says whose certificates clients may have",
        )),
        Some(tls) => Ok(Some(Tls {
            cert: folder.join(&tls.cert),
            key: folder.join(&tls.key),
            ca: tls.ca.as_ref().map(|ca| folder.join(ca)),
            require_client_cert: tls.require_client_cert,
        })),
        None if !file.insecure => Err(Problem::value(
            "tls",
            "is missing: give `tls: {cert: …, key: …}`, or `insecure: true` on a loopback address",
        )),
        None => match reachable {
            None => Ok(None),
            Some(at) => Err(Problem::value(
                "insecure",
                format!("is refused on {at}, which others can reach; give `tls` instead"),
            )),
        },
    }
}

fn models(file: &File, folder: &Path) -> BTreeMap<String, Models> {
    let options = |set: &super::file::Models| Models {
        path: folder.join(&set.path),
        modules: set.modules.clone(),
        features: set.features.clone(),
        origin: set.origin.clone(),
    };
    file.models.iter().map(|(name, set)| (name.clone(), options(set))).collect()
}

fn targets(
    file: &File,
    folder: &Path,
    models: &BTreeMap<String, Models>,
) -> Result<BTreeMap<Target, target::TargetConfig>, Problem> {
    let mut targets = BTreeMap::new();
    let models = models.keys().map(String::as_str).collect();
    for (name, given) in &file.targets {
        let at = format!("targets.{name}");
        let name = super::target_name(name).map_err(|wrong| Problem::value(&at, wrong))?;
        let checked = target::check(&at, given, folder, &models)?;
        target::addresses(&checked.driver.addresses).map_err(|wrong| Problem::value(&at, wrong))?;
        targets.insert(name, checked);
    }
    Ok(targets)
}

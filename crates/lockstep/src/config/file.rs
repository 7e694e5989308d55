//! The file as it is written: every key that is known, nothing checked yet.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::error::Problem;
use super::{nearest, scalar};

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) node: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) listen: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) http: Option<String>,
    pub(super) store: Option<String>,
    pub(super) store_tls: Option<StoreTls>,
    pub(super) store_user: Option<String>,
    pub(super) store_password: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) store_compaction: Option<String>,
    #[serde(default, deserialize_with = "truth")]
    pub(super) insecure: bool,
    pub(super) tls: Option<Tls>,
    #[serde(default)]
    pub(super) models: BTreeMap<String, Models>,
    pub(super) targets_file: Option<PathBuf>,
    #[serde(default)]
    pub(super) targets: BTreeMap<String, Target>,
    #[serde(default)]
    pub(super) users: BTreeMap<String, User>,
    #[serde(default)]
    pub(super) tokens: Vec<Token>,
    #[serde(default)]
    pub(super) roles: BTreeMap<String, Role>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) secret_paths: Vec<String>,
    pub(super) audit: Option<Audit>,
    pub(super) secret_key_file: Option<PathBuf>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) target_variables: Vec<String>,
    pub(super) retention: Option<Retention>,
    #[serde(default)]
    pub(super) limits: Limits,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Tls {
    pub(super) cert: PathBuf,
    pub(super) key: PathBuf,
    pub(super) ca: Option<PathBuf>,
    #[serde(default, deserialize_with = "truth")]
    pub(super) require_client_cert: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct StoreTls {
    pub(super) ca: PathBuf,
    pub(super) cert: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
    pub(super) server_name: Option<String>,
}

/// A folder, or a folder with more said about it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Models {
    pub(super) path: PathBuf,
    #[serde(default)]
    pub(super) modules: Vec<String>,
    #[serde(default)]
    pub(super) features: Vec<String>,
    pub(super) origin: Option<String>,
}

/// A target, with gnmic's names where gnmic has one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Target {
    pub(super) address: Addresses,
    #[serde(default, deserialize_with = "truth")]
    pub(super) insecure: bool,
    #[serde(default, deserialize_with = "truth")]
    pub(super) skip_verify: bool,
    pub(super) tls_ca: Option<PathBuf>,
    pub(super) tls_cert: Option<PathBuf>,
    pub(super) tls_key: Option<PathBuf>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) tls_server_name: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) username: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) password: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) token: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) timeout: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) encoding: Option<String>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) tags: Vec<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) model: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) sync: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) drift: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) drift_interval: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) initial: Option<String>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) ignore: Vec<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) role: Option<String>,
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) commit_confirmed: Option<String>,
}

/// A user; what is called their password is its hash.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct User {
    pub(super) password: String,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) groups: Vec<String>,
}

/// Somebody whose tokens are believed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Token {
    pub(super) issuer: String,
    pub(super) audience: String,
    pub(super) key: Option<PathBuf>,
    pub(super) jwks: Option<PathBuf>,
    pub(super) secret: Option<PathBuf>,
    pub(super) name: Option<String>,
    pub(super) groups: Option<String>,
}

/// Rights for some, on some targets, at some paths.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Role {
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) may: Vec<String>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) users: Vec<String>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) groups: Vec<String>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) targets: Vec<String>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) tags: Vec<String>,
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) paths: Vec<String>,
}

/// Where it is written down who did what.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Audit {
    pub(super) file: PathBuf,
    #[serde(default, deserialize_with = "truth")]
    pub(super) reads: bool,
}

/// One address, or several separated by commas or as a list.
#[derive(Clone, Debug)]
pub(super) struct Addresses(pub(super) Vec<String>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Retention {
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) transactions: Option<u64>,
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) days: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Limits {
    pub(super) message: Option<Size>,
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) pending: Option<usize>,
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) subscriptions: Option<usize>,
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) connections: Option<usize>,
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) behind: Option<usize>,
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) rate: Option<u32>,
}

/// A number of bytes, with or without a unit.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Size {
    Bytes(usize),
    Text(String),
}

impl File {
    /// Adds targets from another file. A name that both have is a mistake in one of them.
    pub(super) fn add_targets(&mut self, more: BTreeMap<String, Target>) -> Result<(), Problem> {
        for (name, target) in more {
            if self.targets.contains_key(&name) {
                let at = format!("targets.{name}");
                return Err(Problem::value(at, "is in the targets-file as well; keep one of them"));
            }
            self.targets.insert(name, target);
        }
        Ok(())
    }
}

/// Reads the tree of a file.
pub(super) fn read(mut tree: Value) -> Result<File, Problem> {
    if tree.is_null() {
        tree = Value::Object(serde_json::Map::new());
    }
    if let Some(models) = tree.get_mut("models").and_then(Value::as_object_mut) {
        for set in models.values_mut().filter(|set| set.is_string()) {
            *set = serde_json::json!({ "path": set.take() });
        }
    }
    if let Some(users) = tree.get_mut("users").and_then(Value::as_object_mut) {
        for user in users.values_mut().filter(|user| user.is_string()) {
            *user = serde_json::json!({ "password": user.take() });
        }
    }
    if let Some(audit) = tree.get_mut("audit").filter(|audit| audit.is_string()) {
        *audit = serde_json::json!({ "file": audit.take() });
    }
    checked(tree)
}

/// Reads the tree of one target.
pub(super) fn target(tree: Value) -> Result<Target, Problem> {
    checked(tree)
}

fn checked<T: serde::de::DeserializeOwned>(tree: Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(tree).map_err(|error| {
        let at = error.path().to_string();
        problem(at, &error.into_inner().to_string())
    })
}

/// serde names an unknown key and the known ones in backticks: a fact of its interface that is as
/// old as `deny_unknown_fields` itself, and has a test here.
fn problem(at: String, message: &str) -> Problem {
    let Some(rest) = message.strip_prefix("unknown field `") else {
        return Problem::value(at, without_value(message));
    };
    let mut quoted = rest.split('`');
    let key = quoted.next().unwrap_or_default().to_owned();
    let known: Vec<&str> = quoted.skip(1).step_by(2).collect();
    let hint = nearest::hint(&key, known.into_iter());
    let at = at.strip_suffix(key.as_str()).unwrap_or(&at).trim_end_matches('.').to_owned();
    Problem::UnknownKey { at, key, hint }
}

/// serde quotes a value of the wrong kind, which may be a password: `invalid type: string "…", expected …`.
pub(super) fn without_value(message: &str) -> String {
    let start = message.starts_with("invalid ").then(|| message.find(['`', '"'])).flatten();
    match (start, message.rfind(", expected ")) {
        (Some(start), Some(end)) if start <= end => {
            format!("{}{}", message[..start].trim_end(), &message[end..])
        }
        _ => message.to_owned(),
    }
}

/// A truth value; from the environment it comes as a text.
fn truth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Bool(truth) => Ok(truth),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        other => Err(serde::de::Error::custom(format!("{other} is neither true nor false"))),
    }
}

impl<'de> Deserialize<'de> for Addresses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            One(String),
            Many(Vec<String>),
        }
        let addresses: Vec<String> = match Form::deserialize(deserializer)? {
            Form::One(text) => text.split(',').map(|address| address.trim().to_owned()).collect(),
            Form::Many(addresses) => addresses,
        };
        if addresses.iter().any(String::is_empty) {
            return Err(serde::de::Error::custom("an address is empty"));
        }
        Ok(Self(addresses))
    }
}

//! The file as it is written: every key that is known, nothing checked yet. What is said of each key here is what the
//! reference says (`make reference`).

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
    /// The name of the node, which no other node of the store has.
    ///
    /// Default: the name of the host.
    /// Example: `n1`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) node: Option<String>,
    /// Where gNMI and the admin API are served.
    ///
    /// Default: 127.0.0.1:9339.
    /// Example: `0.0.0.0:9339`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) listen: Option<String>,
    /// Where HTTP is served: the page, REST, /metrics, /healthz, /readyz. On an address of the machine itself it is
    /// plain, on any other it takes `tls`.
    ///
    /// Default: 127.0.0.1:9340.
    /// Example: `0.0.0.0:9340`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) http: Option<String>,
    /// Where the records are kept: a folder, or a prefix of an etcd cluster.
    ///
    /// Default: ./data.
    /// Example: `etcd://10.0.0.1:2379,10.0.0.2:2379/lockstep`
    pub(super) store: Option<String>,
    /// How etcd is spoken to with TLS.
    ///
    /// Default: plaintext.
    /// Example: `{ca: etcd-ca.pem, cert: node.pem, key: node.key}`
    pub(super) store_tls: Option<StoreTls>,
    /// A user of etcd; goes with `store-password`.
    ///
    /// Default: none.
    /// Example: `lockstep`
    pub(super) store_user: Option<String>,
    /// The password of that user.
    ///
    /// Default: none.
    /// Example: `$ETCD_PASSWORD`
    pub(super) store_password: Option<String>,
    /// How often the past of etcd is let go of, or `off` where somebody else sees to that: it concerns the whole
    /// cluster.
    ///
    /// Default: 5m.
    /// Example: `off`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) store_compaction: Option<String>,
    /// The listeners speak plaintext; refused on an address that others can reach.
    ///
    /// Default: false.
    /// Example: `true`
    #[serde(default, deserialize_with = "truth")]
    pub(super) insecure: bool,
    /// The certificate of the listeners, and whose clients are believed.
    ///
    /// Default: none: `insecure` has to be true.
    /// Example: `{cert: node.pem, key: node.key, ca: clients.pem}`
    pub(super) tls: Option<Tls>,
    /// Model sets by name: a folder of YANG modules, or more about one.
    ///
    /// Default: none.
    /// Example: `{lab-1.0: ./models/lab}`
    #[serde(default)]
    pub(super) models: BTreeMap<String, Models>,
    /// More targets, in gnmic's format: its globals are defaults for each, its other keys are ignored with a warning.
    ///
    /// Default: none.
    /// Example: `gnmic.yaml`
    pub(super) targets_file: Option<PathBuf>,
    /// Targets by name. They are created or updated when the node starts; one that is gone from the file is paused,
    /// never removed.
    ///
    /// Default: none.
    /// Example: `{leaf1: {address: "10.0.0.1:57400", model: lab-1.0}}`
    #[serde(default)]
    pub(super) targets: BTreeMap<String, Target>,
    /// Users by name: the hash of the password, as `lockstep user hash` makes it, or more about one.
    ///
    /// Default: nobody is asked who they are.
    /// Example: `{alice: $ALICE_HASH}`
    #[serde(default)]
    pub(super) users: BTreeMap<String, User>,
    /// Whose tokens (JWT) are believed.
    ///
    /// Default: none.
    /// Example: `[{issuer: sso, audience: lockstep, jwks: keys.json}]`
    #[serde(default)]
    pub(super) tokens: Vec<Token>,
    /// Who may do what, by the name of the role.
    ///
    /// Default: every user may do everything.
    /// Example: `{readers: {may: [read], groups: [noc]}}`
    #[serde(default)]
    pub(super) roles: BTreeMap<String, Role>,
    /// Values there are masked everywhere, but for a role that may `read-secrets`.
    ///
    /// Default: none.
    /// Example: `["/**/password"]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) secret_paths: Vec<String>,
    /// Where it is written down who did what: a file, or `log`.
    ///
    /// Default: none.
    /// Example: `/var/log/lockstep/audit.jsonl`
    pub(super) audit: Option<Audit>,
    /// The key that credentials of targets are encrypted with in the store, where they are no references: at least 32
    /// bytes that nobody can guess.
    ///
    /// Default: credentials of targets that are added while nodes run have to be references.
    /// Example: `secret.key`
    pub(super) secret_key_file: Option<PathBuf>,
    /// Which variables of the environment targets may name that are added while nodes run; `*` stands for anything.
    ///
    /// Default: those whose name begins with LOCKSTEP_TARGET_.
    /// Example: `[LAB_PASSWORD]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) target_variables: Vec<String>,
    /// How much of the log is kept.
    ///
    /// Default: see below.
    /// Example: `{transactions: 100000, days: 90}`
    pub(super) retention: Option<Retention>,
    /// How much is served at once.
    ///
    /// Default: see below.
    /// Example: `{message: 16MiB, pending: 10000}`
    #[serde(default)]
    pub(super) limits: Limits,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Tls {
    /// The certificate chain, PEM. Files that change are taken up with the next connection.
    ///
    /// Default: none: it is needed.
    /// Example: `node.pem`
    pub(super) cert: PathBuf,
    /// Its key, PEM.
    ///
    /// Default: none: it is needed.
    /// Example: `node.key`
    pub(super) key: PathBuf,
    /// Who signs certificates of clients, PEM.
    ///
    /// Default: clients show none.
    /// Example: `clients.pem`
    pub(super) ca: Option<PathBuf>,
    /// Whether a client must show one.
    ///
    /// Default: false.
    /// Example: `true`
    #[serde(default, deserialize_with = "truth")]
    pub(super) require_client_cert: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct StoreTls {
    /// Who signs the certificates of etcd, PEM.
    ///
    /// Default: none: it is needed.
    /// Example: `etcd-ca.pem`
    pub(super) ca: PathBuf,
    /// Our own certificate, PEM; goes with `key`.
    ///
    /// Default: none.
    /// Example: `node.pem`
    pub(super) cert: Option<PathBuf>,
    /// Its key, PEM.
    ///
    /// Default: none.
    /// Example: `node.key`
    pub(super) key: Option<PathBuf>,
    /// The name in etcd's certificate, if that is not its address.
    ///
    /// Default: the address.
    /// Example: `etcd.example`
    pub(super) server_name: Option<String>,
}

/// A folder, or a folder with more said about it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Models {
    /// The folder of the modules.
    ///
    /// Default: none: it is needed.
    /// Example: `./models/lab`
    pub(super) path: PathBuf,
    /// The modules to implement, by name or `name@revision`, and what they need.
    ///
    /// Default: all of the folder.
    /// Example: `[lab]`
    #[serde(default)]
    pub(super) modules: Vec<String>,
    /// Features to switch on: `module:feature`, `module:*`, or `*` for all.
    ///
    /// Default: none.
    /// Example: `["*"]`
    #[serde(default)]
    pub(super) features: Vec<String>,
    /// The origin of gNMI that paths of this set have.
    ///
    /// Default: none.
    /// Example: `openconfig`
    pub(super) origin: Option<String>,
}

/// A target, with gnmic's names where gnmic has one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Target {
    /// Where it is; several, separated by commas or as a list, are tried in turn.
    ///
    /// Default: none: it is needed.
    /// Example: `"10.0.0.1:57400"`
    pub(super) address: Addresses,
    /// It speaks plaintext.
    ///
    /// Default: false.
    /// Example: `true`
    #[serde(default, deserialize_with = "truth")]
    pub(super) insecure: bool,
    /// Its certificate is taken unseen.
    ///
    /// Default: false.
    /// Example: `true`
    #[serde(default, deserialize_with = "truth")]
    pub(super) skip_verify: bool,
    /// Who signs its certificate, PEM.
    ///
    /// Default: the device is not believed without it, or `skip-verify`.
    /// Example: `ca.pem`
    pub(super) tls_ca: Option<PathBuf>,
    /// Our own certificate, PEM; goes with `tls-key`.
    ///
    /// Default: none.
    /// Example: `client.pem`
    pub(super) tls_cert: Option<PathBuf>,
    /// Its key, PEM.
    ///
    /// Default: none.
    /// Example: `client.key`
    pub(super) tls_key: Option<PathBuf>,
    /// The name in its certificate, if that is not its address.
    ///
    /// Default: the address.
    /// Example: `leaf1.example`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) tls_server_name: Option<String>,
    /// Who we are to it.
    ///
    /// Default: none.
    /// Example: `admin`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) username: Option<String>,
    /// The password.
    ///
    /// Default: none.
    /// Example: `$LEAF1_PASSWORD`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) password: Option<String>,
    /// A token in place of both.
    ///
    /// Default: none.
    /// Example: `$LEAF1_TOKEN`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) token: Option<String>,
    /// How long it is waited for; a Set that is not answered by then is taken to be unknown.
    ///
    /// Default: 10s.
    /// Example: `30s`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) timeout: Option<String>,
    /// How values are written: json or json_ietf.
    ///
    /// Default: what the device prefers.
    /// Example: `json`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) encoding: Option<String>,
    /// To find it by, and for roles.
    ///
    /// Default: none.
    /// Example: `[pod1]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) tags: Vec<String>,
    /// Its model set.
    ///
    /// Default: the only one there is.
    /// Example: `lab-1.0`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) model: Option<String>,
    /// How it is brought in line: merge sends the difference.
    ///
    /// Default: merge.
    /// Example: `merge`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) sync: Option<String>,
    /// What is done when it was changed behind our back: report, enforce (it is changed back) or adopt (that is
    /// recorded).
    ///
    /// Default: report.
    /// Example: `enforce`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) drift: Option<String>,
    /// How often a device is read that does not tell of changes.
    ///
    /// Default: 5m.
    /// Example: `1m`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) drift_interval: Option<String>,
    /// What is done when it is first met: adopt (what it has is recorded) or replace (it is made to match).
    ///
    /// Default: adopt.
    /// Example: `replace`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) initial: Option<String>,
    /// Where it may differ without anyone caring.
    ///
    /// Default: nowhere.
    /// Example: `[/system/clock]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) ignore: Vec<String>,
    /// The role of master arbitration.
    ///
    /// Default: lockstep.
    /// Example: `lockstep`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) role: Option<String>,
    /// Whether changes are tried first on devices that can (commit-confirmed): never or always.
    ///
    /// Default: with changes of two targets and more.
    /// Example: `always`
    #[serde(default, deserialize_with = "scalar::text")]
    pub(super) commit_confirmed: Option<String>,
}

/// A user; what is called their password is its hash.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct User {
    /// The hash of the password, as `lockstep user hash` makes it.
    ///
    /// Default: none: it is needed.
    /// Example: `$ALICE_HASH`
    pub(super) password: String,
    /// The groups that the user is in.
    ///
    /// Default: none.
    /// Example: `[noc]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) groups: Vec<String>,
}

/// Somebody whose tokens are believed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Token {
    /// Who issues them (`iss`).
    ///
    /// Default: none: it is needed.
    /// Example: `https://sso.example`
    pub(super) issuer: String,
    /// Whom they are meant for (`aud`).
    ///
    /// Default: none: it is needed.
    /// Example: `lockstep`
    pub(super) audience: String,
    /// A public key, PEM; one of `key`, `jwks` and `secret`.
    ///
    /// Default: none.
    /// Example: `key.pem`
    pub(super) key: Option<PathBuf>,
    /// A file of public keys (JWKS), which is read again when it changes.
    ///
    /// Default: none.
    /// Example: `keys.json`
    pub(super) jwks: Option<PathBuf>,
    /// A file with a secret that both sides know.
    ///
    /// Default: none.
    /// Example: `secret`
    pub(super) secret: Option<PathBuf>,
    /// The claim that has the name.
    ///
    /// Default: sub.
    /// Example: `email`
    pub(super) name: Option<String>,
    /// The claim that has the groups.
    ///
    /// Default: groups.
    /// Example: `roles`
    pub(super) groups: Option<String>,
}

/// Rights for some, on some targets, at some paths.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Role {
    /// What it gives: read, change, operate, read-secrets.
    ///
    /// Default: none: it is needed.
    /// Example: `[read, change]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) may: Vec<String>,
    /// Whose role it is; `*` stands for anything. This or `groups` is needed.
    ///
    /// Default: none.
    /// Example: `[alice]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) users: Vec<String>,
    /// Whose groups have it.
    ///
    /// Default: none.
    /// Example: `[noc]`
    #[serde(default, deserialize_with = "scalar::texts")]
    pub(super) groups: Vec<String>,
    /// On which targets; `*` stands for anything.
    ///
    /// Default: all.
    /// Example: `["leaf*"]`
    #[serde(default, deserialize_with = "scalar::some_texts")]
    pub(super) targets: Option<Vec<String>>,
    /// On targets with one of these tags.
    ///
    /// Default: all.
    /// Example: `[pod1]`
    #[serde(default, deserialize_with = "scalar::some_texts")]
    pub(super) tags: Option<Vec<String>>,
    /// At which paths and below.
    ///
    /// Default: everywhere.
    /// Example: `["/interfaces/**"]`
    #[serde(default, deserialize_with = "scalar::some_texts")]
    pub(super) paths: Option<Vec<String>>,
}

/// Where it is written down who did what.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Audit {
    /// The file, or `log`.
    ///
    /// Default: none: it is needed.
    /// Example: `/var/log/lockstep/audit.jsonl`
    pub(super) file: PathBuf,
    /// Whether what only reads is written down too.
    ///
    /// Default: false.
    /// Example: `true`
    #[serde(default, deserialize_with = "truth")]
    pub(super) reads: bool,
}

/// One address, or several separated by commas or as a list.
#[derive(Clone, Debug)]
pub(super) struct Addresses(pub(super) Vec<String>);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Retention {
    /// So many transactions are kept.
    ///
    /// Default: 100000.
    /// Example: `10000`
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) transactions: Option<u64>,
    /// And none that is older than so many days, but for the last.
    ///
    /// Default: 90.
    /// Example: `30`
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) days: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Limits {
    /// The largest message, in bytes or with a unit.
    ///
    /// Default: 16MiB.
    /// Example: `64MiB`
    pub(super) message: Option<Size>,
    /// How many transactions may be open.
    ///
    /// Default: 10000.
    /// Example: `1000`
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) pending: Option<usize>,
    /// How many Subscribe calls and watches may be open; nobody has more than half.
    ///
    /// Default: 1000.
    /// Example: `100`
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) subscriptions: Option<usize>,
    /// How many connections clients may have, over gRPC and HTTP together; no network has more than half.
    ///
    /// Default: 1000.
    /// Example: `200`
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) connections: Option<usize>,
    /// How many transactions a subscriber may be behind before it is cut off.
    ///
    /// Default: 1000.
    /// Example: `5000`
    #[serde(default, deserialize_with = "scalar::count")]
    pub(super) behind: Option<usize>,
    /// How many calls a second one user may make.
    ///
    /// Default: 2000 for everybody who is known; no limit where nobody is asked.
    /// Example: `100`
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

//! `targets-file`: targets in gnmic's own format. Its globals are defaults for every target; what it
//! says beyond how a target is reached is for gnmic, and ignored.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::error::Problem;
use super::file::{Target, without_value};
use super::nearest;

/// The port of gNMI, which gnmic adds to an address without one.
const PORT: u64 = 57400;

/// What gnmic says once for all targets, and may say again for each.
const SHARED: [&str; 11] = [
    "username",
    "password",
    "token",
    "insecure",
    "skip-verify",
    "tls-ca",
    "tls-cert",
    "tls-key",
    "tls-server-name",
    "timeout",
    "encoding",
];

/// What else is read of a target: gnmic's, then ours, which gnmic ignores in its turn.
const OWN: [&str; 11] = [
    "address",
    "tags",
    "model",
    "sync",
    "drift",
    "drift-interval",
    "initial",
    "ignore",
    "role",
    "commit-confirmed",
    "name",
];

/// Whether a target can have this key.
///
/// # Errors
/// It cannot, and which one may be meant.
pub(super) fn known(key: &str) -> Result<(), Problem> {
    let keys = SHARED.iter().chain(&OWN).copied().filter(|known| *known != "name");
    if keys.clone().any(|known| known == key) {
        return Ok(());
    }
    let hint = nearest::hint(key, keys);
    Err(Problem::UnknownKey { at: String::new(), key: key.to_owned(), hint })
}

/// Options of targets, by name.
pub(crate) type Options = BTreeMap<String, Map<String, Value>>;

/// The targets of a file as options by name, and the keys that were ignored.
pub(super) fn options(tree: &Value) -> Result<(Options, BTreeSet<String>), Problem> {
    let empty = Map::new();
    let top = match tree {
        Value::Object(top) => top,
        Value::Null => &empty,
        _ => return Err(Problem::value("", "is not a map of keys")),
    };
    let used = |key: &&String| {
        SHARED.contains(&key.as_str()) || ["targets", "port"].contains(&key.as_str())
    };
    let mut ignored: BTreeSet<String> = top.keys().filter(|key| !used(key)).cloned().collect();
    let port = top.get("port").and_then(Value::as_u64).unwrap_or(PORT);
    let targets = match top.get("targets") {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(targets)) => targets,
        Some(_) => return Err(Problem::value("targets", "is not a map from name to target")),
    };
    let mut read = BTreeMap::new();
    for (name, given) in targets {
        let merged = merge(top, name, given, port, &mut ignored)?;
        let name = given.get("name").and_then(Value::as_str).unwrap_or(name).to_owned();
        read.insert(name, merged);
    }
    Ok((read, ignored))
}

/// The targets of a file, and the keys that were ignored.
pub(super) fn read(tree: &Value) -> Result<(BTreeMap<String, Target>, BTreeSet<String>), Problem> {
    let (options, ignored) = options(tree)?;
    let target = |(name, options): (String, Map<String, Value>)| {
        let target = serde_path_to_error::deserialize(Value::Object(options));
        let target = target.map_err(|error| {
            let at = format!("targets.{name}.{}", error.path());
            Problem::value(at, without_value(&error.into_inner().to_string()))
        })?;
        Ok((name, target))
    };
    Ok((options.into_iter().map(target).collect::<Result<_, Problem>>()?, ignored))
}

/// One target with the globals it does not override, and nothing that is not read.
fn merge(
    top: &Map<String, Value>,
    name: &str,
    given: &Value,
    port: u64,
    ignored: &mut BTreeSet<String>,
) -> Result<Map<String, Value>, Problem> {
    let empty = Map::new();
    let given = match given {
        Value::Object(given) => given,
        Value::Null => &empty,
        _ => return Err(Problem::value(format!("targets.{name}"), "is not a map of keys")),
    };
    let known = |key: &str| SHARED.contains(&key) || OWN.contains(&key);
    ignored.extend(given.keys().filter(|key| !known(key)).map(|key| format!("targets.*.{key}")));
    let globals = top.iter().filter(|(key, _)| SHARED.contains(&key.as_str()));
    let own = given.iter().filter(|(key, _)| known(key) && *key != "name");
    let both = globals.chain(own).filter(|(_, value)| !value.is_null());
    let mut merged: Map<String, Value> =
        both.map(|(key, value)| (key.clone(), value.clone())).collect();
    let address = given.get("address").and_then(Value::as_str).unwrap_or(name);
    let addresses: Vec<String> =
        address.split(',').map(|address| with_port(address.trim(), port)).collect();
    merged.insert("address".into(), json!(addresses));
    Ok(merged)
}

/// An address with its port: `::1` has none, `[::1]:57400` and `leaf1:57400` have one.
fn with_port(address: &str, port: u64) -> String {
    let colons = address.matches(':').count();
    match (address.starts_with('['), colons) {
        (true, _) if address.ends_with(']') => format!("{address}:{port}"),
        (false, 0) => format!("{address}:{port}"),
        (false, 2..) => format!("[{address}]:{port}"),
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{read, with_port};

    #[test]
    fn globals_are_defaults_and_other_keys_are_for_gnmic() {
        let tree = json!({
            "username": "admin", "password": "secret", "skip-verify": true, "timeout": "5s", "port": 6030,
            "log": true, "subscriptions": { "all": {} },
            "targets": {
                "leaf1": { "address": "10.0.0.1:57400", "username": "root", "outputs": ["x"], "tags": ["pod1"] },
                "10.0.0.2": null,
                "third": { "name": "leaf3", "address": "10.0.0.3", "model": "lab-1.0" },
            },
        });
        let (targets, ignored) = read(&tree).unwrap();
        let names: Vec<&str> = targets.keys().map(String::as_str).collect();
        assert_eq!(names, ["10.0.0.2", "leaf1", "leaf3"]);
        let leaf1 = &targets["leaf1"];
        assert_eq!(leaf1.address.0, ["10.0.0.1:57400"]);
        assert_eq!(
            (leaf1.username.as_deref(), leaf1.password.as_deref()),
            (Some("root"), Some("secret"))
        );
        assert!(leaf1.skip_verify && leaf1.timeout.as_deref() == Some("5s"));
        assert_eq!(targets["10.0.0.2"].address.0, ["10.0.0.2:6030"]);
        assert_eq!(targets["leaf3"].model.as_deref(), Some("lab-1.0"));
        let ignored: Vec<&str> = ignored.iter().map(String::as_str).collect();
        assert_eq!(ignored, ["log", "subscriptions", "targets.*.outputs"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong =
            read(&json!({ "targets": { "leaf1": { "insecure": "perhaps" } } })).unwrap_err();
        assert!(wrong.to_string().starts_with("targets.leaf1.insecure: "), "{wrong}");
        assert!(read(&json!({ "targets": [] })).is_err());
        assert!(read(&json!(null)).unwrap().0.is_empty());
    }

    #[test]
    fn an_address_gets_its_port() {
        for (given, full) in [
            ("leaf1", "leaf1:7"),
            ("leaf1:1", "leaf1:1"),
            ("::1", "[::1]:7"),
            ("[::1]", "[::1]:7"),
            ("[::1]:1", "[::1]:1"),
        ] {
            assert_eq!(with_port(given, 7), full);
        }
    }
}

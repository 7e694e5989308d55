//! What is said of a target on the command line, as the keys of the configuration file.

use std::io::Read;

use clap::Args;
use prost_types::value::Kind;
use prost_types::{ListValue, NullValue, Struct};
use serde_json::{Map, Value};

use crate::cli::Failed;
use crate::completions;

/// What can be said of a target, by key.
pub(super) const KEYS: [&str; 21] = [
    "address",
    "model",
    "insecure",
    "skip-verify",
    "tls-ca",
    "tls-cert",
    "tls-key",
    "tls-server-name",
    "username",
    "password",
    "token",
    "timeout",
    "encoding",
    "sync",
    "drift",
    "drift-interval",
    "initial",
    "ignore",
    "tags",
    "role",
    "commit-confirmed",
];

/// Where a new target is.
#[derive(Debug, Args)]
pub(super) struct Reference {
    /// Where it is, as HOST:PORT; may be given several times
    #[arg(long, value_name = "ADDRESS", required = true)]
    pub(super) address: Vec<String>,
}

/// Everything else that can be said of a target. What is about the way to the device says so: flags of the same
/// name without that are about the node that is asked.
#[derive(Debug, Default, Args)]
pub(super) struct Options {
    /// Its model set; may be left out where there is only one
    #[arg(long, add = completions::models())]
    model: Option<String>,
    /// Speak to the device without TLS
    #[arg(long)]
    device_insecure: bool,
    /// Speak TLS, and believe whoever answers to be the device
    #[arg(long)]
    device_skip_verify: bool,
    /// Who signed the device's certificate: a PEM file of the nodes
    #[arg(long, value_name = "FILE")]
    device_tls_ca: Option<String>,
    /// Our certificate for the device: a PEM file of the nodes
    #[arg(long, value_name = "FILE", requires = "device_tls_key")]
    device_tls_cert: Option<String>,
    /// Its key
    #[arg(long, value_name = "FILE", requires = "device_tls_cert")]
    device_tls_key: Option<String>,
    /// The name in the device's certificate, where it is not that of the address
    #[arg(long, value_name = "NAME")]
    device_tls_server_name: Option<String>,
    /// Who we are to the device
    #[arg(long, value_name = "NAME")]
    device_username: Option<String>,
    /// The variable that has the password, in the environment of each node
    #[arg(long, value_name = "VARIABLE", conflicts_with = "device_password_file")]
    device_password_env: Option<String>,
    /// A file here that has the password; `-` reads standard input. Kept encrypted, with the nodes' secret-key-file
    #[arg(long, value_name = "FILE")]
    device_password_file: Option<String>,
    /// The variable that has the token, in the environment of each node
    #[arg(long, value_name = "VARIABLE", conflicts_with = "device_token_file")]
    device_token_env: Option<String>,
    /// A file here that has the token
    #[arg(long, value_name = "FILE")]
    device_token_file: Option<String>,
    /// How long the device is waited for, such as 10s
    #[arg(long)]
    timeout: Option<String>,
    /// json or json_ietf; what the device prefers, if it is left out
    #[arg(long, add = completions::words(&["json", "json_ietf"]))]
    encoding: Option<String>,
    /// How the device is brought in line: merge
    #[arg(long, add = completions::words(&["merge"]))]
    sync: Option<String>,
    /// What is done when somebody else changes it: report, enforce or adopt
    #[arg(long, add = completions::words(&["report", "enforce", "adopt"]))]
    drift: Option<String>,
    /// How often it is read, where it does not tell of changes, such as 5m
    #[arg(long, value_name = "TIME")]
    drift_interval: Option<String>,
    /// What is done when it is first met: adopt what it has, or replace it
    #[arg(long, add = completions::words(&["adopt", "replace"]))]
    initial: Option<String>,
    /// Where it may change without anyone caring; may be given several times
    #[arg(long, value_name = "PATH")]
    ignore: Vec<String>,
    /// To find it by; may be given several times
    #[arg(long, add = completions::tags())]
    tag: Vec<String>,
    /// Among which clients of the device we are the only master
    #[arg(long)]
    role: Option<String>,
    /// When commit-confirmed of the device is used: never or always
    #[arg(long, value_name = "WHEN", add = completions::words(&["never", "always"]))]
    commit_confirmed: Option<String>,
}

impl Options {
    /// Whether a credential is sent along, to be encrypted by the node.
    pub(super) fn is_secret(&self) -> bool {
        self.device_password_file.is_some() || self.device_token_file.is_some()
    }

    /// Whether what the device has goes when it is first met.
    pub(super) fn replaces(&self) -> bool {
        self.initial.as_deref() == Some("replace")
    }

    /// What was given, with these addresses and without those keys.
    pub(super) fn given(
        &self,
        addresses: &[String],
        unset: &[String],
    ) -> Result<Map<String, Value>, Failed> {
        let password =
            credential(self.device_password_env.as_ref(), self.device_password_file.as_ref())?;
        let token = credential(self.device_token_env.as_ref(), self.device_token_file.as_ref())?;
        let texts = [
            ("model", self.model.clone()),
            ("tls-ca", self.device_tls_ca.clone()),
            ("tls-cert", self.device_tls_cert.clone()),
            ("tls-key", self.device_tls_key.clone()),
            ("tls-server-name", self.device_tls_server_name.clone()),
            ("username", self.device_username.clone()),
            ("password", password),
            ("token", token),
            ("timeout", self.timeout.clone()),
            ("encoding", self.encoding.clone()),
            ("sync", self.sync.clone()),
            ("drift", self.drift.clone()),
            ("drift-interval", self.drift_interval.clone()),
            ("initial", self.initial.clone()),
            ("role", self.role.clone()),
            ("commit-confirmed", self.commit_confirmed.clone()),
        ];
        let truths = [("insecure", self.device_insecure), ("skip-verify", self.device_skip_verify)];
        let addresses: Vec<String> =
            addresses.iter().flat_map(|one| one.split(',')).map(|one| one.trim().into()).collect();
        let lists = [("address", &addresses), ("ignore", &self.ignore), ("tags", &self.tag)];
        let mut given: Map<String, Value> =
            unset.iter().map(|key| (key.clone(), Value::Null)).collect();
        let texts = texts.into_iter().filter_map(|(key, text)| Some((key, Value::String(text?))));
        let truths = truths.into_iter().filter(|(_, truth)| *truth);
        let truths = truths.map(|(key, truth)| (key, Value::Bool(truth)));
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let lists = lists.map(|(key, list)| (key, Value::from(list.as_slice())));
        let all = texts.chain(truths).chain(lists);
        given.extend(all.map(|(key, value)| (key.to_owned(), value)));
        Ok(given)
    }
}

/// A reference to a variable, or what a file has.
fn credential(variable: Option<&String>, file: Option<&String>) -> Result<Option<String>, Failed> {
    let Some(file) = file else { return Ok(variable.map(|name| format!("${name}"))) };
    let mut text = String::new();
    let read = match file.as_str() {
        "-" => std::io::stdin().read_to_string(&mut text).map(drop),
        path => std::fs::read_to_string(path).map(|read| text = read),
    };
    read.map_err(|error| format!("cannot read {file}: {error}"))?;
    let plain = text.strip_suffix('\n').unwrap_or(&text);
    // A dollar of its own is not to be taken for a variable.
    let escaped = if plain.starts_with('$') { format!("${plain}") } else { plain.to_owned() };
    Ok(Some(escaped))
}

/// The same on the wire.
pub(super) fn wire(options: Map<String, Value>) -> Struct {
    Struct { fields: options.into_iter().map(|(key, value)| (key, value_on_wire(value))).collect() }
}

fn value_on_wire(value: Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(NullValue::NullValue.into()),
        Value::Bool(truth) => Kind::BoolValue(truth),
        // Beyond what a number on the wire can say, its digits can.
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.abs() < 9e15 => Kind::NumberValue(float),
            _ => Kind::StringValue(number.to_string()),
        },
        Value::String(text) => Kind::StringValue(text),
        Value::Array(values) => {
            Kind::ListValue(ListValue { values: values.into_iter().map(value_on_wire).collect() })
        }
        Value::Object(map) => Kind::StructValue(wire(map)),
    };
    prost_types::Value { kind: Some(kind) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_given_is_said() {
        let options = Options {
            device_insecure: true,
            tag: vec!["pod1".into()],
            device_password_env: Some("LEAF".into()),
            ..Options::default()
        };
        let given = options.given(&["a:1, b:1".into(), "c:1".into()], &["role".into()]).unwrap();
        let expected = json!({
            "address": ["a:1", "b:1", "c:1"], "insecure": true, "tags": ["pod1"], "password": "$LEAF", "role": null,
        });
        assert_eq!(Value::Object(given), expected);
        assert!(Options::default().given(&[], &[]).unwrap().is_empty());
    }

    #[test]
    fn a_password_of_a_file_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        for (text, said) in [("secret\n", "secret"), ("$HOME", "$$HOME"), (" a b ", " a b ")] {
            std::fs::write(&file, text).unwrap();
            let path = Some(file.display().to_string());
            assert_eq!(credential(None, path.as_ref()).unwrap().as_deref(), Some(said));
        }
        assert!(credential(None, Some(&"/nowhere/at/all".to_owned())).is_err());
    }
}

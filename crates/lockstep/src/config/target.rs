//! One target of the file.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use lockstep_protocol::record::{Drift, Initial, Trials};
use lockstep_southbound::gnmi::{Encoding, Options};

use super::error::Problem;
use super::file::Target;
use super::{environment, nearest, size};

/// A device is not read more often to see whether it drifted.
const SHORTEST: Duration = Duration::from_secs(1);

/// A target, checked.
#[derive(Clone, Debug)]
pub(crate) struct TargetConfig {
    /// The name of its model set.
    pub model: String,
    /// How it is reached.
    pub driver: Options,
    /// What is done when it is first met.
    pub initial: Initial,
    /// What is done when it was changed behind our back.
    pub drift: Drift,
    /// When use is made of commit-confirmed.
    pub trials: Trials,
    /// Where it may differ from what is wanted without anyone caring.
    pub ignore: Vec<lockstep_types::Path>,
    /// To find it by.
    pub tags: Vec<String>,
}

pub(super) fn check(
    at: &str,
    given: &Target,
    folder: &Path,
    models: &BTreeSet<&str>,
) -> Result<TargetConfig, Problem> {
    let initial = match given.initial.as_deref() {
        None | Some("adopt") => Initial::Adopt,
        Some("replace") => Initial::Replace,
        Some(other) => return Err(choice(at, "initial", other, &["adopt", "replace"])),
    };
    only(at, "sync", given.sync.as_deref(), "merge", &["merge", "replace"])?;
    let drift = match given.drift.as_deref() {
        None | Some("report") => Drift::Report,
        Some("enforce") => Drift::Enforce,
        Some("adopt") => Drift::Adopt,
        Some(other) => return Err(choice(at, "drift", other, &["report", "enforce", "adopt"])),
    };
    let trials = match given.commit_confirmed.as_deref() {
        None => Trials::Shared,
        Some("never") => Trials::Never,
        Some("always") => Trials::Always,
        Some(other) => return Err(choice(at, "commit-confirmed", other, &["never", "always"])),
    };
    Ok(TargetConfig {
        model: model(at, given.model.as_deref(), models)?,
        driver: driver(at, given, folder)?,
        initial,
        drift,
        trials,
        ignore: ignored(at, &given.ignore)?,
        tags: given.tags.clone(),
    })
}

/// Nobody listens at an address without a port, however long it is tried. What stands for a variable of the environment
/// is known where it is used.
pub(crate) fn addresses(given: &[String]) -> Result<(), String> {
    let is_known = |one: &&String| environment::reference(one).is_none();
    match given.iter().filter(is_known).find(|one| !has_port(one)) {
        None => Ok(()),
        Some(wrong) => Err(format!(
            "address: `{wrong}` is not HOST:PORT, such as leaf1:57400, 10.0.0.1:57400 or [2001:db8::1]:57400"
        )),
    }
}

/// Whether an address is HOST:PORT.
pub(crate) fn has_port(address: &str) -> bool {
    address.rsplit_once(':').is_some_and(|(host, port)| {
        let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(inside) => inside.contains(':'),
            None => !host.is_empty() && !host.contains(':'),
        };
        is_host && port.parse::<u16>().is_ok()
    })
}

fn ignored(at: &str, given: &[String]) -> Result<Vec<lockstep_types::Path>, Problem> {
    let read = |(number, text): (usize, &String)| {
        text.parse().map_err(|error| Problem::value(key(at, &format!("ignore[{number}]")), error))
    };
    given.iter().enumerate().map(read).collect()
}

/// The model set that is named, or the only one there is.
fn model(at: &str, given: Option<&str>, models: &BTreeSet<&str>) -> Result<String, Problem> {
    let at = key(at, "model");
    match given {
        Some(name) if models.contains(name) => Ok(name.to_owned()),
        Some(name) => {
            let hint = nearest::hint(name, models.iter().copied());
            Err(Problem::value(at, format!("there is no model set `{name}`; {hint}")))
        }
        None if models.len() == 1 => Ok(models.iter().copied().collect()),
        None => Err(Problem::value(at, "is missing: name one of the sets under `models`")),
    }
}

fn driver(at: &str, given: &Target, folder: &Path) -> Result<Options, Problem> {
    let file = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| folder.join(path));
    let defaults = Options::default();
    let timeout = time(at, "timeout", given.timeout.as_deref())?;
    let drift_interval = time(at, "drift-interval", given.drift_interval.as_deref())?;
    if drift_interval.is_some_and(|interval| interval < SHORTEST) {
        let wrong = "is too short: the device would be read all the time; at least 1s";
        return Err(Problem::value(key(at, "drift-interval"), wrong));
    }
    let encoding = match given.encoding.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None => None,
        Some("json") => Some(Encoding::Json),
        Some("json_ietf") => Some(Encoding::JsonIetf),
        Some(other) => return Err(choice(at, "encoding", other, &["json", "json_ietf"])),
    };
    if given.tls_cert.is_some() != given.tls_key.is_some() {
        return Err(Problem::value(at, "`tls-cert` and `tls-key` go together"));
    }
    Ok(Options {
        addresses: given.address.0.clone(),
        insecure: given.insecure,
        skip_verify: given.skip_verify,
        tls_ca: file(&given.tls_ca),
        tls_cert: file(&given.tls_cert),
        tls_key: file(&given.tls_key),
        tls_server_name: given.tls_server_name.clone(),
        username: given.username.clone(),
        password: given.password.clone(),
        token: given.token.clone(),
        timeout: timeout.unwrap_or(defaults.timeout),
        drift_interval: drift_interval.unwrap_or(defaults.drift_interval),
        encoding,
        role: given.role.clone().unwrap_or(defaults.role),
        commit_confirmed: given.commit_confirmed.as_deref() != Some("never"),
        ..Options::default()
    })
}

fn time(at: &str, key: &str, given: Option<&str>) -> Result<Option<Duration>, Problem> {
    let read = given.map(size::duration).transpose();
    read.map_err(|wrong| Problem::value(self::key(at, key), wrong))
}

/// Where a key is; alone where there is nothing around it.
fn key(at: &str, key: &str) -> String {
    if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") }
}

/// A key of which only one choice is there yet.
fn only(
    at: &str,
    key: &str,
    given: Option<&str>,
    there: &str,
    known: &[&str],
) -> Result<(), Problem> {
    match given {
        None => Ok(()),
        Some(value) if value == there => Ok(()),
        Some(value) if known.contains(&value) => {
            Err(Problem::unimplemented(self::key(at, key), format!("`{value}`")))
        }
        Some(value) => Err(choice(at, key, value, known)),
    }
}

fn choice(at: &str, key: &str, given: &str, known: &[&str]) -> Problem {
    let known = known.join(", ");
    Problem::value(self::key(at, key), format!("`{given}` is not one of {known}"))
}

#[cfg(test)]
mod tests {
    use super::has_port;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for address in ["leaf1:57400", "10.0.0.1:1", "[2001:db8::1]:57400", "127.0.0.1:0"] {
            assert!(has_port(address), "{address}");
        }
        for address in [
            "",
            "leaf1",
            ":1",
            "leaf1:",
            "leaf1:x",
            "leaf1:70000",
            "::1",
            "2001:db8::1:57400",
            "[::1]",
        ] {
            assert!(!has_port(address), "{address}");
        }
    }
}

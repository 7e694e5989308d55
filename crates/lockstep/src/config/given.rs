//! A target that the file does not name: whoever gave its options reads what is said of them, so that
//! little of a node's environment can be among them, and nothing of it in an error.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

use super::error::Problem;
use super::target::{TargetConfig, check};
use super::{environment, file};

/// The options that may come from the environment.
const FROM_ENVIRONMENT: [&str; 4] = ["address", "username", "password", "token"];

/// A target, from the same keys as in the file. What is wrong is told with the key alone.
pub(crate) fn target(
    options: Map<String, Value>,
    folder: &Path,
    models: &BTreeSet<&str>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<TargetConfig, Problem> {
    let address = options.get("address").cloned();
    let filled = options.into_iter().map(|(key, value)| {
        if FROM_ENVIRONMENT.contains(&key.as_str()) {
            let value = environment::fill_at(&key, value, environment)?;
            return Ok((key, value));
        }
        plain(&key, &value)?;
        Ok((key, value))
    });
    let filled: Map<String, Value> = filled.collect::<Result<_, Problem>>()?;
    let mut checked = check("", &file::target(filled.into())?, folder, models)?;
    checked.driver.said = said(address.as_ref(), &checked.driver.addresses);
    Ok(checked)
}

/// An option that is meant as it is.
fn plain(key: &str, value: &Value) -> Result<(), Problem> {
    match value {
        Value::String(text) if text.starts_with('$') => {
            let known = FROM_ENVIRONMENT.join(", ");
            Err(Problem::value(
                key,
                format!("begins with `$`; only {known} may come from the environment"),
            ))
        }
        Value::Array(values) => values.iter().try_for_each(|value| plain(key, value)),
        Value::Object(map) => map.values().try_for_each(|value| plain(key, value)),
        _ => Ok(()),
    }
}

/// What is said in the place of addresses that come from the environment: the variable.
fn said(given: Option<&Value>, addresses: &[String]) -> BTreeMap<String, String> {
    let given: Vec<&Value> = match given {
        // One text may come to several.
        Some(text @ Value::String(_)) => vec![text; addresses.len()],
        Some(Value::Array(several)) => several.iter().collect(),
        _ => Vec::new(),
    };
    let both = given.into_iter().filter_map(Value::as_str).zip(addresses);
    both.filter(|(text, _)| environment::reference(text).is_some())
        .map(|(text, address)| (address.clone(), text.to_owned()))
        .collect()
}

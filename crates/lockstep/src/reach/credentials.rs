//! The credentials among the options of a target. In the store there is a reference to the environment of
//! each node, or what was encrypted; never what it is.

use lockstep_types::Target;
use serde_json::{Map, Value};

use crate::config;
use crate::secret::{Key, is_sealed};

/// The options that nobody may read.
const SECRET: [&str; 2] = ["password", "token"];

/// Puts given credentials into a form that can be kept.
pub(super) fn seal(
    key: Option<&Key>,
    target: &Target,
    options: &mut Map<String, Value>,
) -> Result<(), String> {
    for name in SECRET {
        let Some(given) = options.get_mut(name).filter(|given| !given.is_null()) else { continue };
        let text = text(name, given)?;
        if config::reference(&text).is_some() {
            continue;
        }
        let Some(key) = key else { return Err(unkept(name)) };
        // As in the configuration file, `$$` stands for a dollar.
        let plain = text.strip_prefix('$').filter(|rest| rest.starts_with('$')).unwrap_or(&text);
        *given = Value::String(key.seal(target, name, plain)?);
    }
    Ok(())
}

/// Only a text can be a credential; YAML takes some for numbers.
fn text(name: &str, given: &Value) -> Result<String, String> {
    match given {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(_) | Value::Number(_) if !given.is_f64() => Ok(given.to_string()),
        _ => Err(format!("{name}: is not a single text; put it in quotes")),
    }
}

fn unkept(name: &str) -> String {
    format!(
        "{name}: is not kept as it is: give it as `$NAME`, which each node takes from its environment, or \
         give every node the same `secret-key-file`, with which it is encrypted"
    )
}

/// Puts encrypted credentials back into the form in which they were given.
pub(super) fn open(
    key: Option<&Key>,
    target: &Target,
    options: &mut Map<String, Value>,
) -> Result<(), String> {
    for (name, sealed) in sealed(options) {
        let key = key.ok_or_else(|| {
            format!(
                "{name} is encrypted, and this node has no `secret-key-file`: give it the one that the \
                 others have, and start it again"
            )
        })?;
        let plain = key.open(target, name, &sealed)?;
        let plain = if plain.starts_with('$') { format!("${plain}") } else { plain };
        options.insert(name.to_owned(), Value::String(plain));
    }
    Ok(())
}

/// Puts something else in the place of encrypted credentials, where nobody needs them.
pub(super) fn blank(options: &mut Map<String, Value>) {
    for (name, _) in sealed(options) {
        options.insert(name.to_owned(), Value::String("encrypted".to_owned()));
    }
}

fn sealed(options: &Map<String, Value>) -> Vec<(&'static str, String)> {
    let text = |name: &'static str| Some((name, options.get(name)?.as_str()?.to_owned()));
    SECRET.into_iter().filter_map(text).filter(|(_, text)| is_sealed(text)).collect()
}

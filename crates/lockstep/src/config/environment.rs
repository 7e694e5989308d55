//! Values from the environment: `$NAME` or `${NAME}` as a whole; `$$` in front is a plain dollar.

use serde_json::Value;

use super::error::Problem;

/// The tree with every such value replaced.
pub(super) fn fill(
    tree: Value,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Value, Problem> {
    fill_at("", tree, environment)
}

/// The same of what is in one place of it.
pub(super) fn fill_at(
    at: &str,
    tree: Value,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Value, Problem> {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    Ok(match tree {
        Value::String(text) => Value::String(fill_text(at, text, environment)?),
        Value::Array(values) => {
            let values = values.into_iter().enumerate();
            let filled =
                values.map(|(i, value)| fill_at(&below(&i.to_string()), value, environment));
            Value::Array(filled.collect::<Result<_, _>>()?)
        }
        Value::Object(map) => {
            let filled = map.into_iter().map(|(key, value)| {
                let value = fill_at(&below(&key), value, environment)?;
                Ok((key, value))
            });
            Value::Object(filled.collect::<Result<_, Problem>>()?)
        }
        other => other,
    })
}

fn fill_text(
    at: &str,
    text: String,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Problem> {
    if let Some(plain) = text.strip_prefix('$').filter(|rest| rest.starts_with('$')) {
        return Ok(plain.to_owned());
    }
    let Some(name) = reference(&text) else { return Ok(text) };
    environment(name).ok_or_else(|| Problem::Unset { at: at.into(), name: name.into() })
}

/// The variable that a text stands for.
pub(super) fn reference(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('$')?;
    let braced = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    Some(braced.unwrap_or(rest)).filter(|name| is_name(name))
}

fn is_name(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

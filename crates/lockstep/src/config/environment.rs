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

fn fill_at(
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
    let Some(rest) = text.strip_prefix('$') else { return Ok(text) };
    if rest.starts_with('$') {
        return Ok(rest.to_owned());
    }
    let braced = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let name = braced.unwrap_or(rest);
    if !is_name(name) {
        return Ok(text);
    }
    environment(name).ok_or_else(|| Problem::Unset { at: at.into(), name: name.into() })
}

fn is_name(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

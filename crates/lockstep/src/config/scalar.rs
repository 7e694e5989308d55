//! Single values as the file has them: YAML takes `1234` for a number where a password is meant, and
//! what comes from the environment is a text where a number is meant.

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

/// A text, quoted or not.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Option::<Value>::deserialize(from)?
        .map(|value| as_text(value).map_err(D::Error::custom))
        .transpose()
}

/// Several of them.
pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let values = Vec::<Value>::deserialize(from)?;
    values.into_iter().map(|value| as_text(value).map_err(D::Error::custom)).collect()
}

/// Several of them, where it makes a difference whether there are none or nothing is said.
pub(super) fn some_texts<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Vec<String>>, D::Error> {
    texts(from).map(Some)
}

fn as_text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Bool(truth) => Ok(truth.to_string()),
        // How it was written is not known any more: 1.10 and 1.1 are the same number.
        Value::Number(number) if number.is_f64() => {
            Err("is read as a number; put it in quotes".into())
        }
        Value::Number(number) => Ok(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err("is not a single value".into()),
    }
}

/// A number of things, which cannot be none.
pub(super) fn count<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let Some(value) = Option::<Value>::deserialize(from)? else { return Ok(None) };
    let number = match &value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let number = number.filter(|number| *number > 0).and_then(|number| T::try_from(number).ok());
    let wrong = || D::Error::custom(format!("{value} is not a whole number above 0"));
    number.map(Some).ok_or_else(wrong)
}

//! From canonical JSON to a value.

use lockstep_types::Value;
use serde_json::Value as Json;

use crate::instance;
use crate::schema::{Base, Id};
use crate::set::ModelSet;

impl ModelSet {
    /// The value of this leaf that libyang wrote so.
    pub(crate) fn value(&self, id: Id, canonical: &Json) -> Result<Value, String> {
        let base = self.schema().node(id).base.unwrap_or(Base::String);
        let other = || format!("{canonical} is not understood as {base:?}");
        if base == Base::Union {
            return Ok(self.classify(id, canonical));
        }
        match (base, canonical) {
            (Base::Int, Json::Number(number)) => number.as_i64().map(Value::Int).ok_or_else(other),
            (Base::Uint, Json::Number(number)) => {
                number.as_u64().map(Value::Uint).ok_or_else(other)
            }
            (Base::Bool, Json::Bool(truth)) => Ok(Value::Bool(*truth)),
            (Base::Empty, _) => Ok(Value::Empty),
            (_, Json::String(text)) => from_text(base, text),
            _ => Err(other()),
        }
    }
}

/// The text of a key, as it stands in a path.
pub(crate) fn key_text(canonical: &Json) -> String {
    match canonical {
        Json::String(text) => text.clone(),
        Json::Array(_) | Json::Null => String::new(),
        other => other.to_string(),
    }
}

fn from_text(base: Base, text: &str) -> Result<Value, String> {
    fn said(error: impl std::fmt::Display) -> String {
        error.to_string()
    }
    match base {
        Base::Int64 => text.parse().map(Value::Int).map_err(said),
        Base::Uint64 => text.parse().map(Value::Uint).map_err(said),
        Base::Decimal64 => text.parse().map(Value::Decimal64).map_err(said),
        Base::Enum => Ok(Value::enumeration(text)),
        Base::Bits => Ok(Value::bits(text.split_whitespace())),
        Base::Binary => text.parse().map(Value::Binary).map_err(said),
        Base::IdentityRef => text.parse().map(Value::IdentityRef).map_err(said),
        Base::InstanceIdentifier => instance::read(text).map(Value::InstanceIdentifier),
        _ => Ok(Value::string(text)),
    }
}

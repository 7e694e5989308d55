//! From a value to JSON.

use lockstep_types::{Decimal64, IdentityRef, Value};
use serde_json::Value as Json;

use super::Form;
use super::prepare::{Source, empty};
use crate::instance;
use crate::schema::{Base, Id};
use crate::set::ModelSet;

impl ModelSet {
    /// The value of this leaf as JSON.
    pub(crate) fn json(&self, id: Id, value: &Value, form: Form) -> Json {
        match value {
            Value::Int(number) => self.whole(id, Json::from(*number), form),
            Value::Uint(number) => self.whole(id, Json::from(*number), form),
            Value::Decimal64(number) => decimal(*number, form),
            Value::Bool(truth) => Json::Bool(*truth),
            Value::String(text) | Value::Enum(text) => Json::from(&**text),
            Value::Bits(_) => {
                let text = Json::String(value.to_string());
                // Libyang knows the positions they are written in the order of.
                self.trial(id, &text).unwrap_or(text)
            }
            Value::Binary(bytes) => Json::String(bytes.to_string()),
            Value::IdentityRef(identity) => self.identity_json(id, identity, form),
            Value::Empty => empty(),
            Value::InstanceIdentifier(path) => Json::String(instance::write(path)),
        }
    }

    /// A key of an entry, from its text in a path, as JSON.
    pub(crate) fn key_json(&self, id: Id, text: &str, form: Form) -> Json {
        let string = || Json::String(text.to_owned());
        let identity = self.schema().node(id).base == Some(Base::IdentityRef);
        if self.is_text(id) || (identity && form == Form::Ietf) {
            return string();
        }
        let prepared = self.prepare(id, string(), Source::Text);
        let canonical = self.trial(id, &prepared).unwrap_or(prepared);
        match (form, self.value(id, &canonical)) {
            (Form::Json, Ok(value)) => self.json(id, &value, form),
            _ => canonical,
        }
    }

    /// Whether what stands in a path for a key is its value, in every form.
    pub(crate) fn is_text(&self, id: Id) -> bool {
        matches!(
            self.schema().node(id).base.unwrap_or(Base::String),
            Base::String | Base::Enum | Base::Bits | Base::Binary | Base::InstanceIdentifier
        )
    }

    /// RFC 7951 writes 64 bits as a string; what a union holds, only libyang knows.
    fn whole(&self, id: Id, number: Json, form: Form) -> Json {
        let wide = match self.schema().node(id).base {
            Some(Base::Int64 | Base::Uint64) => true,
            // Of state nothing is known but what the device said.
            Some(Base::Union) if form == Form::Ietf && self.schema().node(id).config => {
                self.trial(id, &number).is_none()
            }
            _ => false,
        };
        if wide && form == Form::Ietf { Json::String(number.to_string()) } else { number }
    }

    /// Without module in plain JSON, if it can be read back.
    fn identity_json(&self, id: Id, identity: &IdentityRef, form: Form) -> Json {
        let full = Json::String(identity.to_string());
        let short = Json::from(identity.name());
        let found = || self.prepare(id, short.clone(), Source::Lenient) == full;
        if form == Form::Json && found() { short } else { full }
    }
}

/// A plain number where floating point has room for all its digits.
fn decimal(number: Decimal64, form: Form) -> Json {
    let text = number.to_string();
    let float = text.parse::<f64>().ok().filter(|float| {
        let same = float.to_string().parse::<Decimal64>();
        form == Form::Json && same.is_ok_and(|same| same == number)
    });
    float.map_or(Json::String(text), Json::from)
}

//! Which member of a union took a value.
//!
//! The binding does not say. How libyang writes the value tells numbers, truth and `empty` apart
//! from what is written as a string; and the rest shows in how it rewrites a variant of the text:
//! a number loses the space that was put before it, an identity loses its meaning with its module.
//! An enumeration, bits, binary or instance-identifier in a union is held as its text, which is
//! written the same in every form.

use lockstep_types::{IdentityRef, Value};
use serde_json::Value as Json;

use crate::schema::Id;
use crate::set::ModelSet;

impl ModelSet {
    pub(super) fn classify(&self, id: Id, canonical: &Json) -> Value {
        match canonical {
            Json::Bool(truth) => Value::Bool(*truth),
            Json::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Value::Uint(number),
                (None, Some(number)) => Value::Int(number),
                (None, None) => Value::string(number.to_string()),
            },
            Json::String(text) => self.classify_text(id, text),
            _ => Value::Empty,
        }
    }

    fn classify_text(&self, id: Id, text: &str) -> Value {
        let number = self.wide_number(id, text).or_else(|| self.decimal(id, text));
        number.or_else(|| self.identity_of(id, text)).unwrap_or_else(|| Value::string(text))
    }

    /// Whether libyang writes `variant` as `text`.
    fn rewrites(&self, id: Id, variant: String, text: &str) -> bool {
        self.trial(id, &Json::String(variant)).is_some_and(|canonical| canonical == text)
    }

    fn wide_number(&self, id: Id, text: &str) -> Option<Value> {
        let unsigned = text.parse::<u64>().ok().map(Value::Uint);
        let value = unsigned.or_else(|| text.parse::<i64>().ok().map(Value::Int))?;
        self.rewrites(id, format!(" {text}"), text).then_some(value)
    }

    fn decimal(&self, id: Id, text: &str) -> Option<Value> {
        let value = text.parse().map(Value::Decimal64).ok().filter(|_| text.contains('.'))?;
        self.rewrites(id, format!(" {text}"), text).then_some(value)
    }

    fn identity_of(&self, id: Id, text: &str) -> Option<Value> {
        let identity: IdentityRef = text.parse().ok()?;
        self.context().get_module_latest(identity.module())?;
        // A name that no module has: only a string can be that.
        let nobody = format!("{}:{}", super::MODULE, identity.name());
        let is_string = self.trial(id, &Json::String(nobody)).is_some();
        (!is_string).then_some(Value::IdentityRef(identity))
    }
}

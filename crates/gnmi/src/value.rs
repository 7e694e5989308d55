//! Values: from the wire to JSON and back.

mod error;
mod scalar;
mod typed;

pub use error::Error;
pub use typed::typed;

use serde_json::Value;

use crate::proto::gnmi::{self, TypedValue, typed_value};

/// How the JSON of a value is to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Plain names and numbers.
    Json,
    /// RFC 7951: names qualified where the module changes, 64-bit numbers as strings.
    Ietf,
    /// It was a typed scalar, or an array of them: a number may stand for any numeric type, and a
    /// string for whatever has no type of its own on the wire.
    Scalar,
}

/// The JSON of a value, whatever it was encoded as.
pub fn read(value: &TypedValue) -> Result<(Form, Value), Error> {
    let value = value.value.as_ref().ok_or(Error::Empty)?;
    match value {
        typed_value::Value::JsonVal(text) => parse(Form::Json, text),
        typed_value::Value::JsonIetfVal(text) => parse(Form::Ietf, text),
        typed_value::Value::LeaflistVal(array) => scalar::array(array),
        scalar => scalar::read(scalar),
    }
    .map(|json| (form(value), json))
}

/// The JSON of a value in the form that came before [`TypedValue`].
pub fn read_old(value: &gnmi::Value) -> Result<(Form, Value), Error> {
    let form = match gnmi::Encoding::try_from(value.r#type) {
        Ok(gnmi::Encoding::Json) => Form::Json,
        Ok(gnmi::Encoding::JsonIetf) => Form::Ietf,
        Ok(other) => return Err(Error::Unsupported { encoding: other.as_str_name() }),
        Err(_) => return Err(Error::Encoding { number: value.r#type }),
    };
    parse(form, &value.value).map(|json| (form, json))
}

/// A value for the wire. The JSON has to be in the form that is asked for.
pub fn json(value: &Value, ietf: bool) -> TypedValue {
    written(value.to_string(), ietf)
}

/// The same of one that is written down already.
pub fn written(json: String, ietf: bool) -> TypedValue {
    let text = json.into_bytes();
    let value = if ietf {
        typed_value::Value::JsonIetfVal(text)
    } else {
        typed_value::Value::JsonVal(text)
    };
    TypedValue { value: Some(value) }
}

/// A text that stands for a value of whatever type the leaf has.
pub fn text(text: impl Into<String>) -> TypedValue {
    TypedValue { value: Some(typed_value::Value::StringVal(text.into())) }
}

/// A number with a fraction.
pub fn double(number: f64) -> TypedValue {
    TypedValue { value: Some(typed_value::Value::DoubleVal(number)) }
}

fn form(value: &typed_value::Value) -> Form {
    match value {
        typed_value::Value::JsonVal(_) => Form::Json,
        typed_value::Value::JsonIetfVal(_) => Form::Ietf,
        _ => Form::Scalar,
    }
}

fn parse(form: Form, text: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(text).map_err(|error| Error::Syntax {
        form,
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    })
}

#[cfg(test)]
mod tests;

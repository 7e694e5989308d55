//! Values in the types of the wire, as encoding PROTO has them.

use lockstep_types::{Content, Value};
use serde_json::Value as Json;

use crate::proto::gnmi::typed_value::Value as Wire;
use crate::proto::gnmi::{ScalarArray, TypedValue};

/// A unit in the types of the wire. Beside its content it takes its JSON in the form of RFC 7951, for what
/// only the models know how to write. A presence container has no type of its own, and is an empty
/// object as JSON.
pub fn typed(content: &Content, json: &Json) -> TypedValue {
    let wire = match (content, json) {
        (Content::Leaf(value), json) => scalar(value, json),
        (Content::LeafList(values), Json::Array(all)) => {
            let element = values.iter().zip(all).map(|(value, json)| wrapped(scalar(value, json)));
            Wire::LeaflistVal(ScalarArray { element: element.collect() })
        }
        (_, json) => Wire::JsonIetfVal(json.to_string().into_bytes()),
    };
    wrapped(wire)
}

fn wrapped(value: Wire) -> TypedValue {
    TypedValue { value: Some(value) }
}

fn scalar(value: &Value, json: &Json) -> Wire {
    match value {
        Value::Int(number) => Wire::IntVal(*number),
        Value::Uint(number) => Wire::UintVal(*number),
        // Its text is a number; there is no other.
        Value::Decimal64(number) => Wire::DoubleVal(number.to_string().parse().unwrap_or(f64::NAN)),
        Value::Bool(truth) => Wire::BoolVal(*truth),
        Value::Binary(bytes) => Wire::BytesVal(bytes.as_bytes().to_vec()),
        // It is there, and that is all.
        Value::Empty => Wire::BoolVal(true),
        Value::String(_)
        | Value::Enum(_)
        | Value::Bits(_)
        | Value::IdentityRef(_)
        | Value::InstanceIdentifier(_) => match json {
            Json::String(text) => Wire::StringVal(text.clone()),
            other => Wire::StringVal(other.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::{Form, read};

    #[test]
    fn each_type_has_its_own() {
        let cases = [
            (Value::Int(-7), json!(-7), Wire::IntVal(-7)),
            (Value::Uint(7), json!("7"), Wire::UintVal(7)),
            (Value::Decimal64("1.5".parse().unwrap()), json!("1.5"), Wire::DoubleVal(1.5)),
            (Value::Bool(true), json!(true), Wire::BoolVal(true)),
            (Value::Empty, json!([null]), Wire::BoolVal(true)),
            (Value::bits(["b", "a"]), json!("b a"), Wire::StringVal("b a".into())),
            (Value::string("x"), json!("x"), Wire::StringVal("x".into())),
        ];
        for (value, json, wire) in cases {
            assert_eq!(typed(&Content::Leaf(value), &json), wrapped(wire));
        }
    }

    #[test]
    fn a_leaf_list_is_read_back_as_it_was() {
        let list = Content::leaf_list([Value::Uint(1), Value::Uint(2)]);
        let told = typed(&list, &json!([1, 2]));
        assert_eq!(read(&told).unwrap(), (Form::Scalar, json!([1, 2])));
    }
}

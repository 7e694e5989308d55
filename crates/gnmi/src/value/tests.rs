//! Values from the wire, one of each kind.

use serde_json::{Value, json};
use tonic::Code;

use super::{Error, Form, read, read_old};
use crate::proto::gnmi::typed_value::Value as Wire;
use crate::proto::gnmi::{self, Decimal64, Encoding, ScalarArray, TypedValue};

fn one(value: Wire) -> Result<(Form, Value), Error> {
    read(&TypedValue { value: Some(value) })
}

fn list(items: Vec<Wire>) -> Result<(Form, Value), Error> {
    let element = items.into_iter().map(|value| TypedValue { value: Some(value) }).collect();
    one(Wire::LeaflistVal(ScalarArray { element }))
}

fn decimal(digits: i64, precision: u32) -> Wire {
    Wire::DecimalVal(Decimal64 { digits, precision })
}

#[test]
fn scalars_become_json() {
    let table = [
        (Wire::StringVal("é".into()), json!("é")),
        (Wire::IntVal(i64::MIN), json!(i64::MIN)),
        (Wire::UintVal(u64::MAX), json!(u64::MAX)),
        (Wire::BoolVal(false), json!(false)),
        (Wire::BytesVal(vec![0, 255]), json!("AP8=")),
        (Wire::FloatVal(1.1), json!(1.1)),
        (Wire::DoubleVal(-0.25), json!(-0.25)),
        (decimal(150, 2), json!("1.5")),
        (decimal(-5, 0), json!("-5")),
        (decimal(i64::MIN, 18), json!("-9.223372036854775808")),
    ];
    for (wire, json) in table {
        assert_eq!(one(wire), Ok((Form::Scalar, json)));
    }
}

#[test]
fn a_leaf_list_is_an_array_of_scalars() {
    let items = vec![Wire::UintVal(1), Wire::StringVal("a".into())];
    assert_eq!(list(items), Ok((Form::Scalar, json!([1, "a"]))));
    assert_eq!(list(vec![]), Ok((Form::Scalar, json!([]))));
}

#[test]
fn a_leaf_list_holds_nothing_but_scalars() {
    let nested = list(vec![Wire::IntVal(1), Wire::JsonVal(b"{}".to_vec())]);
    assert_eq!(nested, Err(Error::Nested { number: 2, encoding: "json_val" }));
    let array = list(vec![Wire::LeaflistVal(ScalarArray::default())]);
    assert_eq!(array, Err(Error::Nested { number: 1, encoding: "leaflist_val" }));
    let item = list(vec![Wire::DoubleVal(f64::NAN)]).unwrap_err();
    assert_eq!(item.to_string(), "item 1 of the leaf-list: NaN is not a number");
    let ascii = list(vec![Wire::AsciiVal("x".into())]).unwrap_err();
    assert_eq!(ascii.code(), Code::Unimplemented);
}

#[test]
fn json_keeps_its_form() {
    let text = br#"{"a": [1, "2"]}"#.to_vec();
    assert_eq!(one(Wire::JsonVal(text.clone())), Ok((Form::Json, json!({"a": [1, "2"]}))));
    assert_eq!(one(Wire::JsonIetfVal(text)), Ok((Form::Ietf, json!({"a": [1, "2"]}))));
    // The largest of both signs, which a floating-point number cannot hold.
    let text = format!("[{}, {}]", u64::MAX, i64::MIN);
    let (_, numbers) = one(Wire::JsonVal(text.into_bytes())).unwrap();
    assert_eq!(numbers, json!([u64::MAX, i64::MIN]));
}

#[test]
fn what_is_not_json_says_where() {
    let error = one(Wire::JsonIetfVal(b"{\n\"a\": }".to_vec())).unwrap_err();
    assert!(matches!(error, Error::Syntax { form: Form::Ietf, line: 2, column: 6, .. }), "{error}");
    assert!(error.to_string().starts_with("the JSON_IETF value is not JSON: expected value"));
    assert_eq!(error.code(), Code::InvalidArgument);
    for text in [&b""[..], b"{} {}", b"\xff"] {
        assert!(one(Wire::JsonVal(text.to_vec())).is_err());
    }
}

#[test]
fn other_encodings_are_not_supported() {
    let table = [
        (Wire::AsciiVal("x".into()), "ascii_val"),
        (Wire::ProtoBytes(vec![]), "proto_bytes"),
        (Wire::AnyVal(prost_types::Any::default()), "any_val"),
    ];
    for (wire, encoding) in table {
        let error = one(wire).unwrap_err();
        assert_eq!(error, Error::Unsupported { encoding });
        assert_eq!(error.code(), Code::Unimplemented);
    }
    assert_eq!(read(&TypedValue::default()), Err(Error::Empty));
}

#[test]
fn numbers_that_are_none_are_refused() {
    assert!(one(Wire::FloatVal(f32::INFINITY)).is_err());
    assert!(one(Wire::DoubleVal(f64::NEG_INFINITY)).is_err());
    assert_eq!(one(decimal(1, 19)), Err(Error::Precision { precision: 19 }));
    assert_eq!(one(decimal(1, 257)), Err(Error::Precision { precision: 257 }));
}

#[test]
fn the_old_form_has_an_encoding() {
    let value = |encoding: i32| gnmi::Value { value: b"5".to_vec(), r#type: encoding };
    assert_eq!(read_old(&value(Encoding::Json.into())), Ok((Form::Json, json!(5))));
    assert_eq!(read_old(&value(Encoding::JsonIetf.into())), Ok((Form::Ietf, json!(5))));
    let bytes = read_old(&value(Encoding::Bytes.into()));
    assert_eq!(bytes, Err(Error::Unsupported { encoding: "BYTES" }));
    assert_eq!(read_old(&value(77)), Err(Error::Encoding { number: 77 }));
}

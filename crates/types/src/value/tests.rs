//! Values as examples; the laws are in the property tests.

use super::decimal64::{FractionError, ParseError};
use super::{Binary, Decimal64, IdentityRef, Value, identity_ref};

fn decimal(text: &str) -> Decimal64 {
    text.parse().unwrap()
}

#[test]
fn a_decimal_has_one_form() {
    for (text, printed) in [
        ("1.50", "1.5"),
        ("+0012", "12.0"),
        ("-0.0", "0.0"),
        ("-0.05", "-0.05"),
        ("3.140000000000000000000000", "3.14"),
        ("922337203685477580.7", "922337203685477580.7"),
        ("-9.223372036854775808", "-9.223372036854775808"),
        ("0.000000000000000001", "0.000000000000000001"),
    ] {
        assert_eq!(decimal(text).to_string(), printed);
    }
    assert_eq!(Decimal64::new(150, 2), Ok(decimal("1.5")));
    assert_eq!(Decimal64::new(0, 18), Ok(decimal("0")));
    assert_eq!((decimal("-12.5").digits(), decimal("-12.5").fraction_digits()), (-125, 1));
}

#[test]
fn what_is_no_decimal_is_refused() {
    for text in ["", "-", "1.", ".5", "1e3", " 1", "1.2.3", "--1", "0x1", "١"] {
        let text = text.to_owned();
        assert_eq!(text.parse::<Decimal64>(), Err(ParseError::Syntax { text }));
    }
    for text in ["922337203685477580.8", "9223372036854775807", "0.0000000000000000001"] {
        let text = text.to_owned();
        assert_eq!(text.parse::<Decimal64>(), Err(ParseError::TooManyDigits { text }));
    }
    assert_eq!(Decimal64::new(1, 0), Err(FractionError(0)));
    assert_eq!(Decimal64::new(1, 19), Err(FractionError(19)));
}

#[test]
fn decimals_compare_exactly() {
    let sorted = ["-922337203685477580.8", "-1.5", "-1.05", "0", "0.1", "0.1000000000000001", "9"];
    assert!(sorted.map(decimal).is_sorted());
    assert!(decimal("922337203685477580.7") > decimal("9.223372036854775807"));
}

#[test]
fn decimals_scale_to_their_type() {
    assert_eq!(decimal("1.5").scaled(3), Some(1500));
    assert_eq!(decimal("1.55").scaled(1), None);
    assert_eq!(decimal("922337203685477580.7").scaled(2), None);
}

#[test]
fn binary_is_strict_base64() {
    let bytes: Binary = "aGk=".parse().unwrap();
    assert_eq!(bytes.as_bytes(), b"hi");
    assert_eq!(bytes.to_string(), "aGk=");
    for text in ["aGk", "aGl=", "aG k=", "aGk=="] {
        assert!(text.parse::<Binary>().is_err(), "{text}");
    }
}

#[test]
fn identities_say_their_module() {
    let identity: IdentityRef = "openconfig-if:ETHERNET.1".parse().unwrap();
    assert_eq!((identity.module(), identity.name()), ("openconfig-if", "ETHERNET.1"));
    let unqualified = identity_ref::Error::Unqualified { text: "x".into() };
    assert_eq!("x".parse::<IdentityRef>(), Err(unqualified));
    for (text, part) in [(":x", ""), ("m:", ""), ("m:1", "1"), ("m:a:b", "a:b"), ("m:é", "é")] {
        let refusal = identity_ref::Error::Identifier { text: part.into() };
        assert_eq!(text.parse::<IdentityRef>(), Err(refusal));
    }
}

#[test]
fn each_type_is_told_apart_in_json() {
    let values = [
        (Value::Int(10), r#"{"int":10}"#),
        (Value::Uint(u64::MAX), r#"{"uint":18446744073709551615}"#),
        (decimal("10").into(), r#"{"decimal64":"10.0"}"#),
        (true.into(), r#"{"bool":true}"#),
        ("10".into(), r#"{"string":"10"}"#),
        (Value::enumeration("10"), r#"{"enum":"10"}"#),
        (Value::bits(["up", "down"]), r#"{"bits":["down","up"]}"#),
        (Binary::new(*b"hi").into(), r#"{"binary":"aGk="}"#),
        (IdentityRef::new("m", "n").unwrap().into(), r#"{"identity-ref":"m:n"}"#),
        (Value::Empty, r#""empty""#),
        (Value::InstanceIdentifier("/a".parse().unwrap()), r#"{"instance-identifier":"/a"}"#),
    ];
    for (value, json) in values {
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
        assert_eq!(serde_json::from_str::<Value>(json).unwrap(), value);
    }
}

#[test]
fn bad_values_are_refused_with_a_reason() {
    for (json, reason) in [
        (r#"{"decimal64":"1.x"}"#, "\"1.x\" is not a decimal number"),
        (r#"{"binary":"aGk"}"#, "not base64"),
        (r#"{"identity-ref":"n"}"#, "does not say its module"),
        (r#"{"bits":["up","up"]}"#, "`up` is there twice"),
        (r#"{"instance-identifier":"/["}"#, "expected the name of an element"),
        (r#"{"int":9223372036854775808}"#, "i64"),
        (r#"{"float":1.5}"#, "unknown variant `float`"),
    ] {
        let error = serde_json::from_str::<Value>(json).unwrap_err().to_string();
        assert!(error.contains(reason), "{json}: {error}");
    }
}

#[test]
fn values_print_as_yang_writes_them() {
    assert_eq!(Value::bits(["b", "a"]).to_string(), "a b");
    assert_eq!(Value::Empty.to_string(), "");
    assert_eq!(Value::from(-5).to_string(), "-5");
    assert_eq!(Value::from(false).to_string(), "false");
    assert_eq!(Value::from(String::from("x y")).to_string(), "x y");
}

/// The order is that of the parts, so that what was sorted once stays so: as text, `-` is before `:`.
#[test]
fn identities_are_ordered_by_module_then_name() {
    let identity = |text: &str| text.parse::<IdentityRef>().unwrap();
    assert!(identity("a:z") < identity("a-b:a"));
    assert!(identity("a:a") < identity("a:b"));
    assert_eq!((identity("a-b:c").module(), identity("a-b:c").name()), ("a-b", "c"));
}

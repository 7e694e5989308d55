//! Every built-in type, in and out, in every form.

use lockstep_types::{Binary, Configuration, Content, Value};
use lockstep_yang::{Form, Operation};
use serde_json::{Value as Json, json};

use crate::common::{TYPES, after, ietf, path, plain, scalar};

fn decimal(text: &str) -> Value {
    Value::Decimal64(text.parse().unwrap())
}

fn identity(text: &str) -> Value {
    Value::IdentityRef(text.parse().unwrap())
}

/// A leaf, its value in RFC 7951, in plain JSON, and as it is held.
fn table() -> Vec<(&'static str, Json, Json, Value)> {
    let same = |leaf, json: Json, value| (leaf, json.clone(), json, value);
    vec![
        same("int8", json!(-128), Value::Int(-128)),
        same("int16", json!(-32768), Value::Int(-32768)),
        same("int32", json!(2147483647), Value::Int(2147483647)),
        ("int64", json!("-9223372036854775808"), json!(i64::MIN), Value::Int(i64::MIN)),
        same("uint8", json!(255), Value::Uint(255)),
        same("uint16", json!(65535), Value::Uint(65535)),
        same("uint32", json!(4294967295_u32), Value::Uint(4294967295)),
        ("uint64", json!("18446744073709551615"), json!(u64::MAX), Value::Uint(u64::MAX)),
        ("decimal", json!("-1.5"), json!(-1.5), decimal("-1.5")),
        ("decimal", json!("3.0"), json!(3.0), decimal("3")),
        same("precise", json!("0.123456789012345678"), decimal("0.123456789012345678")),
        same("boolean", json!(false), Value::Bool(false)),
        same("types:string", json!("a \"b\" \\ / \n é 😀"), Value::string("a \"b\" \\ / \n é 😀")),
        same("types:string", json!(""), Value::string("")),
        same("enumeration", json!("down"), Value::enumeration("down")),
        same("bits", json!("zulu alpha"), Value::bits(["alpha", "zulu"])),
        same("bits", json!(""), Value::bits([""; 0])),
        same("binary", json!("AQID"), Value::Binary(Binary::new([1, 2, 3]))),
        ("identity", json!("base:red"), json!("red"), identity("base:red")),
        ("identity", json!("types:local"), json!("local"), identity("types:local")),
        same("empty", json!([null]), Value::Empty),
        same(
            "instance",
            json!("/types:keyed/by-number[id='7']/note"),
            Value::InstanceIdentifier(path("/types:keyed/by-number[id=7]/note")),
        ),
        same("ref", json!(12), Value::Uint(12)),
        same("narrow-or-text", json!(10), Value::Uint(10)),
        same("narrow-or-text", json!("10"), Value::string("10")),
        same("narrow-or-text", json!("x"), Value::string("x")),
        ("wide-or-text", json!("10"), json!(10), Value::Uint(10)),
        ("wide-or-text", json!("-10"), json!(-10), Value::Int(-10)),
        ("wide-or-text", json!("0.25"), json!(0.25), decimal("0.25")),
        same("wide-or-text", json!("0.255"), Value::string("0.255")),
        same("mixed", json!(true), Value::Bool(true)),
        same("mixed", json!([null]), Value::Empty),
        ("mixed", json!("base:green"), json!("green"), identity("base:green")),
        same("mixed", json!("auto"), Value::string("auto")),
    ]
}

fn set(leaf: &str, operation: impl Fn(lockstep_types::Path) -> Operation) -> Configuration {
    let at = path(&format!("/all/{leaf}"));
    after(&TYPES, &Configuration::new(), &[operation(at)])
        .unwrap_or_else(|error| panic!("{leaf}: {error}"))
}

#[test]
fn every_type_in_and_out() {
    for (leaf, wide, short, value) in table() {
        let at = path(&format!("/all/{leaf}"));
        let expected: Configuration =
            [(at.clone(), Content::Leaf(value.clone()))].into_iter().collect();
        let strict = set(leaf, |at| Operation::Update(at, ietf(wide.clone())));
        assert_eq!(strict, expected, "{leaf} {wide}");
        for json in [&wide, &short] {
            // A string that is a number may be one in the lenient forms; so it is in this union.
            if leaf == "wide-or-text" || leaf == "narrow-or-text" && json.is_string() {
                continue;
            }
            let lenient = set(leaf, |at| Operation::Replace(at, plain(json.clone())));
            assert_eq!(lenient, expected, "{leaf} {json} as JSON");
            let typed = set(leaf, |at| Operation::Update(at, scalar(json.clone())));
            assert_eq!(typed, expected, "{leaf} {json} as scalar");
        }
        for (form, json) in [(Form::Ietf, &wide), (Form::Json, &short)] {
            let got = TYPES.get(&expected, &at, form).unwrap();
            assert_eq!(got, [(at.clone(), json.clone())], "{leaf} {form:?}");
            assert_eq!(&TYPES.encode(&at, &Content::Leaf(value.clone()), form).unwrap(), json);
        }
        // A leafref needs what it refers to, which is not there.
        assert_eq!(TYPES.validate(&expected).len(), usize::from(leaf == "ref"), "{leaf} {wide}");
    }
}

#[test]
fn values_become_canonical() {
    for (leaf, json, canonical) in [
        ("int8", json!(-0), json!(0)),
        ("int64", json!("+0012"), json!("12")),
        ("decimal", json!("+01.500"), json!("1.5")),
        ("bits", json!("mike  zulu"), json!("zulu mike")),
        ("identity", json!("local"), json!("types:local")),
        ("uint8", json!(1e2), json!(100)),
    ] {
        let tree = set(leaf, |at| Operation::Update(at, ietf(json.clone())));
        let at = path(&format!("/all/{leaf}"));
        assert_eq!(TYPES.get(&tree, &at, Form::Ietf).unwrap(), [(at, canonical)], "{leaf}");
    }
}

#[test]
fn scalars_may_be_numbers_or_strings() {
    for (leaf, json, value) in [
        ("uint16", json!("7"), Value::Uint(7)),
        ("int8", json!("-7"), Value::Int(-7)),
        ("uint64", json!(7), Value::Uint(7)),
        ("decimal", json!(7), decimal("7")),
        ("decimal", json!(0.001), decimal("0.001")),
        ("boolean", json!("true"), Value::Bool(true)),
        ("empty", json!(true), Value::Empty),
        ("identity", json!("green"), identity("base:green")),
        ("narrow-or-text", json!("7"), Value::string("7")),
        ("wide-or-text", json!(7), Value::Uint(7)),
        ("mixed", json!("true"), Value::Bool(true)),
        ("mixed", json!("red"), identity("base:red")),
    ] {
        let tree = set(leaf, |at| Operation::Update(at, scalar(json.clone())));
        let at = path(&format!("/all/{leaf}"));
        assert_eq!(tree.get(&at), Some(&Content::Leaf(value)), "{leaf} {json}");
    }
}

#[test]
fn leaf_lists_are_whole() {
    let tree = set("numbers", |at| Operation::Update(at, ietf(json!(["10", "9", "11"]))));
    let sorted = Content::leaf_list([9_u64, 10, 11]);
    assert_eq!(tree.get(&path("/all/numbers")), Some(&sorted));
    assert_eq!(
        TYPES.encode(&path("/all/numbers"), &sorted, Form::Json).unwrap(),
        json!([9, 10, 11])
    );
    let tree = set("steps", |at| Operation::Update(at, scalar(json!(["b", "a"]))));
    assert_eq!(tree.get(&path("/all/steps")), Some(&Content::leaf_list(["b", "a"])));
    let none = set("steps", |at| Operation::Replace(at, ietf(json!([]))));
    assert!(none.is_empty());
}

//! Sets from the wire, and the answer.

use serde_json::json;
use tonic::Code;

use super::{Error, Kind, Place, read, response};
use crate::path;
use crate::proto::gnmi::update_result::Operation as Op;
use crate::proto::gnmi::{Encoding, Path, SetRequest, Update, Value};
use crate::value::{self, Form};

fn at(text: &str) -> Path {
    path::write(&text.parse().unwrap())
}

fn update(text: &str, value: &serde_json::Value) -> Update {
    let val = Some(value::json(value, true));
    Update { path: Some(at(text)), val, ..Update::default() }
}

#[test]
fn operations_come_in_the_order_they_take_effect() {
    let request = SetRequest {
        prefix: Some(Path { target: "leaf1".into(), ..at("/system") }),
        update: vec![update("/motd", &json!("hi")), update("/hostname", &json!("a"))],
        replace: vec![update("/clock", &json!({}))],
        delete: vec![at("/dns"), at("/ntp")],
        ..SetRequest::default()
    };
    let operations = read(&request).unwrap();
    let seen: Vec<_> =
        operations.iter().map(|one| (one.place.to_string(), one.path.to_string())).collect();
    let expected = [
        ("delete 1", "/system/dns"),
        ("delete 2", "/system/ntp"),
        ("replace 1", "/system/clock"),
        ("update 1", "/system/motd"),
        ("update 2", "/system/hostname"),
    ];
    assert_eq!(seen, expected.map(|(place, path)| (place.into(), path.into())));
    assert!(operations.iter().all(|one| one.target.as_ref().unwrap().as_str() == "leaf1"));
    assert!(operations[..2].iter().all(|one| one.data.is_none()));
    assert_eq!(operations[3].data, Some((Form::Ietf, json!("hi"))));
}

#[test]
fn each_path_may_have_its_own_target() {
    let request = SetRequest {
        delete: vec![
            Path { target: "leaf1".into(), ..at("/a") },
            Path { target: "leaf2".into(), origin: "cli".into(), ..at("/a") },
            at("/a"),
        ],
        ..SetRequest::default()
    };
    let operations = read(&request).unwrap();
    let targets: Vec<_> =
        operations.iter().map(|one| one.target.as_ref().map(|name| name.as_str())).collect();
    assert_eq!(targets, [Some("leaf1"), Some("leaf2"), None]);
    assert_eq!(operations[1].origin.as_deref(), Some("cli"));
}

#[test]
fn errors_name_the_operation() {
    let mut request = SetRequest {
        delete: vec![at("/a")],
        update: vec![
            update("/a", &json!(1)),
            Update { path: Some(at("/b/c")), ..Update::default() },
        ],
        ..SetRequest::default()
    };
    let error = read(&request).unwrap_err();
    assert_eq!(error.to_string(), "update 2, /b/c: the value is empty");
    request.delete[0].elem[0].name.clear();
    let error = read(&request).unwrap_err();
    let place = Place { kind: Kind::Delete, number: 1 };
    assert!(matches!(&error, Error::Path { place: at, .. } if *at == place), "{error}");
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[test]
fn an_update_may_lean_on_the_prefix_and_be_old() {
    let value = Value { value: b"\"x\"".to_vec(), r#type: Encoding::JsonIetf.into() };
    let request = SetRequest {
        prefix: Some(at("/system/motd")),
        update: vec![Update { value: Some(value), ..Update::default() }],
        ..SetRequest::default()
    };
    let operations = read(&request).unwrap();
    assert_eq!(operations[0].path.to_string(), "/system/motd");
    assert_eq!(operations[0].data, Some((Form::Ietf, json!("x"))));
}

#[test]
fn union_replace_is_not_there_yet() {
    let mut request =
        SetRequest { union_replace: vec![update("/a", &json!(1))], ..SetRequest::default() };
    assert_eq!(read(&request).unwrap_err().code(), Code::Unimplemented);
    request.delete.push(at("/a"));
    assert_eq!(read(&request).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn the_answer_has_a_result_for_each_operation() {
    let request = SetRequest {
        prefix: Some(Path { target: "leaf1".into(), ..at("/system") }),
        delete: vec![at("/a")],
        replace: vec![update("/b", &json!(1))],
        update: vec![update("/c", &json!(1)), update("/d", &json!(1))],
        ..SetRequest::default()
    };
    let answer = response(&request, 42);
    assert_eq!((answer.timestamp, &answer.prefix), (42, &request.prefix));
    let results: Vec<_> =
        answer.response.iter().map(|one| (one.op(), one.path.clone().unwrap())).collect();
    let expected =
        [(Op::Delete, "/a"), (Op::Replace, "/b"), (Op::Update, "/c"), (Op::Update, "/d")];
    assert_eq!(results, expected.map(|(op, path)| (op, at(path))));
}

#[test]
fn an_empty_set_is_no_error() {
    assert_eq!(read(&SetRequest::default()), Ok(vec![]));
    assert!(response(&SetRequest::default(), 1).response.is_empty());
}

//! Choices: setting a node of one case clears the others.

use lockstep_types::Configuration;
use lockstep_yang::{Form, ModelSet};
use serde_json::json;

use crate::common::{TYPES, after, at, delete, path, paths, update, with};

fn set() -> &'static ModelSet {
    &TYPES
}

fn tcp() -> Configuration {
    with(set(), json!({"types:choices": {"port": 22, "window": 5}}))
}

#[test]
fn another_case_takes_over() {
    for (path, json, left) in [
        ("/choices/line/speed", json!(9600), vec!["/choices/line/speed"]),
        ("/choices", json!({"flags": ["x"]}), vec!["/choices/flags"]),
        ("/choices/band", json!("5G"), vec!["/choices/band"]),
        ("/choices/wave[nm=1310]", json!({}), vec!["/choices/wave[nm=1310]"]),
        ("/choices/wave", json!([{"nm": 1550}]), vec!["/choices/wave[nm=1550]"]),
        ("/", json!({"types:choices": {"line": {"speed": 1}}}), vec!["/choices/line/speed"]),
    ] {
        let tree = after(set(), &tcp(), &[update(path, json)]).unwrap();
        assert_eq!(paths(&tree), left);
        assert_eq!(set().validate(&tree), []);
    }
}

#[test]
fn the_same_case_stays() {
    let tree = after(set(), &tcp(), &[update("/choices/window", json!(6))]).unwrap();
    assert_eq!(paths(&tree), ["/choices/port", "/choices/window"]);
    let serial = with(set(), json!({"types:choices": {"line": {"speed": 1}}}));
    let tree = after(set(), &serial, &[update("/choices/flags", json!(["x"]))]).unwrap();
    assert_eq!(paths(&tree), ["/choices/flags", "/choices/line/speed"]);
}

#[test]
fn a_choice_in_a_choice() {
    let radio = with(set(), json!({"types:choices": {"band": "5G"}}));
    let tree = after(set(), &radio, &[update("/choices/wave[nm=1]", json!({}))]).unwrap();
    assert_eq!(paths(&tree), ["/choices/wave[nm=1]"]);
    let tree = after(set(), &tree, &[update("/choices/port", json!(1))]).unwrap();
    assert_eq!(paths(&tree), ["/choices/port"]);
}

#[test]
fn nothing_set_clears_nothing() {
    let tree = after(set(), &tcp(), &[update("/choices", json!({"line": {}}))]).unwrap();
    assert_eq!(tree, tcp());
}

#[test]
fn in_one_request_the_later_case_wins() {
    let operations = [
        update("/choices/port", json!(1)),
        update("/choices/band", json!("2G")),
        update("/choices/line/speed", json!(300)),
    ];
    let tree = after(set(), &Configuration::new(), &operations).unwrap();
    assert_eq!(paths(&tree), ["/choices/line/speed"]);
}

#[test]
fn two_cases_in_one_value_are_a_violation() {
    let json = json!({"port": 1, "band": "2G"});
    let tree = after(set(), &Configuration::new(), &[update("/choices", json)]).unwrap();
    assert_eq!(tree.len(), 2);
    let violations = set().validate(&tree);
    assert!(
        violations.iter().any(|v| v.message.starts_with("Data for both cases")),
        "{violations:?}"
    );
}

#[test]
fn the_default_case_shows_while_no_other_does() {
    let port = |tree: &Configuration| set().get(tree, &path("/choices/port"), Form::Json).unwrap();
    assert_eq!(port(&Configuration::new()), [(path("/choices/port"), json!(80))]);
    let serial = with(set(), json!({"types:choices": {"line": {"speed": 1}}}));
    assert_eq!(port(&serial), []);
    let tree = after(set(), &serial, &[delete("/choices/line")]).unwrap();
    assert_eq!(at(set(), &tree, "/choices", Form::Json), json!({"port": 80}));
}

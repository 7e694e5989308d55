//! What is asked, and what is told about it.

use std::collections::BTreeMap;

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::{SetResponse, UpdateResult};
use lockstep_gnmi::proto::lockstep::v1::{Outcome, TargetOutcome};
use serde_json::json;

use super::{nothing, told};
use crate::exit;

fn answer(outcome: Option<&Outcome>) -> SetResponse {
    SetResponse {
        response: vec![UpdateResult::default(); 2],
        timestamp: 1_500_000_000,
        extension: outcome.into_iter().map(extension::with_outcome).collect(),
        ..SetResponse::default()
    }
}

#[test]
fn a_set_tells_its_index() {
    let targets = ["leaf1", "leaf2"].map(|name| (name.to_owned(), TargetOutcome::default()));
    let outcome = Outcome {
        id: "a".into(),
        index: 7,
        status: "applied".into(),
        targets: BTreeMap::from(targets),
        ..Outcome::default()
    };
    let answer = answer(Some(&outcome));
    let sentence = "transaction 7 applied: 2 operations on leaf1,leaf2";
    assert_eq!(told::sentence(&answer), sentence);
    let expected = json!({
        "index": 7, "id": "a", "status": "applied",
        "timestamp": "1970-01-01T00:00:01.500Z", "operations": 2,
    });
    assert_eq!(told::json(&answer), expected);
}

#[test]
fn a_node_that_does_not_tell_is_believed() {
    assert!(told::sentence(&answer(None)).starts_with("done: 2 operations, 1970"));
    assert_eq!(told::json(&answer(None))["index"], json!(null));
}

#[test]
fn nothing_says_what_is_missing() {
    let (line, file) = (nothing(None), nothing(Some("x.yaml")));
    assert!(line.to_string().contains("--update"));
    assert!(file.to_string().starts_with("x.yaml asks for nothing"));
    assert_eq!((exit::status(&line), exit::status(&file)), (exit::USAGE, exit::USAGE));
}

#[test]
fn who_did_not_go_along_is_told_once() {
    let failed = |message: &str| TargetOutcome {
        status: "refused".into(),
        code: "ABORTED".into(),
        message: message.into(),
        ..TargetOutcome::default()
    };
    let outcome = Outcome {
        targets: BTreeMap::from([
            ("leaf1".into(), failed("full")),
            ("leaf10".into(), failed("full")),
            ("leaf2".into(), TargetOutcome::default()),
        ]),
        ..Outcome::default()
    };
    let sentence = "transaction 7 reverted: target leaf10 refused it: ABORTED: full";
    assert_eq!(told::failures(&outcome, sentence), ["  leaf1: refused: ABORTED: full"]);
    assert_eq!(told::failures(&outcome, "it went wrong").len(), 2);
}

//! The document says what is served, and everything that is written has the form that it says.

use std::collections::BTreeSet;

use lockstep_gnmi::json;
use lockstep_gnmi::proto::lockstep::v1;
use serde_json::{Value, json};

use super::super::schema::schemas;
use super::{ROUTES, Takes, document};

/// What is wrong with a value, by the part of JSON Schema that the document uses.
fn wrong(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap();
        return wrong(&schemas()[name], value, at);
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        let fits = options.iter().any(|option| wrong(option, value, at).is_empty());
        return if fits { vec![] } else { vec![format!("{at}: {value} fits nothing")] };
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let known = words.contains(value);
        return if known { vec![] } else { vec![format!("{at}: {value} is not of {words:?}")] };
    }
    let kind = schema.get("type").and_then(Value::as_str);
    let fits = match kind {
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        _ => true,
    };
    if !fits {
        return vec![format!("{at}: {value} is no {kind:?}")];
    }
    match value {
        Value::Object(members) => of_object(schema, members, at),
        Value::Array(all) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            all.iter().flat_map(|one| wrong(items, one, at)).collect()
        }
        _ => vec![],
    }
}

fn of_object(schema: &Value, members: &serde_json::Map<String, Value>, at: &str) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut found: Vec<String> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|name| !members.contains_key(name.as_str().unwrap()))
        .map(|name| format!("{at}: there is no {name}"))
        .collect();
    for (name, value) in members {
        let at = format!("{at}.{name}");
        match (properties.and_then(|all| all.get(name)), schema.get("additionalProperties")) {
            (Some(schema), _) => found.extend(wrong(schema, value, &at)),
            (None, Some(Value::Bool(true))) => {}
            (None, Some(schema)) => found.extend(wrong(schema, value, &at)),
            (None, None) if properties.is_none() => {}
            (None, None) => found.push(format!("{at} is not in the document")),
        }
    }
    found
}

fn fits(name: &str, value: &Value) {
    let found = wrong(&schemas()[name], value, name);
    assert!(found.is_empty(), "{found:#?}");
}

fn transaction() -> v1::Transaction {
    let failure = v1::Failure { code: "ABORTED".into(), message: "no".into(), path: "/a".into() };
    let part = v1::TransactionTarget {
        status: "refused".into(),
        error: Some(failure.clone()),
        waiting_for: "it".into(),
        stage: "accepted".into(),
    };
    let time = Some(prost_types::Timestamp::default());
    v1::Transaction {
        index: 7,
        id: "a".into(),
        kind: "rollback".into(),
        status: "reverted".into(),
        author: "alice".into(),
        comment: "because".into(),
        submitted: time,
        decided: time,
        finished: time,
        waiting_for: "that".into(),
        error: Some(failure),
        rolled_back_by: 8,
        targets: [("leaf1".to_owned(), part)].into(),
        mode: "atomic".into(),
        of: 6,
        to: 5,
        window: "open".into(),
        confirm_until: time,
        target_count: 1,
        counts: [("refused".to_owned(), 1)].into(),
        deadline: time,
        stage: "confirming".into(),
        stages: [("accepted".to_owned(), 1)].into(),
    }
}

#[test]
fn what_is_written_is_what_the_document_says() {
    fits("Transaction", &json::transaction(&transaction()));
    let least = v1::Transaction {
        kind: "change".into(),
        mode: "queued".into(),
        status: "pending".into(),
        submitted: Some(prost_types::Timestamp::default()),
        ..v1::Transaction::default()
    };
    fits("Transaction", &json::transaction(&least));
    let drift = v1::Difference { path: "/a".into(), shows: Some("1".into()), wanted: None };
    let target = v1::Target {
        master: "n1".into(),
        state: "drifted".into(),
        fencing: "device".into(),
        source: "api".into(),
        drift: vec![drift],
        tags: vec!["pod1".into()],
        ..v1::Target::default()
    };
    fits("Target", &json::target(&target));
    let module = v1::Module { name: "lab".into(), revision: String::new() };
    fits("Model", &json::model(&v1::Model { modules: vec![module], ..v1::Model::default() }));
    let masterships = [("leaf1".to_owned(), 3)].into();
    fits("Node", &json::node(&v1::Node { masterships, ..v1::Node::default() }));
    let summary = v1::GetSummaryResponse {
        now: Some(prost_types::Timestamp::default()),
        open: vec![transaction()],
        targets: [("pending".to_owned(), 1)].into(),
        ..v1::GetSummaryResponse::default()
    };
    fits("Summary", &json::summary(&summary));
    let who = v1::WhoAmIResponse {
        how: "token".into(),
        rights: vec!["read".into(), "read-secrets".into()],
        ..v1::WhoAmIResponse::default()
    };
    fits("Me", &json::who(&who));
}

#[test]
fn changes_are_what_the_document_says() {
    let change = v1::Change {
        path: "/a".into(),
        before: Some("{\"b\":1}".into()),
        after: None,
        masked: false,
    };
    let changes = v1::TargetChanges { target: "leaf1".into(), changes: vec![change] };
    let found = json::targets_changes(std::slice::from_ref(&changes));
    fits("ChangesByTarget", &found);
    assert_eq!(found["leaf1"][0]["before"], json!({"b": 1}));
    assert_eq!(found["leaf1"][0]["after"], Value::Null);
    let violation =
        v1::Violation { target: "leaf1".into(), path: "/a".into(), message: "no".into() };
    let tried = v1::DryRunResponse { changes: vec![changes], violations: vec![violation] };
    let tried = json::dry_run(&tried);
    fits("DryRun", &tried);
    assert_eq!(tried["valid"], false);
    let found = v1::Found { path: "/a".into(), value: "[1]".into() };
    let found = v1::GetConfigurationResponse { found: vec![found], index: 0 };
    fits("Configuration", &json::configuration(&found));
}

#[test]
fn every_route_is_described_once_and_every_reference_leads_somewhere() {
    let document = document();
    let mut names = BTreeSet::new();
    for route in ROUTES {
        let method = route.method.to_ascii_lowercase();
        let described = &document["paths"][route.path][method];
        assert_eq!(described["summary"], route.about, "{}", route.path);
        assert!(names.insert(route.name), "{} is there twice", route.name);
        assert!(route.method != "GET" || matches!(route.takes, Takes::Nothing), "{}", route.path);
    }
    let text = document.to_string();
    let schemas = schemas();
    for part in text.split("#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(schemas.contains_key(name), "{name}");
    }
}

#[test]
fn who_may_ask_is_described() {
    let document = document();
    let known = document["components"]["securitySchemes"].as_object().unwrap();
    let ways = document["security"].as_array().unwrap();
    let named: BTreeSet<_> = ways.iter().flat_map(|way| way.as_object().unwrap().keys()).collect();
    assert_eq!(named, known.keys().collect(), "each way is one of those described");
    assert!(ways.contains(&json!({})), "some nodes ask nobody");
    let open = ["/healthz", "/readyz", "/metrics"];
    for (path, operations) in document["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            let none = operation.get("security") == Some(&json!([]));
            assert_eq!(none, open.contains(&path.as_str()), "{path}");
        }
    }
}

#[test]
fn what_does_not_fit_is_found() {
    let mut value = json::transaction(&transaction());
    value["more"] = json!(1);
    assert!(!wrong(&schemas()["Transaction"], &value, "").is_empty());
    let mut value = json::transaction(&transaction());
    value.as_object_mut().unwrap().remove("index");
    assert!(!wrong(&schemas()["Transaction"], &value, "").is_empty());
    let mut value = json::transaction(&transaction());
    value["status"] = json!("gone");
    assert!(!wrong(&schemas()["Transaction"], &value, "").is_empty());
}

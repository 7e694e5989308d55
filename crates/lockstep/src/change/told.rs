//! What is told about a Set that went well.

use lockstep_gnmi::proto::gnmi::{Path as Wire, SetResponse};
use lockstep_gnmi::proto::lockstep::v1::Preview;
use lockstep_gnmi::{extension, path, value};
use prost_types::Timestamp;
use serde_json::{Value, json};

/// For programs.
pub(super) fn json(answer: &SetResponse) -> Value {
    if let Some(preview) = extension::preview(&answer.extension) {
        return json!({ "dry_run": true, "changes": changes(&preview) });
    }
    let outcome = extension::outcome(&answer.extension);
    json!({
        "index": outcome.as_ref().map(|outcome| outcome.index),
        "id": outcome.as_ref().map(|outcome| &outcome.id),
        "status": outcome.as_ref().map(|outcome| &outcome.status),
        "timestamp": time(answer).to_string(),
        "operations": answer.response.len(),
    })
}

/// For people.
pub(super) fn sentence(answer: &SetResponse) -> String {
    let count = answer.response.len();
    let operations = format!("{count} operation{}", if count == 1 { "" } else { "s" });
    if let Some(preview) = extension::preview(&answer.extension) {
        let lines = changes(&preview).into_iter().map(|change| {
            let value = change.get("value").map(|value| format!(" = {value}"));
            let sign = if value.is_some() { '+' } else { '-' };
            let text =
                |key: &str| change.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            format!("{sign} {} {}{}", text("target"), text("path"), value.unwrap_or_default())
        });
        let lines: Vec<String> = lines.collect();
        return match lines.as_slice() {
            [] => "nothing would change".to_owned(),
            lines => lines.join("\n"),
        };
    }
    // A node of before this was told says nothing about it.
    let Some(outcome) = extension::outcome(&answer.extension) else {
        return format!("done: {operations}, {}", time(answer));
    };
    let targets: Vec<&str> = outcome.targets.keys().map(String::as_str).collect();
    let (index, status, targets) = (outcome.index, &outcome.status, targets.join(", "));
    format!("transaction {index} {status}: {operations} on {targets}")
}

/// What would change, path by path; without a value: it would be gone.
fn changes(preview: &Preview) -> Vec<Value> {
    let each = preview.changes.iter().flat_map(|told| {
        let prefix = told.prefix.as_ref();
        let target = prefix.map(|prefix| prefix.target.clone()).unwrap_or_default();
        let at = move |wire: &Wire| {
            path::read(prefix, wire).map(|path| path.to_string()).unwrap_or_default()
        };
        let gone = told.delete.iter().map(at).map(|path| (path, None));
        let set = told.update.iter().filter_map(move |update| {
            let (_, json) = value::read(update.val.as_ref()?).ok()?;
            Some((at(update.path.as_ref()?), Some(json)))
        });
        gone.chain(set).map(move |(path, value)| match value {
            Some(value) => json!({ "target": target, "path": path, "value": value }),
            None => json!({ "target": target, "path": path }),
        })
    });
    each.collect()
}

fn time(answer: &SetResponse) -> Timestamp {
    const SECOND: i64 = 1_000_000_000;
    Timestamp {
        seconds: answer.timestamp / SECOND,
        nanos: i32::try_from(answer.timestamp % SECOND).unwrap_or_default(),
    }
}

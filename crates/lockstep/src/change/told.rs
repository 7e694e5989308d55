//! What is told about a Set that went well.

use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::SetResponse;
use prost_types::Timestamp;
use serde_json::{Value, json};

/// For programs.
pub(super) fn json(answer: &SetResponse) -> Value {
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
    // A node of before this was told says nothing about it.
    let Some(outcome) = extension::outcome(&answer.extension) else {
        return format!("done: {operations}, {}", time(answer));
    };
    let targets: Vec<&str> = outcome.targets.keys().map(String::as_str).collect();
    let (index, status, targets) = (outcome.index, &outcome.status, targets.join(", "));
    format!("transaction {index} {status}: {operations} on {targets}")
}

fn time(answer: &SetResponse) -> Timestamp {
    const SECOND: i64 = 1_000_000_000;
    Timestamp {
        seconds: answer.timestamp / SECOND,
        nanos: i32::try_from(answer.timestamp % SECOND).unwrap_or_default(),
    }
}

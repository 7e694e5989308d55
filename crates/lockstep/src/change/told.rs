//! What is told about a Set.

use lockstep_gnmi::proto::gnmi::SetResponse;
use lockstep_gnmi::proto::lockstep::v1::Outcome;
use lockstep_gnmi::{extension, outcome};
use prost_types::Timestamp;
use serde_json::{Value, json};
use tonic::Status;

use crate::cli::{Failed, Output};
use crate::client::refused;
use crate::output::{json_document, names, one_line};
use crate::show::stands;

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
    let (index, status, targets) = (outcome.index, &outcome.status, names(&targets));
    format!("transaction {index} {status}: {operations} on {targets}")
}

/// What to do next with a change that waits to be confirmed.
pub(super) fn to_confirm(answer: &SetResponse, seconds: u32) -> String {
    let index = extension::outcome(&answer.extension).map(|outcome| outcome.index);
    let index = index.unwrap_or_default();
    format!("it is taken back in {seconds} s, unless `lockstep confirm {index}` is said before")
}

/// The answer; or why there is none, after the targets that did not go along were named. A program finds what became of
/// the transaction where it would find the answer.
pub(crate) fn or_failures<A>(answer: Result<A, Status>, output: Output) -> Result<A, Failed> {
    let status = match answer {
        Ok(answer) => return Ok(answer),
        Err(status) => status,
    };
    match (outcome::read(&status), output) {
        (None, _) => {}
        (Some(outcome), Output::Json) => json_document(&lockstep_gnmi::json::outcome(&outcome))?,
        (Some(outcome), Output::Table) => {
            failures(&outcome, status.message()).iter().for_each(|text| eprintln!("{text}"));
        }
    }
    Err(refused(&status))
}

/// How many targets are named.
const NAMED: usize = 20;

/// The targets of a transaction that did not go along, a line each, but for those of which the sentence says it all.
pub(super) fn failures(outcome: &Outcome, sentence: &str) -> Vec<String> {
    let said = |name: &str, message: &str| {
        let named = [" ", ":"].iter().any(|end| sentence.contains(&format!("target {name}{end}")));
        named && sentence.contains(message)
    };
    let failed = outcome
        .targets
        .iter()
        .filter(|(name, one)| !one.message.is_empty() && !said(name, &one.message));
    let lines: Vec<String> = failed
        .map(|(name, one)| {
            format!(
                "  {name}: {}: {}: {}",
                stands(&one.status, &one.stage),
                one.code,
                one_line(&one.message)
            )
        })
        .collect();
    let more = lines.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("  and {more} more"));
    lines.into_iter().take(NAMED).chain(more).collect()
}

fn time(answer: &SetResponse) -> Timestamp {
    const SECOND: i64 = 1_000_000_000;
    Timestamp {
        seconds: answer.timestamp / SECOND,
        nanos: i32::try_from(answer.timestamp % SECOND).unwrap_or_default(),
    }
}

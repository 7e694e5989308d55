//! What something would do: for a dry run, and before a question.

use lockstep_gnmi::json;
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{DryRunRequest, DryRunResponse, Violation};
use serde_json::{Value, json};

use crate::cli::{Failed, Output};
use crate::client::{Client, refused};
use crate::diff;
use crate::output::{json_document, line};

/// How many changes are shown before a question.
const SHOWN: usize = 20;

/// A dry run; an error, if it would be refused.
pub(super) async fn tried(client: &Client, of: Of, output: Output) -> Result<(), Failed> {
    let request = DryRunRequest { of: Some(of) };
    let answer = client.admin().dry_run(request).await.map_err(|status| refused(&status))?;
    let answer = answer.into_inner();
    match output {
        Output::Json => json_document(&written(&answer))?,
        Output::Table => {
            let lines = diff::by_target(&answer.changes);
            if lines.is_empty() && answer.violations.is_empty() {
                line("nothing would change")?;
            }
            lines.iter().try_for_each(|text| line(text))?;
        }
    }
    match answer.violations.as_slice() {
        [] => Ok(()),
        broken => {
            let words: Vec<String> = broken.iter().map(violation).collect();
            Err(format!("it would be refused:\n  {}", words.join("\n  ")).into())
        }
    }
}

fn violation(found: &Violation) -> String {
    let said = [&found.target, &found.path, &found.message];
    let said: Vec<&str> = said.into_iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
    said.join(": ")
}

/// In the form that others may rely on: a list of changes, each with its target.
fn written(answer: &DryRunResponse) -> Value {
    let changes = answer.changes.iter().flat_map(|one| {
        one.changes.iter().map(|change| {
            let mut json = json::change(change);
            json["target"] = json!(one.target);
            if !json["after"].is_null() {
                json["value"] = json["after"].clone();
            }
            json
        })
    });
    let mut json = json::dry_run(answer);
    json["dry_run"] = json!(true);
    json["changes"] = changes.collect();
    json
}

/// Shows on standard error what would change, so that a question can be answered. Whatever goes wrong here is said by
/// the command itself.
pub(super) async fn shown(client: &Client, of: Of) {
    let request = DryRunRequest { of: Some(of) };
    let Ok(answer) = client.admin().dry_run(request).await else { return };
    let answer = answer.into_inner();
    let lines = diff::by_target(&answer.changes);
    for text in lines.iter().take(SHOWN) {
        eprintln!("{text}");
    }
    if lines.len() > SHOWN {
        eprintln!("… and {} more", lines.len() - SHOWN);
    }
    for found in &answer.violations {
        eprintln!("it would be refused: {}", violation(found));
    }
}

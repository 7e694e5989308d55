//! What something would do: for a dry run, and before a question.

use lockstep_gnmi::json;
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{
    DryRunRequest, DryRunResponse, GetTransactionRequest, Transaction, Violation,
};
use serde_json::{Value, json};
use tonic::Status;

use crate::cli::{Failed, Output};
use crate::client::{Client, refused};
use crate::diff;
use crate::output::{json_document, line};
use crate::terminal::aside;

/// How many changes are shown before a question.
const SHOWN: usize = 20;
const NOTHING: &str = "nothing would change";

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
                line(NOTHING)?;
            }
            lines.iter().try_for_each(|text| line(text))?;
        }
    }
    judged(&answer)
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

/// Shows on standard error what would change, so that whoever sits there can answer a question. What would be refused
/// is an error: nobody is asked about that.
pub(super) async fn shown(client: &Client, of: Of) -> Result<(), Failed> {
    let request = DryRunRequest { of: Some(of) };
    let answer = client.admin().dry_run(request).await.map_err(|status| refused(&status))?;
    let answer = answer.into_inner();
    let lines = diff::by_target(&answer.changes);
    if lines.is_empty() && answer.violations.is_empty() {
        eprintln!("{NOTHING}");
    }
    for text in lines.iter().take(SHOWN) {
        eprintln!("{}", aside(text));
    }
    if lines.len() > SHOWN {
        eprintln!("… and {} more", lines.len() - SHOWN);
    }
    judged(&answer)
}

/// An error, if it would be refused.
fn judged(answer: &DryRunResponse) -> Result<(), Failed> {
    match answer.violations.as_slice() {
        [] => Ok(()),
        broken => {
            let words: Vec<String> = broken.iter().map(violation).collect();
            Err(format!("it would be refused:\n  {}", words.join("\n  ")).into())
        }
    }
}

/// A transaction as it stands; or why that cannot be told. It may be there all the same, and whoever may not read it may be
/// allowed to do something about it.
pub(super) async fn known(client: &Client, index: u64) -> Result<Transaction, Status> {
    let request = GetTransactionRequest { index, ..GetTransactionRequest::default() };
    let found = client.admin().get_transaction(request).await?.into_inner();
    Ok(found.transaction.unwrap_or_default())
}

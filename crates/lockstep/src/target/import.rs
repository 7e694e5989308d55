//! `target import`: the targets of a file of gnmic, each added as `target add` would.

use std::path::PathBuf;

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::{AddTargetRequest, Transaction};
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;
use tonic::Code;

use super::options::wire;
use super::overheard;
use crate::cli::{Failed, Global, Output};
use crate::client::{Client, is_overheard, refused};
use crate::config::{self, Imported, TargetOptions};
use crate::output::{json_document, line, names};
use crate::signals::Signals;
use crate::{ask, completions, show};

/// How many are added at a time: they share what is written to the store.
const TOGETHER: usize = 64;

/// Add the targets of a file of gnmic.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep target import gnmic.yaml --model lab-1.0
  lockstep target import gnmic.yaml --dry-run
  lockstep target import gnmic.yaml --skip-existing   go on where an import ended

The file's globals are defaults of its targets; our keys may stand beside gnmic's. Values such as $PASSWORD are kept as \
they are, and taken from the environment of each node. If one target cannot be added, none is. Where the file has \
`initial: replace`, devices lose what they have: that is asked for, and --yes skips it.")]
pub(super) struct Import {
    /// The file, YAML or JSON
    file: PathBuf,
    /// The model set of targets that name none
    #[arg(long, add = completions::models())]
    model: Option<String>,
    /// Leave targets alone that are there already, instead of refusing the file
    #[arg(long)]
    skip_existing: bool,
    /// Say whether they could be added, and do not
    #[arg(long)]
    dry_run: bool,
    /// What it is for
    #[arg(long, default_value = "", hide_default_value = true)]
    comment: String,
}

/// Whether a credential itself is in the file, and not the name of a variable that has it.
fn has_credential(options: &Map<String, Value>) -> bool {
    let is_itself = |text: &str| !text.starts_with('$') || text.starts_with("$$");
    let given = ["password", "token"].into_iter().filter_map(|key| options.get(key)?.as_str());
    given.into_iter().any(is_itself)
}

/// What the file has; an error also if that is not for everybody to hear.
pub(super) fn read(asked: &Import, global: &Global) -> Result<TargetOptions, Failed> {
    let Imported { targets, warning } = config::targets_of_gnmic(&asked.file)?;
    if let Some(warning) = warning {
        eprintln!("lockstep: {warning}");
    }
    match is_overheard(global) && targets.iter().any(|(_, options)| has_credential(options)) {
        true => Err(overheard(global, "password: $LEAF1_PASSWORD")),
        false => Ok(targets),
    }
}

pub(super) async fn import(
    asked: &Import,
    targets: TargetOptions,
    client: &Client,
    global: &Global,
) -> Result<(), Failed> {
    let (mut requests, mut replacing) = (Vec::new(), Vec::new());
    for (name, mut options) in targets {
        if options.get("initial").and_then(Value::as_str) == Some("replace") {
            replacing.push(name.clone());
        }
        if let Some(model) = &asked.model {
            options.entry("model").or_insert_with(|| Value::String(model.clone()));
        }
        requests.push(AddTargetRequest {
            name,
            options: Some(wire(options)),
            comment: asked.comment.clone(),
            ..AddTargetRequest::default()
        });
    }
    let requests = addable(asked, client, requests).await?;
    let is_added = |name: &&String| requests.iter().any(|request| request.name == **name);
    let replacing: Vec<&str> = replacing.iter().filter(is_added).map(String::as_str).collect();
    if asked.dry_run {
        let names: Vec<&str> = requests.iter().map(|request| request.name.as_str()).collect();
        return tried(&names, global.output);
    }
    if ask::is_needed(global)
        && let Some(question) = question(&replacing)
    {
        ask::agree(&question)?;
    }
    let (mut added, wrong) = add(client, &requests).await?;
    added.sort_by_key(|transaction| std::cmp::Reverse(transaction.index));
    show::transactions(&added, global.output)?;
    match wrong {
        None => Ok(()),
        Some(why) => Err(format!(
            "{why}; {} of {} were added: --skip-existing goes on with the rest",
            added.len(),
            requests.len()
        )
        .into()),
    }
}

/// What to ask before devices lose what they have; none: none of them does.
fn question(replacing: &[&str]) -> Option<String> {
    match replacing {
        [] => None,
        [one] => Some(format!("add {one}? What its device has is gone then: initial: replace")),
        several => {
            let (count, names) = (several.len(), names(several));
            Some(format!(
                "add {names}? What these {count} devices have is gone then: initial: replace"
            ))
        }
    }
}

/// Those that would be added.
fn tried(names: &[&str], output: Output) -> Result<(), Failed> {
    match output {
        Output::Json => json_document(&json!({ "dry_run": true, "targets": names }))?,
        Output::Table if names.is_empty() => line("there is none to be added")?,
        Output::Table => line(&format!("can be added: {}", names.join(", ")))?,
    }
    Ok(())
}

/// Adds them, some at a time. Gives what was added, and why the rest was not.
async fn add(
    client: &Client,
    requests: &[AddTargetRequest],
) -> Result<(Vec<Transaction>, Option<String>), Failed> {
    let mut signals = Signals::new()?;
    let mut added = Vec::new();
    for some in requests.chunks(TOGETHER) {
        let mut under_way = JoinSet::new();
        for request in some.iter().cloned() {
            let mut admin = client.admin();
            under_way.spawn(async move { admin.add_target(request).await });
        }
        let mut wrong = None;
        loop {
            let answer = tokio::select! {
                answer = under_way.join_next() => answer,
                interrupted = signals.next() => {
                    let words = left_behind(added.len(), under_way.len(), requests.len());
                    eprintln!("lockstep: {words}");
                    return Err(interrupted.into());
                }
            };
            let Some(answer) = answer else { break };
            match answer? {
                Ok(answer) => added.extend(answer.into_inner().transaction),
                Err(status) => wrong = Some(refused(&status).to_string()),
            }
        }
        if wrong.is_some() {
            return Ok((added, wrong));
        }
    }
    Ok((added, None))
}

/// What was added, and what may still be, where somebody ended it.
fn left_behind(added: usize, under_way: usize, all: usize) -> String {
    format!(
        "interrupted; {added} of {all} were added, and {under_way} are under way: `lockstep tx list --kind add` shows what \
         becomes of them, and --skip-existing goes on with the rest"
    )
}

/// Asks of every one whether it could be added, before the first is.
async fn addable(
    asked: &Import,
    client: &Client,
    requests: Vec<AddTargetRequest>,
) -> Result<Vec<AddTargetRequest>, Failed> {
    let (mut addable, mut wrong) = (Vec::new(), Vec::new());
    let mut admin = client.admin();
    for request in requests {
        let tried = AddTargetRequest { dry_run: true, ..request.clone() };
        match admin.add_target(tried).await {
            Ok(_) => addable.push(request),
            Err(status) if status.code() == Code::AlreadyExists && asked.skip_existing => {}
            Err(status) if is_of_target(status.code()) => wrong.push(refused(&status).to_string()),
            Err(status) => return Err(refused(&status)),
        }
    }
    match wrong.len() {
        0 => Ok(addable),
        count => Err(format!(
            "nothing was added, for {count} of {} cannot be:\n  {}",
            count + addable.len(),
            wrong.join("\n  ")
        )
        .into()),
    }
}

/// Whether it is about this target, and others may still go well.
fn is_of_target(code: Code) -> bool {
    matches!(code, Code::AlreadyExists | Code::InvalidArgument | Code::FailedPrecondition)
}

#[cfg(test)]
mod tests {
    use super::{left_behind, question};

    #[test]
    fn whoever_ends_it_is_told_how_far_it_came() {
        let said = left_behind(3, 2, 9);
        assert!(said.contains("3 of 9 were added, and 2 are under way"), "{said}");
    }

    #[test]
    fn what_devices_lose_is_asked_for() {
        assert_eq!(question(&[]), None);
        let one = question(&["leaf1"]).unwrap();
        assert_eq!(one, "add leaf1? What its device has is gone then: initial: replace");
        assert!(
            question(&["leaf1", "leaf2"])
                .unwrap()
                .starts_with("add leaf1,leaf2? What these 2 devices")
        );
    }
}

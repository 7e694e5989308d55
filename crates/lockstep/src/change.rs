//! Commands that change something.

mod file;

use clap::{Args, ValueEnum};
use lockstep_gnmi::extension;
use lockstep_gnmi::proto::gnmi::{Path as WirePath, SetRequest, Update};
use lockstep_gnmi::proto::lockstep::v1::{
    CancelRequest, RollbackRequest, RollbackRule, SetOptions,
};
use lockstep_gnmi::{path, value};
use lockstep_types::Path;
use serde_json::Value;

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client, refused};
use crate::output::{json_document, line};
use crate::show;

/// Change configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure set leaf1 --update /system/motd=hello
  lockstep --insecure set leaf1 --replace '/system={\"hostname\": \"leaf1\"}' --delete /vlans
  lockstep --insecure set -f change.yaml             several targets at once
  lockstep --insecure set -f - --queued < change.json

A change file holds what is asked of each target:
  leaf1: {update: {/system/motd: hello}, replace: {/system/name-server: [10.0.0.1]}}
  leaf2: {delete: [/vlans]}")]
pub(crate) struct Set {
    /// On which target
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    target: Option<String>,
    /// Set a value, as PATH=VALUE; a value that is JSON counts as JSON
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    update: Vec<(Path, Value)>,
    /// Put a value in place of all that stands at the path
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    replace: Vec<(Path, Value)>,
    /// Remove what stands at the path
    #[arg(long, value_name = "PATH")]
    delete: Vec<Path>,
    /// A change file, JSON or YAML; `-` reads standard input
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["update", "replace", "delete"])]
    file: Option<String>,
    /// Each target when it can, instead of everywhere or nowhere
    #[arg(long)]
    queued: bool,
    /// Return with the decision, instead of with the outcome
    #[arg(long = "async")]
    asynchronous: bool,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// What it is for
    #[arg(long, default_value = "", hide_default_value = true)]
    comment: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<u32>,
    /// Sent again with the same id, it is not done again
    #[arg(long, default_value = "", hide_default_value = true)]
    id: String,
    #[command(flatten)]
    certificates: Certificates,
}

/// Take a change out again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure rollback 7
  lockstep --insecure rollback 7 --rule path --target leaf1")]
pub(crate) struct Rollback {
    /// The change, by its index
    index: u64,
    /// When the change counts as the latest
    #[arg(long, value_enum, default_value = "target")]
    rule: Rule,
    /// Only on this target; may be given several times
    #[arg(long)]
    target: Vec<String>,
    /// Return with the decision, instead of with the outcome
    #[arg(long = "async")]
    asynchronous: bool,
    /// What it is for
    #[arg(long, default_value = "", hide_default_value = true)]
    comment: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS")]
    deadline: Option<u32>,
    /// Sent again with the same id, it is not done again
    #[arg(long, default_value = "", hide_default_value = true)]
    id: String,
    #[command(flatten)]
    certificates: Certificates,
}

/// Call off a transaction.
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// Its index
    index: u64,
    #[command(flatten)]
    certificates: Certificates,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Rule {
    /// Nothing came later on its targets
    Target,
    /// Nothing came later on its paths
    Path,
}

/// `PATH=VALUE`: the first `=` outside of `[…]` ends the path.
fn assignment(text: &str) -> Result<(Path, Value), String> {
    let mut inside = false;
    let mut escaped = false;
    let end = text.char_indices().find(|(_, character)| {
        let plain = !escaped;
        escaped = plain && *character == '\\';
        match character {
            '[' if plain => inside = true,
            ']' if plain => inside = false,
            _ => {}
        }
        *character == '=' && !inside && plain
    });
    let (at, _) = end.ok_or("write it as PATH=VALUE")?;
    let path =
        text[..at].parse().map_err(|error: lockstep_types::path::Error| error.to_string())?;
    let raw = &text[at + 1..];
    Ok((path, serde_json::from_str(raw).unwrap_or_else(|_| Value::String(raw.to_owned()))))
}

fn seconds(given: Option<u32>) -> Option<prost_types::Duration> {
    given.map(|seconds| prost_types::Duration { seconds: seconds.into(), nanos: 0 })
}

/// `set`.
pub(crate) async fn set(set: Set, global: &Global) -> Result<(), Failed> {
    let mut request = match &set.file {
        Some(file) => file::read(file)?,
        None => of_flags(&set),
    };
    let options = SetOptions {
        queued: set.queued,
        r#async: set.asynchronous,
        dry_run: set.dry_run,
        comment: set.comment.clone(),
        deadline: seconds(set.deadline),
        id: set.id.clone(),
    };
    request.extension.push(extension::with_options(&options));
    let client = Client::connect(global, &set.certificates).await?;
    let answer = client.gnmi().set(request).await.map_err(|status| refused(&status))?.into_inner();
    let time = prost_types::Timestamp {
        seconds: answer.timestamp / 1_000_000_000,
        nanos: i32::try_from(answer.timestamp % 1_000_000_000).unwrap_or_default(),
    };
    match global.output {
        Output::Json => json_document(&serde_json::json!({
            "timestamp": time.to_string(),
            "operations": answer.response.len(),
        }))?,
        Output::Table => {
            let count = answer.response.len();
            let operations = if count == 1 { "operation" } else { "operations" };
            line(&format!("done: {count} {operations}, {time}"))?;
        }
    }
    Ok(())
}

fn of_flags(set: &Set) -> SetRequest {
    let target = set.target.clone().unwrap_or_default();
    SetRequest {
        prefix: Some(WirePath { target, ..WirePath::default() }),
        delete: set.delete.iter().map(path::write).collect(),
        replace: set.replace.iter().map(|(at, json)| update("", at, json)).collect(),
        update: set.update.iter().map(|(at, json)| update("", at, json)).collect(),
        ..SetRequest::default()
    }
}

/// One update of a Set; with a target of its own where it is not in the prefix.
pub(crate) fn update(target: &str, at: &Path, json: &Value) -> Update {
    let path = WirePath { target: target.to_owned(), ..path::write(at) };
    Update { path: Some(path), val: Some(value::json(json, true)), ..Update::default() }
}

/// `rollback`.
pub(crate) async fn rollback(asked: &Rollback, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let rule = match asked.rule {
        Rule::Target => RollbackRule::Target,
        Rule::Path => RollbackRule::Path,
    };
    let request = RollbackRequest {
        index: asked.index,
        rule: rule.into(),
        targets: asked.target.clone(),
        comment: asked.comment.clone(),
        id: asked.id.clone(),
        deadline: seconds(asked.deadline),
        r#async: asked.asynchronous,
    };
    let answer = client.admin().rollback(request).await.map_err(|status| refused(&status))?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

/// `cancel`.
pub(crate) async fn cancel(asked: &Cancel, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let index = asked.index;
    let answer = client.admin().cancel(CancelRequest { index }).await.map_err(|s| refused(&s))?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::assignment;

    #[test]
    fn a_path_may_hold_an_equals_sign() {
        let (path, value) = assignment("/l[name=a=b]/x=1=2").unwrap();
        assert_eq!((path.to_string().as_str(), value), ("/l[name=a=b]/x", json!("1=2")));
        let (path, value) = assignment(r"/l[name=a\]=b]/x={}").unwrap();
        assert_eq!((path.to_string().as_str(), value), (r"/l[name=a\]=b]/x", json!({})));
        assert!(assignment("/l[name=a]").is_err());
    }

    #[test]
    fn what_is_json_counts_as_json() {
        for (text, value) in
            [("1", json!(1)), ("true", json!(true)), ("\"1\"", json!("1")), ("a b", json!("a b"))]
        {
            assert_eq!(assignment(&format!("/x={text}")).unwrap().1, value);
        }
    }
}

//! Commands that change something.

mod confirm;
mod file;
mod given;
mod preview;
mod restore;
mod told;

use std::io::IsTerminal;

use clap::{Args, ValueEnum};
use lockstep_gnmi::proto::gnmi::{Path as WirePath, SetRequest, TypedValue};
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::proto::lockstep::v1::{
    CancelRequest, GetTransactionRequest, RollbackRequest, RollbackRule, SetOptions,
};
use lockstep_gnmi::{extension, path};
use lockstep_types::Path;

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client};
use crate::exit::{Ended, USAGE};
use crate::output::{json_document, line};
use crate::progress::{self, Progress};
use crate::{ask, completions, show};

pub(crate) use confirm::{Confirm, confirm};
pub(crate) use lockstep_gnmi::change::update;
pub(crate) use restore::{Restore, restore};
pub(crate) use told::or_failures;

/// Change configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure set leaf1 --update /system/motd=hello
  lockstep --insecure set leaf1 --replace '/system={\"hostname\": \"leaf1\"}' --delete /vlans
  lockstep --insecure set -f change.yaml             several targets at once
  lockstep --insecure set --queued < change.json     the same as -f -
  lockstep --insecure set -f change.yaml --dry-run   what it would change
  lockstep --insecure set -f change.yaml --confirm 60   taken back after a minute, unless confirmed

A change file holds what is asked of each target:
  leaf1: {update: {/system/motd: hello}, replace: {/system/name-server: [10.0.0.1]}}
  leaf2: {delete: [/vlans]}")]
pub(crate) struct Set {
    /// On which target
    #[arg(conflicts_with = "file", add = completions::targets())]
    target: Option<String>,
    /// Set a value, as PATH=VALUE; {…}, […] and "…" are JSON, anything else is the value itself
    #[arg(long, value_name = "PATH=VALUE", value_parser = given::assignment)]
    update: Vec<(Path, TypedValue)>,
    /// Put a value in place of all that stands at the path
    #[arg(long, value_name = "PATH=VALUE", value_parser = given::assignment)]
    replace: Vec<(Path, TypedValue)>,
    /// Remove what stands at the path
    #[arg(long, value_name = "PATH")]
    delete: Vec<Path>,
    /// A change file, JSON or YAML; `-` reads standard input, which is also read if no target is named
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["update", "replace", "delete"])]
    file: Option<String>,
    /// Each target when it can, instead of everywhere or nowhere
    #[arg(long)]
    queued: bool,
    /// Take it back again unless it is confirmed within so many seconds
    #[arg(long, value_name = "SECONDS", conflicts_with = "queued")]
    confirm: Option<u32>,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    certificates: Certificates,
}

/// What goes with everything that becomes a transaction.
#[derive(Debug, Args)]
struct Terms {
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
}

/// Take a change out again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure rollback 7
  lockstep --insecure rollback 7 --dry-run           what that would do
  lockstep --insecure rollback 7 --rule path --target leaf1

On a terminal it shows what it would do, and asks; --yes skips that.")]
pub(crate) struct Rollback {
    /// The change, by its index
    #[arg(add = completions::transactions(&["applied", "partial", "committed"]))]
    index: u64,
    /// When the change counts as the latest
    #[arg(long, value_enum, default_value = "target")]
    rule: Rule,
    /// Only on this target; may be given several times
    #[arg(long, add = completions::targets())]
    target: Vec<String>,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    certificates: Certificates,
}

/// Call off a transaction, or take back one that is not confirmed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure cancel 7                       it has no outcome yet, or waits to be confirmed
  lockstep --insecure cancel 7 --yes")]
pub(crate) struct Cancel {
    /// Its index
    #[arg(add = completions::transactions(&["pending", "committed", "applied"]))]
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

pub(crate) fn seconds(given: Option<u32>) -> Option<prost_types::Duration> {
    given.map(|seconds| prost_types::Duration { seconds: seconds.into(), nanos: 0 })
}

/// `set`.
pub(crate) async fn set(set: Set, global: &Global) -> Result<(), Failed> {
    let set = Set { file: file_of(&set)?, ..set };
    let mut request = match &set.file {
        Some(file) => file::read(file)?,
        None => of_flags(&set),
    };
    if request.delete.is_empty() && request.replace.is_empty() && request.update.is_empty() {
        return Err(nothing(set.file.as_deref()).into());
    }
    let client = Client::connect(global, &set.certificates).await?;
    if set.dry_run {
        return preview::tried(&client, Of::Set(request), global.output).await;
    }
    let id = progress::id(&set.terms.id, global);
    let options = SetOptions {
        queued: set.queued,
        r#async: set.terms.asynchronous,
        dry_run: false,
        comment: set.terms.comment.clone(),
        deadline: seconds(set.terms.deadline),
        id: id.clone(),
        confirm: seconds(set.confirm),
    };
    request.extension.push(extension::with_options(&options));
    let bar = Progress::of(&client, &id, global);
    let answer = client.gnmi().set(request).await;
    bar.done().await;
    let answer = or_failures(answer, global.output)?.into_inner();
    match global.output {
        Output::Json => json_document(&told::json(&answer))?,
        Output::Table => {
            line(&told::sentence(&answer))?;
            if let Some(seconds) = set.confirm {
                line(&told::to_confirm(&answer, seconds))?;
            }
        }
    }
    Ok(())
}

/// The change file, if there is one. Whoever names no target and pipes something in means that.
fn file_of(set: &Set) -> Result<Option<String>, Failed> {
    if set.file.is_some() || set.target.is_some() {
        return Ok(set.file.clone());
    }
    let flags = !(set.update.is_empty() && set.replace.is_empty() && set.delete.is_empty());
    if flags || std::io::stdin().is_terminal() {
        let words = "name a target, or give a change file with -f FILE or on standard input";
        return Err(Ended::with(USAGE, words));
    }
    Ok(Some("-".into()))
}

/// What to say of a Set that asks for nothing.
fn nothing(file: Option<&str>) -> String {
    match file {
        Some(file) => format!(
            "{file} asks for nothing; write what is asked of each target, as in \
             `leaf1: {{update: {{/system/motd: hello}}}}`"
        ),
        None => {
            "nothing is asked; give --update PATH=VALUE, --replace PATH=VALUE or --delete PATH, \
                 or a change file with -f FILE"
                .to_owned()
        }
    }
}

fn of_flags(set: &Set) -> SetRequest {
    let target = set.target.clone().unwrap_or_default();
    let updates = |given: &[(Path, TypedValue)]| {
        given.iter().map(|(at, value)| update("", at, value.clone())).collect()
    };
    SetRequest {
        prefix: Some(WirePath { target, ..WirePath::default() }),
        delete: set.delete.iter().map(path::write).collect(),
        replace: updates(&set.replace),
        update: updates(&set.update),
        ..SetRequest::default()
    }
}

/// `rollback`.
pub(crate) async fn rollback(asked: &Rollback, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let rule = match asked.rule {
        Rule::Target => RollbackRule::Target,
        Rule::Path => RollbackRule::Path,
    };
    let id = progress::id(&asked.terms.id, global);
    let request = RollbackRequest {
        index: asked.index,
        rule: rule.into(),
        targets: asked.target.clone(),
        comment: asked.terms.comment.clone(),
        id: id.clone(),
        deadline: seconds(asked.terms.deadline),
        r#async: asked.terms.asynchronous,
    };
    if asked.dry_run {
        return preview::tried(&client, Of::Rollback(request), global.output).await;
    }
    if ask::is_asked(global)
        && let Some(on) = concerned(&client, asked.index, &asked.target).await
    {
        preview::shown(&client, Of::Rollback(request.clone())).await;
        ask::agree(&format!("roll back transaction {} on {on}?", asked.index))?;
    }
    let bar = Progress::of(&client, &id, global);
    let answer = client.admin().rollback(request).await;
    bar.done().await;
    let answer = or_failures(answer, global.output)?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

/// The targets that a transaction concerns, to ask whether they are meant. None: the node does not
/// know it, and will say so when it is asked to do something about it.
async fn concerned(client: &Client, index: u64, only: &[String]) -> Option<String> {
    let answer = client
        .admin()
        .get_transaction(GetTransactionRequest { index, brief: false, ..Default::default() })
        .await
        .ok()?;
    let transaction = answer.into_inner().transaction?;
    let names = match only {
        [] => transaction.targets.into_keys().collect(),
        only => only.to_vec(),
    };
    Some(names.join(", "))
}

/// `cancel`.
pub(crate) async fn cancel(asked: &Cancel, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let index = asked.index;
    if ask::is_asked(global)
        && let Some(on) = concerned(&client, index, &[]).await
    {
        ask::agree(&format!("cancel transaction {index} on {on}?"))?;
    }
    let answer = client.admin().cancel(CancelRequest { index }).await;
    let answer = or_failures(answer, global.output)?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

#[cfg(test)]
mod tests;

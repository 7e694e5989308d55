//! Commands that change something.

mod cancel;
mod confirm;
mod everything;
mod file;
mod given;
mod preview;
mod restore;
mod rollback;
mod told;
mod wait;

use std::io::IsTerminal;

use clap::Args;
use lockstep_gnmi::proto::gnmi::{Path as WirePath, SetRequest, TypedValue};
use lockstep_gnmi::proto::lockstep::v1::SetOptions;
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;
use lockstep_gnmi::{extension, path};
use lockstep_types::Path;

use crate::cli::{Failed, Global, Output};
use crate::client::{Certificates, Client};
use crate::exit::{Ended, USAGE};
use crate::output::{json_document, line};
use crate::{ask, completions, progress};

pub(crate) use cancel::{Cancel, cancel};
pub(crate) use confirm::{Confirm, confirm};
pub(crate) use lockstep_gnmi::change::update;
pub(crate) use restore::{Restore, restore};
pub(crate) use rollback::{Rollback, rollback};
pub(crate) use told::or_failures;
pub(crate) use wait::answer as awaited;

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
  leaf2: {delete: [/vlans]}

To delete or replace everything that a target has (`/`) is asked for; --yes skips that. Ended by Ctrl-C while it waits, it \
says which transaction goes on.")]
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
        return Err(nothing(set.file.as_deref()));
    }
    let client = Client::connect(global, &set.certificates).await?;
    if set.dry_run {
        return preview::tried(&client, Of::Set(request), global.output).await;
    }
    if ask::is_needed(global)
        && let Some(question) = everything::question(&request)
    {
        preview::shown(&client, Of::Set(request.clone())).await?;
        ask::agree(&question)?;
    }
    let id = progress::id(&set.terms.id);
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
    let mut gnmi = client.gnmi();
    let answer = wait::answer(&client, &id, global, gnmi.set(request)).await?.into_inner();
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
fn nothing(file: Option<&str>) -> Failed {
    let words = match file {
        Some(file) => format!(
            "{} asks for nothing; write what is asked of each target, as in \
             `leaf1: {{update: {{/system/motd: hello}}}}`",
            file::said(file)
        ),
        None => {
            "nothing is asked; give --update PATH=VALUE, --replace PATH=VALUE or --delete PATH, \
                 or a change file with -f FILE"
                .into()
        }
    };
    Ended::with(USAGE, words)
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

#[cfg(test)]
mod tests;

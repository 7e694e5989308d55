//! `restore`: targets as they stood after an entry of the log.

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::RestoreRequest;
use lockstep_gnmi::proto::lockstep::v1::dry_run_request::Of;

use super::{Terms, preview, seconds, wait};
use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client};
use crate::{ask, completions, progress, show, typed};

/// Take targets back to how they stood.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure restore 7                      whatever came after transaction 7 is undone
  lockstep --insecure restore 7 --dry-run            what that would do
  lockstep --insecure restore 7 --target leaf1       on one target alone

On a terminal it shows what it would do, and asks; --yes skips that.")]
pub(crate) struct Restore {
    /// After which transaction, by its index
    #[arg(value_parser = typed::index, add = completions::transactions(&[]))]
    index: u64,
    /// This target; may be given several times. None: those that later transactions concern
    #[arg(long, add = completions::targets())]
    target: Vec<String>,
    /// Say what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Each target when it can, instead of everywhere or nowhere
    #[arg(long)]
    queued: bool,
    /// Take it back again unless it is confirmed within so many seconds
    #[arg(long, value_name = "SECONDS", conflicts_with = "queued")]
    confirm: Option<u32>,
    #[command(flatten)]
    terms: Terms,
    #[command(flatten)]
    certificates: Certificates,
}

/// Does it.
pub(crate) async fn restore(asked: &Restore, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let id = progress::id(&asked.terms.id);
    let request = RestoreRequest {
        index: asked.index,
        targets: asked.target.clone(),
        queued: asked.queued,
        r#async: asked.terms.asynchronous,
        comment: asked.terms.comment.clone(),
        deadline: seconds(asked.terms.deadline),
        id: id.clone(),
        confirm: seconds(asked.confirm),
    };
    if asked.dry_run {
        return preview::tried(&client, Of::Restore(request), global.output).await;
    }
    if ask::is_needed(global) {
        let on = match &asked.target[..] {
            [] => "every target that came later".to_owned(),
            named => named.join(", "),
        };
        preview::shown(&client, Of::Restore(request.clone())).await?;
        ask::agree(&format!("restore {on} to how it was after transaction {}?", asked.index))?;
    }
    let mut admin = client.admin();
    let answer = wait::answer(&client, &id, global, admin.restore(request)).await?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

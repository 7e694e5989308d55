//! `restore`: targets as they stood after an entry of the log.

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::RestoreRequest;

use super::{Terms, seconds};
use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client, refused};
use crate::{ask, show};

/// Take targets back to how they stood.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure restore 7                      whatever came after transaction 7 is undone
  lockstep --insecure restore 7 --target leaf1       on one target alone")]
pub(crate) struct Restore {
    /// After which transaction, by its index
    index: u64,
    /// This target; may be given several times. None: those that later transactions concern
    #[arg(long)]
    target: Vec<String>,
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
    if ask::is_asked(global) {
        let on = match &asked.target[..] {
            [] => "every target that came later".to_owned(),
            named => named.join(", "),
        };
        ask::agree(&format!("restore {on} to how it was after transaction {}?", asked.index))?;
    }
    let request = RestoreRequest {
        index: asked.index,
        targets: asked.target.clone(),
        queued: asked.queued,
        r#async: asked.terms.asynchronous,
        comment: asked.terms.comment.clone(),
        deadline: seconds(asked.terms.deadline),
        id: asked.terms.id.clone(),
        confirm: seconds(asked.confirm),
    };
    let answer = client.admin().restore(request).await.map_err(|status| refused(&status))?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

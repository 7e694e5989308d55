//! `confirm`: what would be taken back stays.

use clap::Args;
use lockstep_gnmi::proto::lockstep::v1::ConfirmRequest;

use super::or_failures;
use crate::cli::{Failed, Global};
use crate::client::{Certificates, Client};
use crate::{completions, show, typed};

/// Confirm a change that would be taken back otherwise.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lockstep --insecure set leaf1 --update /system/motd=hello --confirm 60
  lockstep --insecure confirm 7                      it stays
  lockstep --insecure cancel 7                       it is taken back now")]
pub(crate) struct Confirm {
    /// The change, by its index
    #[arg(value_parser = typed::index, add = completions::windows())]
    index: u64,
    #[command(flatten)]
    certificates: Certificates,
}

/// Does it.
pub(crate) async fn confirm(asked: &Confirm, global: &Global) -> Result<(), Failed> {
    let client = Client::connect(global, &asked.certificates).await?;
    let request = ConfirmRequest { index: asked.index };
    let answer = or_failures(client.admin().confirm(request).await, global.output)?;
    show::transaction(&answer.into_inner().transaction.unwrap_or_default(), global.output)
}

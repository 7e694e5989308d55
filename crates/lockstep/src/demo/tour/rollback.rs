//! Taking the first change back.

use super::super::network::Held;
use super::super::tell::{Long, expect};
use super::{Tour, index, took};
use crate::cli::Failed;

pub(super) async fn rollback(tour: &Tour<'_>, of: u64, before: &Held) -> Result<(), Failed> {
    tour.step(
        6,
        "Taking a change back",
        "The customer moves out. Everything that the first change did is to be undone, on all six devices, \
         and what was there before is to be there again.",
    )
    .await?;
    tour.works(&format!("lockstep rollback {of} --dry-run"), Long::Cut).await?;
    tour.teller.blank()?;
    let told = tour.works(&format!("lockstep rollback {of} --yes"), Long::Cut).await?;
    let transaction = tour.transaction(index(&told)?).await?;
    expect("the outcome", &transaction.status.as_str(), &"applied")?;
    expect("what the devices hold", &tour.network.held_everywhere().await?, before)?;
    expect("who took it back", &tour.transaction(of).await?.rolled_back_by, &transaction.index)?;
    tour.found(&format!(
        "{} later all six devices hold exactly what they came with, down to what was not there.",
        took(&transaction)
    ))?;
    tour.means(
        "A rollback is a transaction of its own: decided once, all or nothing, in the log like any other.",
    )
    .await
}

//! The log, in which all of it stands.

use lockstep_gnmi::proto::lockstep::v1::ListTransactionsRequest;

use super::super::tell::{Long, expect};
use super::Tour;
use crate::cli::Failed;

/// What the log has by now, oldest first: what each device came with, and what the tour did.
const OUTCOMES: [(&str, &str); 4] = [
    ("change", "applied"),
    ("change", "rejected"),
    ("change", "reverted"),
    ("rollback", "applied"),
];

pub(super) async fn log(tour: &Tour<'_>) -> Result<(), Failed> {
    tour.teller.blank()?;
    tour.teller.title("All of it is in the log")?;
    tour.teller.blank()?;
    tour.works("lockstep tx list --limit 4", Long::Cut).await?;
    tour.teller.blank()?;
    tour.teller.prose("Before them stands what each device came with.")?;
    let request = ListTransactionsRequest::default();
    let listed = tour.network.client().admin().list_transactions(request).await?.into_inner();
    let told = listed.transactions.iter().rev().filter(|transaction| transaction.kind != "adopt");
    let told: Vec<(&str, &str)> = told.map(|t| (t.kind.as_str(), t.status.as_str())).collect();
    expect("the log, oldest first", &told, &OUTCOMES.to_vec())?;
    tour.found("Every step went as told.")
}

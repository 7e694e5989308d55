//! A device that somebody changes behind Lockstep's back.

use serde_json::json;

use super::super::tell::{Long, expect, expect_words};
use super::Tour;
use crate::cli::Failed;

const PORT: &str = "/interfaces/interface[name=up1]/description";

pub(super) async fn drift(tour: &Tour<'_>) -> Result<(), Failed> {
    let (network, device) = (tour.network, tour.network.device("leaf2"));
    tour.step(
        5,
        "Somebody changes a device by hand",
        "At three in the morning somebody logs in to leaf2 and changes the description of a link. Lockstep \
         was not asked.",
    )
    .await?;
    let before = network.held_everywhere().await?;
    tour.works(&format!("lockstep sim drift {device} '{PORT}' '\"do not touch\"'"), Long::Fold)
        .await?;
    network.until("leaf2", "drifted", 0).await?;
    expect("leaf2", &network.held("leaf2", PORT).await?, &Some(json!("do not touch")))?;
    tour.works("lockstep target list --state drifted", Long::Cut).await?;
    tour.teller.blank()?;
    let told = tour.works("lockstep diff leaf2", Long::Fold).await?;
    expect_words("the difference", &told, "do not touch")?;
    tour.means(
        "It was seen, and left alone: that is the default. With `drift: enforce` it would have been \
         changed back already, with `drift: adopt` it would be what is wanted now. Here a person decides:",
    )
    .await?;
    tour.teller.blank()?;
    tour.works("lockstep target sync leaf2", Long::Cut).await?;
    network.until("leaf2", "synchronised", 0).await?;
    expect("what the devices hold", &network.held_everywhere().await?, &before)?;
    tour.found(
        "leaf2 says itself that the description is the agreed one again, and all else as before.",
    )
}

//! A change that one device refuses, and that is on none of them afterwards.

use std::fmt::Write;

use super::super::network::LEAVES;
use super::super::tell::{Long, expect, expect_words};
use super::{Tour, index, took};
use crate::cli::Failed;

pub(super) async fn refusal(tour: &Tour<'_>) -> Result<(), Failed> {
    let (network, device) = (tour.network, tour.network.device("leaf3"));
    tour.step(
        3,
        "One device refuses: it is on none",
        "Now a change with nothing wrong in it: VLAN 200 on all four leaves. But leaf3 has a will of its own, \
         which no model tells.",
    )
    .await?;
    let before = network.held_everywhere().await?;
    tour.works(
        &format!("lockstep sim refuse {device} /vlans --message 'the VLAN table is full'"),
        Long::Fold,
    )
    .await?;
    tour.teller.blank()?;
    tour.file("another.yaml", &file(), LEAVES.len()).await?;
    let told = tour.fails("lockstep set -f another.yaml").await?;
    expect_words("the answer", &told, "the VLAN table is full")?;
    let index = index(&told)?;
    tour.teller.blank()?;
    tour.works(&format!("lockstep tx show {index}"), Long::Cut).await?;
    let transaction = tour.transaction(index).await?;
    expect("the outcome", &transaction.status.as_str(), &"reverted")?;
    expect("what the devices hold", &network.held_everywhere().await?, &before)?;
    tour.found(&format!(
        "After {} all six devices hold exactly what they held before: nothing of it is left anywhere.",
        took(&transaction)
    ))?;
    tour.means(
        "Nobody has to find out by hand who got what. The log keeps who refused it, and in which words. Then \
         leaf3 is mended:",
    )
    .await?;
    tour.teller.blank()?;
    tour.works(&format!("lockstep sim heal {device}"), Long::Fold).await?;
    network.until("leaf3", "synchronised", 0).await?;
    Ok(())
}

fn file() -> String {
    let mut text = String::new();
    for name in LEAVES {
        let _ = writeln!(text, "{name}: {{update: {{\"/vlans/vlan[id=200]/name\": another}}}}");
    }
    text
}

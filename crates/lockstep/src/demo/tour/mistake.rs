//! A mistake that no device ever hears of.

use lockstep_simulator::journal::Kind;

use super::super::network::{NAMES, Network};
use super::super::tell::{expect, expect_words};
use super::Tour;
use crate::cli::Failed;

const FILE: &str = "\
leaf1: {update: {\"/interfaces/interface[name=eth1]/description\": printer}}
leaf2: {update: {\"/interfaces/interface[name=eth1]/access-vlan\": 42}}
";

pub(super) async fn mistake(tour: &Tour<'_>) -> Result<(), Failed> {
    let network = tour.network;
    tour.step(
        2,
        "A mistake reaches no device",
        "Two devices again. What is asked of leaf1 is fine. On leaf2 a port is to be in VLAN 42, and there is \
         no such VLAN.",
    )
    .await?;
    tour.file("mistake.yaml", FILE, FILE.lines().count()).await?;
    let before = (sets(network)?, network.held_everywhere().await?);
    let told = tour.fails("lockstep set -f mistake.yaml").await?;
    expect_words("the answer", &told, "rejected")?;
    let after = (sets(network)?, network.held_everywhere().await?);
    expect("what the devices were sent, and hold", &after, &before)?;
    tour.found("No device was sent anything: their own journals have no entry more. Nor has leaf1 its half.")?;
    tour.means(
        "What is not valid on one device is rejected on all of them, before anybody is asked.",
    )
    .await
}

/// How many Sets each device has seen.
fn sets(network: &Network) -> Result<Vec<usize>, Failed> {
    let count = |name: &&str| {
        let journal = network.simulated(name)?.journal();
        Ok(journal.iter().filter(|entry| entry.kind == Kind::Set).count())
    };
    NAMES.iter().map(count).collect()
}

//! One change over six devices.

use std::fmt::Write;

use serde_json::json;

use super::super::network::{LEAVES, NAMES};
use super::super::tell::{Long, expect};
use super::{Tour, index, took};
use crate::cli::Failed;

/// So many lines the file has about each leaf.
const OF_A_LEAF: usize = 4;

/// Says which transaction it was.
pub(super) async fn change(tour: &Tour<'_>) -> Result<u64, Failed> {
    let network = tour.network;
    tour.step(
        1,
        "One change, six devices",
        "A customer moves in: VLAN 100 on every leaf, with a port in it, and jumbo frames on the spines. One \
         file says what each device is to have; it begins with leaf1, and a dry run says what it would change:",
    )
    .await?;
    tour.file("customer.yaml", &file(), OF_A_LEAF).await?;
    tour.works("lockstep set -f customer.yaml --dry-run", Long::Cut).await?;
    tour.teller.blank()?;
    let told = tour
        .works("lockstep set -f customer.yaml --comment 'a customer moves in'", Long::Fold)
        .await?;
    let index = index(&told)?;
    let transaction = tour.transaction(index).await?;
    expect("the outcome", &transaction.status.as_str(), &"applied")?;
    for name in LEAVES {
        let vlan = network.held(name, "/vlans/vlan[id=100]/name").await?;
        expect(&format!("the VLAN on {name}"), &vlan, &Some(json!("customer")))?;
        let port = network.held(name, "/interfaces/interface[name=eth1]/access-vlan").await?;
        expect(&format!("the port of {name}"), &port, &Some(json!(100)))?;
    }
    for name in &NAMES[..2] {
        let mtu = network.held(name, "/interfaces/interface[name=eth1]/mtu").await?;
        expect(&format!("the MTU of {name}"), &mtu, &Some(json!(9000)))?;
    }
    tour.found(&format!(
        "All six devices say themselves that they have it, {} after it was asked for.",
        took(&transaction)
    ))?;
    tour.means(
        "That was one transaction. It was checked against each device's YANG model, decided by one write to \
         the store, tried on all six with a timer, and kept once all six had accepted it.",
    )
    .await?;
    Ok(index)
}

/// The change, as a person would write it.
fn file() -> String {
    let mut text = String::new();
    for name in LEAVES {
        let _ = writeln!(
            text,
            "{name}:\n  update:\n    /vlans/vlan[id=100]/name: customer\n    /interfaces/interface[name=eth1]/access-vlan: 100"
        );
    }
    for name in &NAMES[..2] {
        let _ =
            writeln!(text, "{name}:\n  update:\n    /interfaces/interface[name=eth1]/mtu: 9000");
    }
    text
}

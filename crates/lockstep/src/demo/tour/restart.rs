//! A device that forgets everything and is brought back.

use std::time::Duration;

use lockstep_simulator::journal::{Entry, Kind};

use super::super::tell::{Long, expect};
use super::{Tour, spoken};
use crate::cli::Failed;

pub(super) async fn restart(tour: &Tour<'_>) -> Result<(), Failed> {
    let (network, device) = (tour.network, tour.network.device("leaf4"));
    tour.step(
        4,
        "A device restarts",
        "leaf4 loses its power, and with it its whole configuration. Nobody tells Lockstep.",
    )
    .await?;
    let before = network.held_everywhere().await?;
    let term = network.target("leaf4").await?.term;
    let entries = network.simulated("leaf4")?.journal().len();
    tour.works(&format!("lockstep sim restart {device}"), Long::Fold).await?;
    let back = network.until("leaf4", "synchronised", term).await?;
    tour.works("lockstep target show leaf4", Long::Cut).await?;
    expect("what the devices hold", &network.held_everywhere().await?, &before)?;
    let journal = network.simulated("leaf4")?.journal();
    let since = &journal[entries.min(journal.len())..];
    let restarts = times(since, Kind::Restart);
    let sets = times(since, Kind::Set);
    expect("how often leaf4 restarted, and took a Set", &(restarts.len(), sets.len()), &(1, 1))?;
    let time = Duration::from_nanos(u64::try_from(sets[0] - restarts[0]).unwrap_or_default());
    tour.found(&format!(
        "By its own journal leaf4 was sent everything {} after its restart, its name and its links included, \
         in a single Set.",
        spoken(time)
    ))?;
    tour.means(&format!(
        "A lost connection is a new term, now {}. In a new term a device is read first, and then sent what it \
         lacks, and nothing else.",
        back.term
    ))
    .await
}

/// When a device did things of a kind, in nanoseconds since 1970.
fn times(journal: &[Entry], kind: Kind) -> Vec<i64> {
    journal.iter().filter(|entry| entry.kind == kind).map(|entry| entry.timestamp).collect()
}

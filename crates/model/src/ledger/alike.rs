//! What is the same, but for what a store may have let go of.

use lockstep_protocol::View;
use lockstep_protocol::record::{PartStatus, Transaction};
use lockstep_types::{Configuration as Tree, Target, Unit};

/// Whether two trees of a target are the same, but for absences that are recorded there, by writers behind the horizon.
#[must_use]
pub fn alike(store: &View, target: &Target, one: &Tree, other: &Tree) -> bool {
    one == other || {
        let apart: Vec<_> = one.apart(other).collect();
        apart.iter().all(|path| same(store, target, &one.unit(path), &other.unit(path)))
    }
}

/// The same for two units.
#[must_use]
pub fn same(store: &View, target: &Target, one: &Unit, other: &Unit) -> bool {
    let gone = |unit: &Unit| {
        let recorded = |t: &Transaction| t.part(target) == PartStatus::Applied;
        let writer = store.transaction(unit.writer);
        unit.content.is_none() && unit.writer <= store.horizon() && writer.is_none_or(recorded)
    };
    one == other || (gone(one) && gone(other))
}

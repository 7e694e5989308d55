//! The steps of the protocol, each one write: what changes in the store, given that it is time.
//!
//! A step only fills a [`Draft`](crate::draft::Draft). When it is time, and who takes it, is decided
//! in [`node`](crate::node).

mod adoption;
mod anew;
mod confirming;
mod decision;
mod lifecycle;
mod outcome;
mod plan;
mod recording;
mod turn;
mod undoing;
mod wide;
mod withdrawal;

pub(crate) use adoption::{Adopted, adopt};
pub(crate) use confirming::{accepted, settled, taken_back};
pub(crate) use decision::{commit, move_window, pass_over, reject};
pub(crate) use plan::{Plan, Planned, changes, plan};
pub(crate) use recording::{Found, applied, nothing, refused, synced};
pub(crate) use turn::{turn, turn_at};
pub(crate) use undoing::undone;
pub(crate) use wide::{call_off, decide, end, prepare};
pub(crate) use withdrawal::withdraw;

use lockstep_types::{Index, Target};

use crate::record::PartStatus;
use crate::view::View;

/// The latest live change that the device has.
fn applied_revision(view: &View, target: &Target) -> Index {
    let has = |index: &Index| {
        view.transaction(*index).is_some_and(|t| t.part(target) == PartStatus::Applied)
    };
    view.live(target).find(has).unwrap_or(Index::ZERO)
}

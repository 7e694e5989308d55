//! The guarantees, one file each, named as in the specification.
//!
//! | here | in `spec/` | guarantee |
//! |---|---|---|
//! | [`order`] | `Order`, `OrderForward` | 1 Order |
//! | [`decision`] | `Decision`, `RejectedEverywhere` | 2 Decision |
//! | [`all_or_nothing`] | `AllOrNothing` | 3 AllOrNothing |
//! | [`isolation`] | `Isolation` | 4 Isolation |
//! | [`fold`] | `Fold` | 5 Fold |
//! | [`history`] | `History` | 4 Isolation, 6 Undo |
//! | [`settled`] | `Settled` | 5 Fold |
//! | [`never_again`] | `NeverAgain` | 5 Fold |
//! | [`undo`] | `Undo` | 6 Undo |
//! | [`window`] | `Window`, `WindowForward` | 9 Durability, 4 Isolation |
//! | [`retention`] | `Retention` | 6 Undo, 9 Durability |
//! | [`fencing`] | `Fencing` | 7 Fencing |
//! | [`one_master`] | `OneMaster` | 7 Fencing |
//! | [`in_step`] | `InStep` | 8 Convergence |
//! | [`no_flap`] | `NoFlap` | 8 Convergence |
//! | [`convergence`] | `Convergence` | 8 Convergence |
//! | [`durability`] | `Durability` | 9 Durability |
//! | [`bounded`] | `Bounded` | 10 Progress |
//! | [`gone`] | `Gone` | 1 Order, 5 Fold |
//! | [`hands_off`] | `HandsOff` | 8 Convergence |
//! | [`paused`] | `Paused` | 8 Convergence |
//! | [`progress`] | `Progress` | 10 Progress |
//! | [`share`] | left open there | 10 Progress |

pub mod all_or_nothing;
pub mod bounded;
pub mod convergence;
pub mod decision;
pub mod durability;
pub mod fencing;
pub mod fold;
pub mod gone;
pub mod hands_off;
pub mod history;
pub mod in_step;
pub mod isolation;
pub mod never_again;
pub mod no_flap;
pub mod one_master;
pub mod order;
pub mod paused;
pub mod progress;
pub mod retention;
pub mod settled;
pub mod share;
pub mod undo;
pub mod window;

use lockstep_types::Target;

use crate::system::{Action, Commit, System};

/// A step of the system: the state before and what happened, except at the start, and the state after.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The state before, and the action.
    pub from: Option<(&'a System, &'a Action)>,
    /// The state after.
    pub after: &'a System,
}

impl<'a> Step<'a> {
    /// The writes of the step. A step that wrote nothing left the store as it was.
    fn commits(&self) -> impl Iterator<Item = &'a Commit> {
        self.after.commits.iter()
    }

    /// Whether something holds for every target after each write.
    fn at_every_target(&self, holds: impl Fn(&Commit, &Target) -> bool) -> bool {
        self.commits().all(|commit| self.after.scenario.targets.iter().all(|t| holds(commit, t)))
    }
}

/// A guarantee that every step must keep.
#[derive(Clone, Copy, Debug)]
pub struct Invariant {
    /// Its name, as in the specification.
    pub name: &'static str,
    /// Whether a step keeps it.
    pub keeps: fn(&Step<'_>) -> bool,
}

/// Every invariant.
pub const ALL: [Invariant; 23] = [
    Invariant { name: "Order", keeps: order::keeps },
    Invariant { name: "Decision", keeps: decision::keeps },
    Invariant { name: "AllOrNothing", keeps: all_or_nothing::keeps },
    Invariant { name: "Isolation", keeps: isolation::keeps },
    Invariant { name: "Fold", keeps: fold::keeps },
    Invariant { name: "History", keeps: history::keeps },
    Invariant { name: "Settled", keeps: settled::keeps },
    Invariant { name: "NeverAgain", keeps: never_again::keeps },
    Invariant { name: "Undo", keeps: undo::keeps },
    Invariant { name: "Window", keeps: window::keeps },
    Invariant { name: "Retention", keeps: retention::keeps },
    Invariant { name: "Fencing", keeps: fencing::keeps },
    Invariant { name: "OneMaster", keeps: one_master::keeps },
    Invariant { name: "InStep", keeps: in_step::keeps },
    Invariant { name: "NoFlap", keeps: no_flap::keeps },
    Invariant { name: "Convergence", keeps: convergence::keeps },
    Invariant { name: "Durability", keeps: durability::keeps },
    Invariant { name: "Bounded", keeps: bounded::keeps },
    Invariant { name: "Gone", keeps: gone::keeps },
    Invariant { name: "HandsOff", keeps: hands_off::keeps },
    Invariant { name: "Paused", keeps: paused::keeps },
    Invariant { name: "Progress", keeps: progress::keeps },
    Invariant { name: "Share", keeps: share::keeps },
];

/// The invariants that a step breaks.
pub fn broken<'a>(step: &'a Step<'_>) -> impl Iterator<Item = &'static str> + 'a {
    ALL.iter().filter(|invariant| !(invariant.keeps)(step)).map(|invariant| invariant.name)
}

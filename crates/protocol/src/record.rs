//! What the store holds: one record per [`Key`], each with the revision of its last write.

mod configuration;
mod drifted;
mod failure;
mod key;
mod mastership;
mod parts;
mod transaction;
mod window;

pub use configuration::{Configuration, Header, Mark, Marks, Rewritten, Stage, Trials};
pub use drifted::{Difference, Drifted};
pub use failure::{Failure, Reason, Violation};
pub use key::Key;
pub use mastership::{Binding, Drift, Initial, Mastership, Next};
pub use parts::Parts;
pub use transaction::{
    Head, Horizon, ITSELF, Kind, Mode, Part, PartStatus, Proposal, Rule, Status, Transaction,
};
pub use window::{Window, WindowStage};

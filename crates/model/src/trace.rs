//! A run of the product in writing, and whether it can have happened.
//!
//! The core is deterministic: a node's run is what it saw and, for each thing it saw, what it decided
//! to do. So a trace holds just that ([`mod@line`]), one JSON value per line, and needs nothing of a
//! node but what it hands through anyway ([`recorder`]). The [`checker`] takes the real core through
//! the same steps again, keeps a store and devices beside it, and names the first line that the
//! protocol does not allow.
//!
//! [`mod@line`] and [`recorder`] know nothing of the model: they are for the product.

pub mod checker;
pub mod difference;
pub mod finding;
pub mod line;
mod reader;
pub mod recorder;

pub use checker::{Error, Report, check};
pub use finding::{Finding, Reason};

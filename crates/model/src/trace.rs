//! A run of the product in writing, and whether it can have happened.
//!
//! What a trace is made of is in [`lockstep_protocol::trace`]: what each node saw and what it decided to do. The
//! [`checker`] takes the real core through the same steps again, keeps a store and devices beside it, and names the first
//! line that the protocol does not allow.

pub mod checker;
pub mod difference;
pub mod finding;
mod reader;
pub mod writer;

pub use checker::{Error, Report, check};
pub use finding::{Finding, Reason};
pub use lockstep_protocol::trace as line;

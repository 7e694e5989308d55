//! Whole nodes of the product in one process, on a clock that stands still while anything can be done and then jumps to
//! whatever comes next; with a store in memory that stalls, fails, loses leases, is late with its news and lets go of the
//! past, and with devices of several natures that restart, refuse, hang up, are late and are changed by others.
//!
//! ```text
//!   chance ──► faults ──► weather of each node ──► store, ways to devices
//!      └─────► clients, operators ──► nodes (crates/node, as it is) ──► trace ──► checker
//! ```
//!
//! One thread, one seed, one run: the same seed goes the same way each time, to the byte of its trace.

#![expect(clippy::expect_used, reason = "names and paths that are written here are right")]

pub mod answers;
pub mod chance;
pub mod clients;
pub mod device;
pub mod faults;
pub mod nature;
pub mod nodes;
pub mod operators;
pub mod panics;
pub mod run;
pub mod signal;
pub mod store;
pub mod tally;
pub mod way;
pub mod weather;

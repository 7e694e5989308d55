//! Whole nodes of the product in one process, on a clock that stands still while anything can be done and then jumps to
//! whatever comes next; with a store in memory that stalls, fails, loses leases and is late with its news, and with
//! devices that restart, refuse, are late and are changed by others.
//!
//! ```text
//!   chance ──► faults ──► weather of each node ──► store, ways to devices
//!      └─────► clients, operators ──► nodes (crates/node, as it is) ──► trace ──► checker
//! ```
//!
//! One thread, one seed, one run: the same seed goes the same way each time, to the byte of its trace.

#![expect(clippy::expect_used, reason = "names and paths that are written here are right")]

pub mod chance;
pub mod clients;
pub mod device;
pub mod faults;
pub mod nodes;
pub mod operators;
pub mod run;
pub mod signal;
pub mod store;
pub mod weather;

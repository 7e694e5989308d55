//! A node with everything real but the disk: core, yang, gNMI over sockets, simulated devices.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]

mod adoption;
mod binding;
mod clients;
mod defaults;
mod lab;
mod session;
mod slow;
mod targets;
mod versions;
mod wide;
mod writes;

//! A device met over the network, as Lockstep meets it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

mod arbitration;
mod ask;
mod broken;
mod capabilities;
mod commit;
mod control;
mod faults;
mod get;
mod journal;
mod listen;
mod many;
mod mirror;
mod origins;
mod restart;
mod saved;
mod set;
mod set_errors;
mod stage;
mod storm;
mod stream;
mod subscribe;
mod tls;

//! The gNMI driver against servers made for the purpose: each shows one thing that devices do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests say what went wrong by panicking"
)]

mod answers;
mod arbitration;
mod commit;
mod connecting;
mod ends;
mod faults;
mod fencing;
mod gnxi;
mod logs;
mod no_answer;
mod openconfig;
mod random;
mod reading;
mod simulator;
mod support;
mod tls;
mod unrelated;
mod watch;

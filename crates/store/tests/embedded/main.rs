//! What only the store in a folder promises: to be there afterwards.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail like tests"
)]

mod crash;
mod damage;
mod folder;
mod group;
mod support;

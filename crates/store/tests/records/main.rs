//! The records of `protocol`: what is loaded is what the watch told.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail like tests"
)]

mod churn;
mod configurations;
mod cost;
mod counting;
mod dump;
mod format;
mod golden;
mod long;
mod one_set;
mod overheard;
mod round_trip;
mod same;
mod sessions;
mod support;
mod syncs;
mod world;

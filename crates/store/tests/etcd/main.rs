//! What only a cluster can suffer: members die and stall, watches are lost, history is compacted, others
//! write beside us. What every store promises is asked of this one in `tests/suite`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail like tests"
)]

mod batches;
mod common;
mod compaction;
mod failures;
mod leases;
mod limits;
mod moves;
mod others;
mod proxy;
mod records;
#[path = "../records/same.rs"]
mod same;
mod security;
mod server;
#[allow(dead_code, reason = "the tests of records use all of it")]
#[path = "../records/support.rs"]
mod support;
mod unknown;
mod watches;
#[allow(dead_code, reason = "the tests of records use all of it")]
#[path = "../records/world.rs"]
mod world;

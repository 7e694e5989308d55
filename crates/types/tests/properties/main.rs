//! The laws of the types, tried on random input.
//!
//! 256 cases for each law, or as many as `PROPTEST_CASES` says. A failing case is written to
//! `proptest-regressions`, to be committed and tried first from then on.

#![allow(clippy::expect_used, reason = "a test says what went wrong by panicking")]

mod chains;
mod configurations;
mod digests;
mod forms;
mod inputs;
mod orders;
mod paths;
mod patterns;

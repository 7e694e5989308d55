//! What the models allow, and what becomes of it: examples for every type, every rule and every
//! error, and laws that hold for all values.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

mod anything;
mod choices;
mod common;
mod devices;
mod edits;
mod errors;
mod gets;
mod loading;
mod openconfig;
mod orders;
mod paths;
mod patterns;
mod properties;
mod prunes;
mod reads;
mod shows;
mod types;
mod violations;

//! The subcommands, one file each.

pub(crate) mod check_trace;
pub(crate) mod demo;
pub(crate) mod diagrams;
pub(crate) mod explore;
pub(crate) mod hunt;
pub(crate) mod mutants;
pub(crate) mod walk;

use std::sync::Arc;

use lockstep_model::scenario::{Scenario, catalogue, find};

/// The scenario with this name, or which there are.
fn scenario(name: &str) -> Result<Arc<Scenario>, String> {
    find(name).ok_or_else(|| {
        let known: Vec<_> = catalogue().iter().map(|scenario| scenario.name).collect();
        format!("there is no such scenario; known are {}", known.join(", "))
    })
}

/// A number as a person reads it.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

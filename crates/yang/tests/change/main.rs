//! Validation of a change is validation of the whole result: random models, models made for each way
//! in which a change in one place matters in another, and OpenConfig where it is at hand
//! (`LOCKSTEP_OPENCONFIG`). What is shown by default is held against libyang along the way.
//!
//! The ordinary run takes tens of seconds for tens of thousands of changes. The long one, for hundreds
//! of thousands, is `make yang-proof`; `LOCKSTEP_ROUND=n` makes it one of other models and changes than
//! those of round 0. `LOCKSTEP_SEED=n` runs the random models of one seed alone.
//!
//! `mutations.md` says which part of the code each of these tests was seen to hold.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

mod data;
mod defaults;
mod edges;
mod expressions;
mod models;
mod openconfig;
mod random;
mod walk;

use random::Random;
use walk::Tally;

/// Which of the long runs this is.
fn round() -> u64 {
    std::env::var("LOCKSTEP_ROUND").map_or(0, |round| round.parse().unwrap())
}

fn run(seeds: std::ops::Range<u64>, changes: usize) -> Tally {
    let only = std::env::var("LOCKSTEP_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = only.map_or(seeds, |seed: u64| seed..seed + 1);
    let mut tally = Tally::default();
    for seed in seeds {
        walk::random(seed, changes, &mut tally);
        if tally.models % 500 == 0 {
            println!("{tally:?}");
        }
    }
    println!("{tally:?}");
    tally
}

/// Seeds that were judged differently once.
const KEPT: [u64; 15] = [
    75, 563, 713, 1_000_655, 1_000_940, 1_002_240, 1_002_458, 1_004_060, 1_004_519, 1_200_758,
    2_003_804, 4_001_237, 4_002_197, 4_005_271, 5_000_770,
];

#[test]
fn what_was_judged_differently_once_is_not_again() {
    let mut tally = Tally::default();
    KEPT.into_iter().for_each(|seed| walk::random(seed, 100, &mut tally));
    assert_eq!(tally.refused, 0, "{tally:?}");
}

#[test]
fn a_change_is_judged_as_the_whole() {
    let tally = run(0..200, 40);
    if std::env::var("LOCKSTEP_SEED").is_err() {
        assert!(tally.valid > 1000 && tally.invalid > 1000, "{tally:?}");
        assert!(tally.kinds.len() >= 8, "every kind of rule is broken now and then: {tally:?}");
    }
}

#[test]
#[ignore = "takes minutes: make yang-proof"]
fn a_change_is_judged_as_the_whole_at_length() {
    let start = 1_000_000 * (1 + round());
    let tally = run(start..start + 6_000, 100);
    if std::env::var("LOCKSTEP_SEED").is_err() {
        assert!(tally.valid + tally.invalid > 200_000, "{tally:?}");
    }
}

#[test]
fn every_edge_is_judged_as_the_whole() {
    edges(300, 0);
}

#[test]
#[ignore = "takes minutes: make yang-proof"]
fn every_edge_is_judged_as_the_whole_at_length() {
    edges(4_000, round());
}

/// So many changes for each.
fn edges(changes: usize, round: u64) {
    let mut tally = Tally::default();
    for (name, text) in edges::EDGES {
        walk::edge(name, text, (changes, round), &mut tally);
    }
    println!("{tally:?}");
}

#[test]
fn openconfig_is_judged_alike() {
    openconfig::run(2_000, 0);
}

#[test]
#[ignore = "takes minutes: make yang-proof"]
fn openconfig_is_judged_alike_at_length() {
    openconfig::run(50_000, round());
}

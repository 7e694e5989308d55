//! What it costs to check a trace follows its lines, not the log: allocations are counted, which a busy machine does not
//! disturb. What is caught is a look at the whole log, or at all that was ever written, for each line.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use std::alloc::System as Allocator;
use std::sync::Arc;

use lockstep_model::scenario::{Entry, Scenario, find, target};
use lockstep_model::system::System;
use lockstep_model::trace::check;
use lockstep_protocol::record::Rule;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<Allocator> = &INSTRUMENTED_SYSTEM;

/// Changes of one target and of two, at once and queued, rolled back by either rule, and restores.
fn script(rounds: u64) -> Vec<Entry> {
    let round = |round: u64| {
        let first = round * 6 + 1;
        [
            Entry::atomic(&format!("t1:/a={round} t2:/a={round}")),
            Entry::queued(&format!("t1:/b={round}")),
            Entry::atomic(&format!("t2:!/a,/b={round}")),
            Entry::rollback(first + 1, Rule::Path),
            Entry::rollback(first + 2, Rule::Target),
            Entry::restore(first + 1, "t1 t2"),
        ]
    };
    (0..rounds).flat_map(round).collect()
}

/// A run of so many rounds.
fn scenario(rounds: u64) -> Scenario {
    let form = find("refusals").expect("a scenario");
    let targets = vec![target("t1"), target("t2")];
    let (script, faults) = (script(rounds), Default::default());
    Scenario { targets, script, faults, ..(*form).clone() }
}

/// Its trace.
fn trace(rounds: u64) -> String {
    let mut system = System::recorded(Arc::new(scenario(rounds)));
    let mut text = String::new();
    loop {
        let lines = system.record.as_mut().map(|record| record.take()).unwrap_or_default();
        for line in lines {
            text += &serde_json::to_string(&line).expect("a line");
            text.push('\n');
        }
        let Some(action) = system.moves().into_iter().next() else { return text };
        system = system.after(&action);
    }
}

/// How many entries of the log a reader is known to have seen, at most, in a run of so many rounds that is only observed.
fn seen(rounds: u64) -> usize {
    let scenario = Arc::new(scenario(rounds));
    let (mut system, mut most) = (System::new(Arc::clone(&scenario)), 0);
    let mut observed = System::observed(system.store.clone(), &scenario);
    while let Some(action) = system.moves().into_iter().next() {
        system = system.after(&action);
        for commit in &system.commits {
            observed = observed.observe(commit.clone(), scenario.targets.clone());
            most = most.max(observed.seen.len());
        }
    }
    most
}

/// How many lines a trace of so many rounds has, and how often something is allocated for each of them.
fn cost(rounds: u64) -> (usize, usize) {
    let text = trace(rounds);
    let region = Region::new(ALLOCATOR);
    let report = check(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let change = region.change();
    assert_eq!(report.transactions as u64, rounds * 6, "all of the script is in the log");
    (report.lines, (change.allocations + change.reallocations) / report.lines)
}

#[test]
fn a_line_costs_the_same_in_a_long_trace() {
    let (short, long) = (cost(10), cost(160));
    println!("lines, and allocations for each: {short:?}, {long:?}");
    assert!(long.0 > 12 * short.0, "{short:?} {long:?}");
    // The deeper a tree, the longer the way to an entry: that much is allowed.
    assert!(long.1 < 3 * short.1, "lines, and allocations for each: {short:?}, {long:?}");
}

#[test]
fn what_readers_saw_is_forgotten_once_it_is_judged() {
    let (short, long) = (seen(5), seen(40));
    assert!(short > 0, "somebody read something");
    assert_eq!(short, long, "as much as stands at a time, however long the log");
}

//! Whatever the model does can have happened.

use lockstep_model::scenario::catalogue;
use lockstep_model::trace::checker::Note;
use lockstep_model::trace::line::Line;

use crate::support::{good, run, run_with};

#[test]
fn every_run_of_every_scenario_is_good() {
    let mut traces = 0;
    for scenario in catalogue() {
        for seed in 0..10 {
            let report = good(&run(scenario.name, seed));
            assert_eq!(report.nodes.len(), scenario.nodes);
            assert_eq!(report.held, report.revisions, "all of the log is there");
            let own = scenario.rewrites || scenario.faults.tampers > 0;
            assert!(report.notes.is_empty() || own, "{} {seed}: {:?}", scenario.name, report.notes);
            traces += 1;
        }
    }
    assert!(traces >= 200);
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    assert_eq!(run("crash", 7), run("crash", 7));
    assert_ne!(run("crash", 7), run("crash", 8));
}

#[test]
fn a_trace_without_the_devices_own_account_is_as_good() {
    for scenario in ["stale", "hangs", "handover", "rewrites"] {
        let mut lines = run(scenario, 5);
        let whole = good(&lines);
        lines.retain(|line| !matches!(line, Line::Device(_)));
        let report = good(&lines);
        assert_eq!(report.revisions, whole.revisions);
        assert_eq!(report.requests, whole.requests);
    }
}

#[test]
fn a_device_that_shows_something_else_is_noted() {
    let drifts = |lines: &[Line]| {
        let notes = good(lines).notes;
        notes.iter().any(|note| matches!(note, Note::Drift { .. })).then_some(())
    };
    let (mut lines, ()) = run_with("rewrites", drifts);
    lines.retain(|line| !matches!(line, Line::Device(_)));
    assert!(drifts(&lines).is_some(), "nodes alone can tell as well");
}

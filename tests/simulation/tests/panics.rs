//! A panic fails the run it happens in. By itself in a process: what was heard of once is known from then on.

use std::panic::catch_unwind;

use lockstep_simulation::run::{Size, run};

const SMALL: Size = Size { nodes: 1, devices: 2, seconds: 20 };

#[tokio::test(start_paused = true)]
async fn a_panic_that_nobody_asks_about_fails_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let well = run(1, SMALL, &folder.path().join("well.jsonl")).await;
    assert!(well.is_ok(), "{well:?}");
    // As in a node, whose core ends with it; or where one is taken for a refusal.
    drop(tokio::spawn(async { panic!("a task that nobody waits for") }));
    assert!(catch_unwind(|| panic!("one that is caught")).is_err());
    let why = run(1, SMALL, &folder.path().join("not.jsonl")).await.unwrap_err();
    assert!(why.starts_with("Panic: panicked at tests/simulation/tests/panics.rs:"), "{why}");
    assert!(why.ends_with(": one that is caught"), "{why}");
}

//! Instructions, counted by valgrind: unlike what is allocated, they show a walk as well. Virtual machines seldom let a
//! process count its own.
//!
//! Valgrind runs this very program once more, for the one test in it that is not run otherwise. That does everything in
//! turn, and what each took is written to a file of its own.

use std::path::Path;
use std::process::{Command, Stdio};

use super::alone;
use super::subjects::{Subject, WALK, subjects};

/// So many times as much is allowed at the large size. What is not there at all at the small one is a little of the whole: this
/// finds what takes a hundred instructions for each of ten thousand leaves.
const FLAT: usize = 2;

/// As cargo knows it.
const COUNTED: &str = "cliffs::instructions::are_counted";

#[test]
fn nothing_is_done_for_what_a_change_does_not_touch() {
    let _alone = alone();
    let counts = counts();
    let subjects = all();
    assert_eq!(counts.len(), 2 * subjects.len(), "valgrind counted something else: {counts:?}");
    let counted = counts.chunks_exact(2).zip(&subjects).map(|(counts, subject)| {
        let of = |at: usize| counts[at] / (subject.each)(subject.sizes[at]);
        (subject, [of(0), of(1)])
    });
    let growing: Vec<String> = counted
        .filter(|(_, [small, large])| *large > FLAT * small)
        .map(|(subject, counts)| format!("{} at {:?}: {counts:?}", subject.what, subject.sizes))
        .collect();
    // What a walk takes has to be among them, or nothing would be.
    let [walk] = &growing[..] else { panic!("instructions: {growing:#?}") };
    assert!(walk.starts_with(WALK.what), "instructions: {growing:#?}");
}

fn all() -> Vec<Subject> {
    [WALK].into_iter().chain(subjects()).collect()
}

/// What each took, at its small size and at its large one.
fn counts() -> Vec<usize> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("counted");
    let here = format!("*{}::count_from_here", module_path!());
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no"])
        // In this order: of two that name the same, only the later one may look for it by a part of its name.
        .args([format!("--dump-after={here}"), format!("--toggle-collect={here}")])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", COUNTED, "--test-threads=1"])
        // On the small models: on others everything would take far longer, and as much more at either size.
        .env_remove("LOCKSTEP_OPENCONFIG")
        .stdin(Stdio::null())
        .output();
    let done = done.unwrap_or_else(|error| panic!("valgrind: {error}; scripts/setup test has it"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (1..).map_while(|number| total(&out.with_extension(number.to_string()))).collect()
}

/// What one of its files adds up to; none: there are no more.
fn total(file: &Path) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    Some(total.unwrap().trim().parse().unwrap())
}

#[test]
#[ignore = "run by valgrind, from the test above"]
fn are_counted() {
    for subject in all() {
        for size in subject.sizes {
            // Once before: what comes first pays for the disorder that the allocator was left in.
            (subject.make)(size)();
            count_from_here(&mut *(subject.make)(size));
        }
    }
}

/// What valgrind counts: nothing in here may be named like it, or that would end the count.
#[inline(never)]
fn count_from_here(work: &mut dyn FnMut()) {
    work();
}

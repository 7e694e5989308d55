//! The table for operators: a row for every fault, and a test behind every row.

use std::fs;
use std::path::Path as FilePath;
use std::time::Duration;

use lockstep_simulator::faults::{Does, Feature, Rewrite};
use tonic::Code;

/// The rows of a fault. Without a catch-all, so that a new fault does not compile before it has one.
fn rows(does: &Does) -> Vec<String> {
    let name = does.name();
    match does {
        Does::Refuse { .. } => vec![name.into(), format!("{name}, after")],
        Does::Delay(_) | Does::Hang(_) | Does::Rewrite(_) | Does::Drift { .. } => vec![name.into()],
        Does::Drop { .. } | Does::Restart { .. } => vec![name.into()],
        Does::Lack(_) => features().iter().map(|one| format!("{name} {}", one.name())).collect(),
        Does::Ignore(_) => [Feature::Arbitration, Feature::Commit]
            .iter()
            .map(|feature| format!("{name} {}", feature.name()))
            .collect(),
    }
}

fn features() -> Vec<Feature> {
    use Feature::{Arbitration, Capabilities, Commit, Depth, Get, OnChange, Role, Subscribe};
    let all = vec![Capabilities, Get, Subscribe, OnChange, Arbitration, Role, Commit, Depth];
    // The same here: a new feature belongs into the list above.
    all.iter().for_each(|feature| match feature {
        Capabilities | Get | Subscribe | OnChange | Arbitration | Role | Commit | Depth => {}
    });
    all
}

fn faults() -> [Does; 9] {
    let every = Duration::from_secs(1);
    [
        Does::Refuse { code: Code::Aborted, message: String::new(), after: false },
        Does::Delay(every),
        Does::Hang(None),
        Does::Drop { after: false },
        Does::Restart { after: false, keep: false },
        Does::Rewrite(Rewrite::Upper),
        Does::Lack(Feature::Get),
        Does::Ignore(Feature::Arbitration),
        Does::Drift { value: None, every },
    ]
}

/// All sources of these tests.
fn sources(folder: &FilePath) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| match path.extension() {
        None => sources(&path),
        Some(kind) if kind == "rs" => fs::read_to_string(&path).unwrap(),
        Some(_) => String::new(),
    };
    entries.map(read).collect()
}

#[test]
fn every_fault_has_a_row_and_every_row_a_test() {
    let here = FilePath::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("../../docs/devices.md")).unwrap();
    let sources = sources(&here.join("tests/gnmi"));
    for row in faults().iter().flat_map(rows) {
        let line = page.lines().find(|line| line.starts_with(&format!("| {row} |")));
        let line = line.unwrap_or_else(|| panic!("docs/devices.md has no row for `{row}`"));
        let shown = line.trim_end_matches('|').rsplit('|').next().unwrap();
        let tests: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test is named for `{row}`");
        for test in tests {
            assert!(sources.contains(&format!("fn {test}(")), "{row}: there is no test `{test}`");
        }
    }
}

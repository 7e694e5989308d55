//! How much a scan looks at. That it finds the right paths is a property test of configurations.

use std::collections::BTreeSet;

use super::{Scan, Step};
use crate::Path;

/// A list of 10,000 entries with one key, one of 10,000 with two, and neighbours on all sides.
fn paths() -> BTreeSet<Path> {
    let entries = (0..10_000).flat_map(|n| {
        let (one, two) =
            (format!("/c/one[k={n}]"), format!("/c/two[j={}][k={}]", n % 100, n / 100));
        [format!("{one}/x"), format!("{one}/y"), format!("{two}/x"), format!("{two}/y")]
    });
    let neighbours = ["/b/x", "/c/ona", "/c/onf/x", "/d"].map(String::from);
    entries.chain(neighbours).map(|text| text.parse().unwrap()).collect()
}

/// How many paths a scan finds, and how many it looks at.
fn scan(paths: &BTreeSet<Path>, root: &str) -> (usize, usize) {
    let scan = Scan::new(&root.parse().unwrap());
    let (mut found, mut met) = (0, 0);
    let mut ahead = paths.range(scan.start()..);
    while let Some(path) = ahead.next() {
        met += 1;
        match scan.step(path) {
            Step::Take => found += 1,
            Step::Skip => {}
            Step::Jump(place) => ahead = paths.range(place..),
            Step::Stop => break,
        }
    }
    (found, met)
}

#[test]
fn a_scan_looks_at_little_more_than_it_finds() {
    let paths = paths();
    for (root, finds, most) in [
        ("/", 40_004, 40_004),
        ("/c/one", 20_000, 20_010),
        ("/c/one[k=77]", 2, 10),
        ("/c/one[k=77]/y", 1, 10),
        ("/c/one[k=none]", 0, 10),
        ("/c/two[j=7][k=8]", 2, 10),
        ("/c/two[j=7]", 200, 210),
        ("/c/two[j=7]/x", 100, 310),
        ("/c/nothing/here", 0, 10),
        ("/z", 0, 1),
        ("/c/one[k=*]/y", 10_000, 30_010),
        ("/c/one[k=77]/*", 2, 10),
    ] {
        let (found, met) = scan(&paths, root);
        assert_eq!(found, finds, "{root}");
        assert!(met <= most, "{root}: looked at {met}");
    }
}

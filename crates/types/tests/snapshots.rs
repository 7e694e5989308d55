//! Snapshots of a large configuration share what they have in common.

#![allow(clippy::expect_used, reason = "a test says what went wrong by panicking")]

use std::ptr;

use lockstep_types::{Configuration, Content, Index, Path, Unit};

const LEAVES: usize = 100_000;

fn path(number: usize) -> Path {
    let text = format!("/interfaces/interface[name=eth{}]/leaf{}", number / 100, number % 100);
    text.parse().expect("a path")
}

fn large() -> Configuration {
    (0..LEAVES).map(|number| (path(number), Content::leaf(number as u64))).collect()
}

/// The live contents of `one` that are not the very same memory in `other`.
fn not_shared(one: &Configuration, other: &Configuration) -> usize {
    let pairs = one.iter().zip(other.iter());
    pairs.filter(|((_, ours), (_, theirs))| !ptr::eq(*ours, *theirs)).count()
}

#[test]
fn a_snapshot_shares_all_and_a_change_copies_one() {
    let tree = large();
    let mut snapshot = tree.clone();
    assert_eq!((tree.len(), not_shared(&tree, &snapshot)), (LEAVES, 0));
    for (changes, number) in [0, 31_415, 99_999].into_iter().enumerate() {
        let unit = Unit::present(Content::leaf("new"), Index::new(1));
        snapshot.assign(path(number), unit);
        assert_eq!(not_shared(&tree, &snapshot), changes + 1);
    }
    assert!(tree.iter().all(|(_, content)| *content != Content::leaf("new")));
}

/// Copies would show here without a clock: 5,000 of them, all alive, would hold half a billion
/// units, far more than fits in memory.
#[test]
fn thousands_of_snapshots_fit_in_memory() {
    let mut tree = large();
    let snapshots: Vec<_> = (0..5_000)
        .map(|number| {
            let unit = Unit::present(Content::leaf("new"), Index::new(1));
            tree.assign(path(number * 17), unit);
            tree.clone()
        })
        .collect();
    let new =
        |tree: &Configuration, number| tree.get(&path(number * 17)) == Some(&Content::leaf("new"));
    for (number, snapshot) in snapshots.iter().enumerate().take(4_999) {
        assert!(new(snapshot, number) && !new(snapshot, number + 1));
    }
}

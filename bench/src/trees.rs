//! Configuration trees from ten leaves to a hundred thousand.

use lockstep_types::{Configuration, Content, Delta, Index, Path};

use crate::measure::{Row, sizes};

const SIZES: [usize; 3] = [10, 1_000, 100_000];

#[expect(clippy::expect_used, reason = "a path made here")]
pub(crate) fn path(interface: usize, leaf: usize) -> Path {
    let text = format!("/interfaces/interface[name=eth{interface}]/config/leaf{leaf}");
    text.parse().expect("a path")
}

/// A tree with so many leaves, ten to an interface.
pub(crate) fn tree(leaves: usize) -> Configuration {
    (0..leaves).map(|n| (path(n / 10, n % 10), Content::leaf(n as u64))).collect()
}

pub(crate) fn one_leaf() -> Delta {
    [(path(0, 5), Some(Content::leaf(7_u64)))].into_iter().collect()
}

pub(crate) fn rows() -> Vec<Row> {
    let delta = one_leaf();
    let mut rows = sizes("snapshot of a configuration", &SIZES, tree, Configuration::clone);
    rows.extend(sizes("one leaf changed, the old tree kept", &SIZES, tree, |tree| {
        tree.patched(&delta.written_by(Index::new(1)))
    }));
    rows.extend(sizes("undo of one leaf", &SIZES, tree, |tree| tree.before(&delta)));
    rows.extend(sizes("one interface found by its path", &SIZES, tree, |tree| {
        path(0, 0).parent().map_or(0, |above| tree.under(&above).count())
    }));
    rows.extend(sizes("digest after a change", &SIZES, tree, |tree| {
        tree.patched(&delta.written_by(Index::new(1))).digest()
    }));
    rows.extend(sizes("difference of two whole trees", &SIZES, pair, |(a, b)| a.diff(b).len()));
    rows
}

/// Two trees that differ in one leaf and share nothing, as after reading a device.
fn pair(leaves: usize) -> (Configuration, Configuration) {
    let mut other = tree(leaves);
    other.patch(&one_leaf().written_by(Index::new(1)));
    (tree(leaves), other)
}

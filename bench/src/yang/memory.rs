//! What a configuration takes in memory.

use lockstep_types::{Configuration, Content};

use crate::measure::Row;

/// Bytes that the process holds; none where that is not told.
pub(crate) fn held() -> Option<f64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<f64>().ok()? * 4096.0)
}

/// Bytes for each leaf or value of a leaf-list. Several of the same are made and kept, since what is
/// needed only while one is made is then there for the next.
#[expect(clippy::cast_precision_loss, reason = "a measurement")]
pub(super) fn of_a_leaf(size: usize, make: impl Fn(usize) -> Configuration) -> Option<Row> {
    const MORE: usize = 4;
    let first = [make(size), make(size)];
    let before = held()?;
    let more: Vec<Configuration> = (0..MORE).map(|_| make(size)).collect();
    let grown = held()? - before;
    let is_leaf = |content: &Content| matches!(content, Content::Leaf(_) | Content::LeafList(_));
    let leaves = first.first()?.iter().filter(|(_, content)| is_leaf(content)).count();
    let bytes = grown / (more.len() * leaves) as f64;
    Some(Row { what: "memory of a leaf, in bytes", size, figure: bytes, ratio: 1.0 })
}

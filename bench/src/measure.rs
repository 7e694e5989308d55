//! Timing something often enough, and comparing sizes with the smallest.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One measurement.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) size: usize,
    pub(crate) figure: f64,
    /// To the first row with the same name.
    pub(crate) ratio: f64,
}

/// How long each size is measured; the best of several rounds counts, since noise only adds.
const ROUND: Duration = Duration::from_millis(60);
const ROUNDS: usize = 5;

/// Measures `work` on what `make` gives for each size.
pub(crate) fn sizes<T, R>(
    what: &'static str,
    sizes: &[usize],
    make: impl Fn(usize) -> T,
    mut work: impl FnMut(&T) -> R,
) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for size in sizes {
        let subject = make(*size);
        let best = (0..ROUNDS).map(|_| round(&subject, &mut work)).fold(f64::INFINITY, f64::min);
        let floor = rows.first().map_or(best, |row| row.figure);
        rows.push(Row { what, size: *size, figure: best, ratio: best / floor });
    }
    rows
}

#[expect(clippy::cast_precision_loss, reason = "a measurement")]
fn round<T, R>(subject: &T, work: &mut impl FnMut(&T) -> R) -> f64 {
    let start = Instant::now();
    let mut times = 0_u64;
    while start.elapsed() < ROUND {
        for _ in 0..16 {
            black_box(work(black_box(subject)));
        }
        times += 16;
    }
    start.elapsed().as_nanos() as f64 / times as f64
}

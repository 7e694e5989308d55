//! One value of a metric.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// How many buckets a histogram has at the most, beside the one without an end.
const BUCKETS: usize = 20;

/// Whoever takes what is to be written: what stands behind the name, one more label, and the value.
pub(crate) type Sample<'a> = dyn FnMut(&str, Option<(&str, &str)>, f64) + 'a;

/// What can be written as a value.
pub(crate) trait Cell: Sync {
    /// The word of the format for it.
    const KIND: &'static str;

    /// Whether nothing has come of it yet.
    fn is_nothing(&self) -> bool;

    /// Gives what there is to be written: what stands behind the name, one more label, and the value.
    fn samples(&self, each: &mut Sample<'_>);
}

/// Something that is counted, and only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Once more.
    pub fn inc(&self) {
        self.add(1);
    }

    /// So many more.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many by now.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Cell for Counter {
    const KIND: &'static str = "counter";

    fn is_nothing(&self) -> bool {
        self.get() == 0
    }

    fn samples(&self, each: &mut Sample<'_>) {
        each("", None, self.get() as f64);
    }
}

/// How many there are at the moment.
#[derive(Debug, Default)]
pub struct Level(AtomicI64);

/// One of those that there are, until it is dropped.
#[derive(Debug)]
pub struct Held(&'static Level);

impl Level {
    pub(crate) const fn new() -> Self {
        Self(AtomicI64::new(0))
    }

    /// One more, for as long as this is held.
    pub fn hold(&'static self) -> Held {
        self.0.fetch_add(1, Ordering::Relaxed);
        Held(self)
    }

    /// So many more.
    pub fn add(&self, more: usize) {
        self.0.fetch_add(signed(more), Ordering::Relaxed);
    }

    /// So many fewer.
    pub fn sub(&self, fewer: usize) {
        self.0.fetch_sub(signed(fewer), Ordering::Relaxed);
    }

    /// How many.
    #[must_use]
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Cell for Level {
    const KIND: &'static str = "gauge";

    fn is_nothing(&self) -> bool {
        self.get() == 0
    }

    fn samples(&self, each: &mut Sample<'_>) {
        each("", None, self.get() as f64);
    }
}

/// A number as it was when it was last looked at.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

impl Gauge {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// It is this.
    pub fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }

    /// It is this whole number.
    pub fn count(&self, value: u64) {
        self.set(value as f64);
    }

    /// What it was last.
    #[must_use]
    pub fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}

impl Cell for Gauge {
    const KIND: &'static str = "gauge";

    fn is_nothing(&self) -> bool {
        self.get() == 0.0
    }

    fn samples(&self, each: &mut Sample<'_>) {
        each("", None, self.get());
    }
}

/// A count that somebody else keeps, as it was when it was last looked at.
#[derive(Debug, Default)]
pub struct Reading(Gauge);

impl Reading {
    pub(crate) const fn new() -> Self {
        Self(Gauge::new())
    }

    /// It is this by now.
    pub fn set(&self, value: f64) {
        self.0.set(value);
    }
}

impl Cell for Reading {
    const KIND: &'static str = "counter";

    fn is_nothing(&self) -> bool {
        self.0.is_nothing()
    }

    fn samples(&self, each: &mut Sample<'_>) {
        self.0.samples(each);
    }
}

/// How large something was, each time: how often up to each bound, and the sum.
#[derive(Debug)]
pub struct Histogram {
    /// In the smallest unit: nanoseconds, where it is about time.
    bounds: &'static [u64],
    /// How many of those are one of what is written.
    unit: u64,
    counts: [AtomicU64; BUCKETS + 1],
    sum: AtomicU64,
}

impl Histogram {
    pub(crate) const fn new(bounds: &'static [u64], unit: u64) -> Self {
        assert!(bounds.len() <= BUCKETS, "more bounds than there is room for");
        let counts = [const { AtomicU64::new(0) }; BUCKETS + 1];
        Self { bounds, unit, counts, sum: AtomicU64::new(0) }
    }

    /// It took so long.
    pub fn took(&self, time: Duration) {
        self.observe(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// There were so many.
    pub fn observe(&self, value: u64) {
        let at = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = self.counts.get(at) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(value, Ordering::Relaxed);
    }
}

impl Cell for Histogram {
    const KIND: &'static str = "histogram";

    fn is_nothing(&self) -> bool {
        self.counts.iter().all(|count| count.load(Ordering::Relaxed) == 0)
    }

    fn samples(&self, each: &mut Sample<'_>) {
        let mut all = 0;
        for (bound, count) in self.bounds.iter().zip(&self.counts) {
            all += count.load(Ordering::Relaxed);
            let bound = (*bound as f64 / self.unit as f64).to_string();
            each("_bucket", Some(("le", &bound)), all as f64);
        }
        all += self.counts.get(self.bounds.len()).map_or(0, |last| last.load(Ordering::Relaxed));
        each("_bucket", Some(("le", "+Inf")), all as f64);
        each("_sum", None, self.sum.load(Ordering::Relaxed) as f64 / self.unit as f64);
        // The same number as the last bucket, whatever was counted meanwhile.
        each("_count", None, all as f64);
    }
}

//! How long something took, many times over.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::Failed;

/// Times in nanoseconds.
#[derive(Debug)]
pub(crate) struct Times(Histogram<u64>);

impl Times {
    pub(crate) fn new() -> Result<Self, Failed> {
        Ok(Self(Histogram::new(3)?))
    }

    pub(crate) fn record(&mut self, took: Duration) -> Result<(), Failed> {
        Ok(self.0.record(u64::try_from(took.as_nanos())?.max(1))?)
    }

    pub(crate) fn add(&mut self, other: &Self) -> Result<(), Failed> {
        Ok(self.0.add(&other.0)?)
    }

    /// Count, rate over this time, and percentiles in milliseconds.
    #[expect(clippy::cast_precision_loss, reason = "a measurement")]
    pub(crate) fn told(&self, over: Duration) -> Value {
        let at = |percentile| self.0.value_at_percentile(percentile) as f64 / 1e6;
        json!({
            "count": self.0.len(),
            "per_second": self.0.len() as f64 / over.as_secs_f64(),
            "milliseconds": { "p50": at(50.0), "p90": at(90.0), "p99": at(99.0), "max": at(100.0) },
        })
    }
}

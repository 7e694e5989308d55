//! How long answers took, and what went wrong.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use lockstep_gnmi::code;
use tonic::Status;

use super::pace::Pace;

/// What is recorded of one kind of request.
#[derive(Debug, Default)]
pub(super) struct Meter(Mutex<Figures>);

/// The figures themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Figures {
    /// How long answers took, of what was due while it was measured; in microseconds.
    took: Option<Histogram<u64>>,
    /// How many answers came while it was measured.
    pub(super) answered: u64,
    /// How many came at all, with the warm-up and with those that came after the end.
    pub(super) in_all: u64,
    /// How many of each gRPC code, with what the first of them said.
    pub(super) errors: BTreeMap<&'static str, (u64, String)>,
    /// How many were due and not sent.
    pub(super) missed: u64,
}

/// Percentiles that are told.
pub(super) const TOLD: [(&str, f64); 6] =
    [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9), ("max", 100.0)];

impl Meter {
    /// One answer.
    pub(super) fn record<T>(&self, pace: &Pace, due: Instant, answer: Result<T, Status>) {
        let took = due.elapsed();
        let mut figures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = pace.counts(due);
        match answer {
            Ok(_) => {
                figures.in_all += 1;
                // By when it came: those that were sent before it was measured take the place of those that are
                // still under way when it ends.
                figures.answered += u64::from(pace.counts(Instant::now()) && !pace.is_over());
                if counts {
                    figures.time(took);
                }
            }
            Err(status) if counts => {
                let found = figures.errors.entry(code::name(status.code()));
                found.or_insert_with(|| (0, status.message().to_owned())).0 += 1;
            }
            Err(_) => {}
        }
    }

    /// Those that were due and not sent: each has taken this long at least.
    pub(super) fn miss(&self, waited: &[Duration]) {
        let mut figures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        figures.missed += waited.len() as u64;
        waited.iter().for_each(|waited| figures.time(*waited));
    }

    /// What there is so far.
    pub(super) fn figures(&self) -> Figures {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Figures {
    fn time(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        // Three digits of whatever there is; it grows as needed.
        let took = match &mut self.took {
            Some(took) => took,
            none => match Histogram::new(3) {
                Ok(new) => none.insert(new),
                // Never: three digits are allowed.
                Err(_) => return,
            },
        };
        // Never an error: whatever does not fit makes it grow.
        let _grown = took.record(micros.max(1));
    }

    /// How many errors there were.
    pub(super) fn failed(&self) -> u64 {
        self.errors.values().map(|(count, _)| count).sum()
    }

    /// A percentile in milliseconds; none: nothing was measured.
    pub(super) fn milliseconds(&self, percentile: f64) -> Option<f64> {
        let took = self.took.as_ref().filter(|took| !took.is_empty())?;
        Some(millis(took.value_at_percentile(percentile)))
    }

    /// The mean in milliseconds.
    pub(super) fn mean(&self) -> Option<f64> {
        let took = self.took.as_ref().filter(|took| !took.is_empty())?;
        Some((took.mean() / 1000.0 * 1000.0).round() / 1000.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a length of time, to three digits")]
fn millis(micros: u64) -> f64 {
    micros as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> std::sync::Arc<Pace> {
        Pace::begin(Duration::ZERO, None)
    }

    #[test]
    fn answers_are_timed_from_when_they_were_due_and_errors_are_counted() {
        let (pace, meter) = (open(), Meter::default());
        let due = Instant::now();
        meter.record(&pace, due, Ok(()));
        meter.record(&pace, due, Err::<(), _>(Status::unavailable("gone")));
        meter.record(&pace, due, Err::<(), _>(Status::unavailable("gone again")));
        meter.miss(&[Duration::from_secs(2)]);
        let figures = meter.figures();
        assert_eq!((figures.answered, figures.in_all, figures.missed), (1, 1, 1));
        assert_eq!(figures.errors["UNAVAILABLE"], (2, "gone".to_owned()));
        assert_eq!(figures.failed(), 2);
        let longest = figures.milliseconds(100.0).unwrap();
        assert!((1999.0..2002.0).contains(&longest), "{longest}");
    }

    #[test]
    fn what_comes_after_the_end_is_timed_and_is_no_throughput() {
        let (pace, meter) = (open(), Meter::default());
        let due = Instant::now();
        pace.end();
        meter.record(&pace, due, Ok(()));
        let figures = meter.figures();
        assert_eq!((figures.answered, figures.in_all), (0, 1));
        assert!(figures.milliseconds(50.0).is_some());
    }

    #[test]
    fn nothing_measured_has_no_percentile() {
        assert_eq!(Meter::default().figures().milliseconds(50.0), None);
    }
}

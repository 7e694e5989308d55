//! What is seen while it goes on, on a terminal.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::meter::{Figures, Meter};
use super::pace::Pace;
use crate::output::shortened;
use crate::terminal;

/// How often it is told.
const EVERY: Duration = Duration::from_millis(500);

/// A line that says how it goes.
#[derive(Debug)]
pub(super) struct Live(Option<JoinHandle<()>>);

impl Live {
    /// Shows one, if somebody watches.
    pub(super) fn show(pace: Arc<Pace>, meter: Arc<Meter>, duration: Duration) -> Self {
        let Some(width) = terminal::watched() else { return Self(None) };
        Self(Some(tokio::spawn(async move {
            loop {
                sleep(EVERY).await;
                let text = line(pace.measured(), duration, pace.is_over(), &meter.figures());
                put(&shortened(&text, width.saturating_sub(1)));
            }
        })))
    }

    /// Takes it away again.
    pub(super) async fn done(self) {
        let Some(task) = self.0 else { return };
        task.abort();
        // It was cut off, as it should be.
        let _aborted = task.await;
        put("");
    }
}

fn put(text: &str) {
    let mut out = std::io::stderr().lock();
    // Nothing to be done about a terminal that is gone.
    let _gone = write!(out, "\r\x1b[K{text}").and_then(|()| out.flush());
}

fn line(measured: Duration, duration: Duration, is_over: bool, figures: &Figures) -> String {
    if is_over {
        return "waiting for those under way".to_owned();
    }
    if measured.is_zero() {
        return format!("warming up: {} changes", figures.in_all);
    }
    let rate = super::report::rate(figures.answered, measured);
    let time = |percentile| figures.milliseconds(percentile).unwrap_or_default();
    format!(
        "{} of {} s: {rate:.0} changes/s, p50 {:.1} ms, p99 {:.1} ms, {} errors",
        measured.as_secs(),
        duration.as_secs(),
        time(50.0),
        time(99.0),
        figures.failed()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_it_does() {
        let none = Figures::default();
        let second = Duration::from_secs(1);
        assert!(line(Duration::ZERO, second, false, &none).starts_with("warming up"));
        assert!(line(second, second, false, &none).starts_with("1 of 1 s: 0 changes/s"));
        assert!(line(second, second, true, &none).starts_with("waiting"));
    }
}

//! When a transaction is to be given up, and when a caller is to be answered.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName};
use lockstep_protocol::record::Mode;
use lockstep_types::Timestamp;
use tokio::time::Instant;
use tonic::metadata::MetadataMap;

/// When neither the request nor the call says anything.
const DEFAULT: Duration = Duration::from_secs(60);

/// How long a transaction may take to be taken back before its client is told all the same.
const GRACE: Duration = Duration::from_secs(15);

/// When a transaction is to be given up, and when its client is to be answered at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) deadline: Timestamp,
    pub(crate) answer_by: Timestamp,
}

/// The deadline: as the request asks, else 80 % of the time the caller waits, so that it hears of
/// the outcome before it hangs up, else a minute. An atomic one is then taken back, and its client
/// hears of that, or of how far it is when it is about to hang up; a queued one goes on, and its client
/// is told so.
pub(crate) fn times(
    now: Timestamp,
    asked: Option<Duration>,
    metadata: &MetadataMap,
    mode: Mode,
) -> Times {
    let timeout = timeout(metadata.as_ref());
    let wait = asked.or_else(|| timeout.map(|timeout| timeout * 4 / 5)).unwrap_or(DEFAULT);
    let answer = match mode {
        Mode::Queued => wait,
        Mode::Atomic => timeout.map_or(wait.saturating_add(GRACE), most),
    };
    Times { deadline: after(now, wait), answer_by: after(now, answer) }
}

/// When a caller hangs up, if it says so.
pub(crate) fn hangs_up(headers: &HeaderMap) -> Option<Instant> {
    let patience = timeout(headers)?;
    Instant::now().checked_add(patience)
}

/// When somebody who waits now is to be answered, so that they hear why it took so long: before they hang up.
pub(crate) fn answer_by(hangs_up: Option<Instant>) -> Instant {
    let now = Instant::now();
    now + hangs_up.map_or(DEFAULT + GRACE, |end| most(end.saturating_duration_since(now)))
}

/// As much of a caller's patience as may be used up.
fn most(patience: Duration) -> Duration {
    patience * 19 / 20
}

fn after(now: Timestamp, wait: Duration) -> Timestamp {
    now.after(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX))
}

/// What a call says of how long it waits.
static TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// The `grpc-timeout` of a call: at most eight digits and a unit.
fn timeout(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(&TIMEOUT)?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let amount: u64 = digits.parse().ok().filter(|_| digits.len() <= 8)?;
    Some(match unit {
        "H" => Duration::from_secs(amount * 3600),
        "M" => Duration::from_secs(amount * 60),
        "S" => Duration::from_secs(amount),
        "m" => Duration::from_millis(amount),
        "u" => Duration::from_micros(amount),
        "n" => Duration::from_nanos(amount),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(timeout: &str) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        metadata.insert("grpc-timeout", timeout.parse().unwrap());
        metadata
    }

    fn seconds(count: u64) -> Timestamp {
        Timestamp::new(count * 1_000_000_000)
    }

    fn deadline(now: Timestamp, asked: Option<Duration>, metadata: &MetadataMap) -> Timestamp {
        times(now, asked, metadata, Mode::Atomic).deadline
    }

    #[test]
    fn what_was_asked_comes_first() {
        let asked = Some(Duration::from_secs(5));
        assert_eq!(deadline(seconds(1), asked, &call("10S")), seconds(6));
    }

    #[test]
    fn then_four_fifths_of_the_callers_patience() {
        assert_eq!(deadline(seconds(0), None, &call("10S")), seconds(8));
        assert_eq!(deadline(seconds(0), None, &call("5000m")), seconds(4));
        assert_eq!(deadline(seconds(0), None, &call("1M")), seconds(48));
    }

    #[test]
    fn then_a_minute() {
        assert_eq!(deadline(seconds(0), None, &MetadataMap::new()), seconds(60));
        for odd in ["", "S", "1x", "123456789S", "-1S"] {
            assert_eq!(deadline(seconds(0), None, &call(odd)), seconds(60), "{odd}");
        }
    }

    #[test]
    fn the_answer_comes_before_the_caller_hangs_up() {
        let answer =
            |metadata: &MetadataMap, mode| times(seconds(0), None, metadata, mode).answer_by;
        assert_eq!(answer(&call("20S"), Mode::Atomic), seconds(19));
        assert_eq!(answer(&call("20S"), Mode::Queued), seconds(16));
        assert_eq!(answer(&MetadataMap::new(), Mode::Atomic), seconds(75));
        assert_eq!(answer(&MetadataMap::new(), Mode::Queued), seconds(60));
    }
}

//! When a transaction is to be given up.

use std::time::Duration;

use lockstep_types::Timestamp;
use tonic::metadata::MetadataMap;

/// When neither the request nor the call says anything.
const DEFAULT: Duration = Duration::from_secs(60);

/// The deadline: as the request asks, else 80 % of the time the caller waits, so that it hears of
/// the outcome before it hangs up, else a minute.
pub(crate) fn deadline(
    now: Timestamp,
    asked: Option<Duration>,
    metadata: &MetadataMap,
) -> Timestamp {
    let wait = asked.or_else(|| timeout(metadata).map(|timeout| timeout * 4 / 5));
    now.after(u64::try_from(wait.unwrap_or(DEFAULT).as_nanos()).unwrap_or(u64::MAX))
}

/// The `grpc-timeout` of a call: at most eight digits and a unit.
fn timeout(metadata: &MetadataMap) -> Option<Duration> {
    let text = metadata.get("grpc-timeout")?.to_str().ok()?;
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
}

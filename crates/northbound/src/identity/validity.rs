//! Until when a certificate is valid.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::der;

/// A version, which the first has none of.
const VERSION: u8 = 0xa0;
/// A time with two digits of the year.
const UTC_TIME: u8 = 0x17;
/// A time with four.
const GENERALIZED_TIME: u8 = 0x18;

/// When a certificate ends; none: it does not say so in one of the two ways there are.
pub(crate) fn until(certificate: &[u8]) -> Option<SystemTime> {
    let (certificate, _) = der::take(certificate, der::SEQUENCE)?;
    let (signed, _) = der::take(certificate, der::SEQUENCE)?;
    // Serial number, algorithm, issuer; then from when, and until when.
    let mut fields = der::all(signed).filter(|(tag, _)| *tag != VERSION).skip(3);
    let (_, validity) = fields.next().filter(|(tag, _)| *tag == der::SEQUENCE)?;
    let (tag, text) = der::all(validity).nth(1)?;
    time(tag, std::str::from_utf8(text).ok()?)
}

fn time(tag: u8, text: &str) -> Option<SystemTime> {
    let digits = text.strip_suffix('Z').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()))?;
    let (year, rest) = match (tag, digits.len()) {
        (UTC_TIME, 12) => {
            let year: u64 = digits[..2].parse().ok()?;
            // There were no certificates before 1950.
            (if year < 50 { 2000 + year } else { 1900 + year }, &digits[2..])
        }
        (GENERALIZED_TIME, 14) => (digits[..4].parse().ok()?, &digits[4..]),
        _ => return None,
    };
    let part = |at: usize| rest[2 * at..2 * at + 2].parse::<u64>().ok();
    let days = days(year, part(0)?, part(1)?)?;
    let seconds = days * 86_400 + part(2)? * 3_600 + part(3)? * 60 + part(4)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// The days from 1970 to a day; none: there is no such day, or it was before.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let before = *BEFORE.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leap_day = u64::from(is_leap && month > 2);
    // The leap years before a year.
    let leaps = |year: u64| (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400;
    let whole = year.checked_sub(1970)? * 365 + leaps(year) - leaps(1970);
    Some(whole + before + leap_day + day.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (tag, text, seconds) in [
            (UTC_TIME, "700101000000Z", 0),
            (UTC_TIME, "000229000000Z", 951_782_400),
            (UTC_TIME, "000301000000Z", 951_868_800),
            (UTC_TIME, "491231235959Z", 2_524_607_999),
            (GENERALIZED_TIME, "20500101000000Z", 2_524_608_000),
            (GENERALIZED_TIME, "21000301000000Z", 4_107_542_400),
            (GENERALIZED_TIME, "99991231235959Z", 253_402_300_799),
        ] {
            let expected = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(time(tag, text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for (tag, text) in [
            (UTC_TIME, "700101000000"),
            (UTC_TIME, "20500101000000Z"),
            (UTC_TIME, "501231235959Z"),
            (UTC_TIME, "701301000000Z"),
            (UTC_TIME, "700001000000Z"),
            (UTC_TIME, "700100000000Z"),
            (GENERALIZED_TIME, "700101000000Z"),
            (GENERALIZED_TIME, "2050010100000+Z"),
            (GENERALIZED_TIME, "00000101000000Z"),
            (0x0c, "700101000000Z"),
        ] {
            assert_eq!(time(tag, text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_looked_at(bytes: Vec<u8>, text: String) {
            let _ = (until(&bytes), time(UTC_TIME, &text), time(GENERALIZED_TIME, &text));
        }
    }
}

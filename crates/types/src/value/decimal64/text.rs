//! Decimal64 as text, the way YANG writes it.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Decimal64, MAX_FRACTION_DIGITS};

/// Why a text is not a decimal64.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Not an optional sign, digits, and optionally a point and more digits.
    #[error("{text:?} is not a decimal number")]
    Syntax {
        /// The text.
        text: String,
    },
    /// A number, but with more digits than 64 bits hold or than may follow the point.
    #[error("{text} has too many digits for decimal64")]
    TooManyDigits {
        /// The text.
        text: String,
    },
}

impl fmt::Display for Decimal64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = 10_u64.pow(u32::from(self.fraction_digits));
        let digits = self.digits.unsigned_abs();
        let width = usize::from(self.fraction_digits);
        let text = format!("{}.{:0width$}", digits / unit, digits % unit);
        f.pad_integral(self.digits >= 0, "", &text)
    }
}

/// Reads what YANG allows: a sign, leading zeros and zeros at the end are fine, an exponent or
/// a point without digits on both sides is not.
impl FromStr for Decimal64 {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        if !is_digits(whole) || !is_digits(fraction) {
            return Err(ParseError::Syntax { text: text.to_owned() });
        }
        number(text.starts_with('-'), whole, fraction)
            .ok_or_else(|| ParseError::TooManyDigits { text: text.to_owned() })
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(negative: bool, whole: &str, fraction: &str) -> Option<Decimal64> {
    let needed = match fraction.trim_end_matches('0') {
        "" => "0",
        needed => needed,
    };
    let fraction_digits = u8::try_from(needed.len()).ok()?;
    if fraction_digits > MAX_FRACTION_DIGITS {
        return None;
    }
    // With the sign from the start: the least number has no positive counterpart.
    let sign = if negative { "-" } else { "" };
    let digits = format!("{sign}{whole}{needed}").parse().ok()?;
    Decimal64::new(digits, fraction_digits).ok()
}

impl Serialize for Decimal64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

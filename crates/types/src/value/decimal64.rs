//! Exact decimal numbers.

mod text;

use std::cmp::Ordering;

pub use text::ParseError;

/// The most digits that a decimal64 can have after the point.
pub const MAX_FRACTION_DIGITS: u8 = 18;

/// A number of digits after the point that no decimal64 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("decimal64 has 1 to {MAX_FRACTION_DIGITS} digits after the point, not {0}")]
pub struct FractionError(pub u8);

/// A `decimal64`: a whole number of 64 bits, and how many of its digits stand after the point.
///
/// Kept with as few digits after the point as the number needs, at least one, which is also YANG's
/// canonical form. So 1.50 and 1.5 are one value, and comparing is exact: no floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal64 {
    digits: i64,
    fraction_digits: u8,
}

impl Decimal64 {
    /// The number `digits` · 10^-`fraction_digits`.
    pub fn new(digits: i64, fraction_digits: u8) -> Result<Self, FractionError> {
        if !(1..=MAX_FRACTION_DIGITS).contains(&fraction_digits) {
            return Err(FractionError(fraction_digits));
        }
        let (mut digits, mut fraction_digits) = (digits, fraction_digits);
        while fraction_digits > 1 && digits % 10 == 0 {
            digits /= 10;
            fraction_digits -= 1;
        }
        Ok(Self { digits, fraction_digits })
    }

    /// All the digits, as if there were no point.
    pub const fn digits(self) -> i64 {
        self.digits
    }

    /// How many of them stand after the point: 1 to 18, and no more than needed.
    pub const fn fraction_digits(self) -> u8 {
        self.fraction_digits
    }

    /// The digits with this many after the point, as a type that fixes the number wants them. None
    /// if the number needs more, or has no room for as many.
    pub fn scaled(self, fraction_digits: u8) -> Option<i64> {
        let missing = fraction_digits.checked_sub(self.fraction_digits)?;
        self.digits.checked_mul(10_i64.checked_pow(u32::from(missing))?)
    }

    /// The digits with [`MAX_FRACTION_DIGITS`] after the point, which has room for every number.
    fn widest(self) -> i128 {
        let missing = MAX_FRACTION_DIGITS - self.fraction_digits;
        i128::from(self.digits) * 10_i128.pow(u32::from(missing))
    }
}

impl Ord for Decimal64 {
    fn cmp(&self, other: &Self) -> Ordering {
        self.widest().cmp(&other.widest())
    }
}

impl PartialOrd for Decimal64 {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

//! Who is listened to among several masters.

use std::fmt;

use crate::proto::gnmi_ext::Uint128;

/// The id a master was elected with. Larger is newer: `high` first, then `low`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Election {
    /// The upper half; ours is the store's epoch, or when the device was claimed.
    pub high: u64,
    /// The lower half; ours is the term.
    pub low: u64,
}

impl Election {
    /// The largest id below this one; none below the smallest.
    pub fn before(self) -> Option<Self> {
        match self.low.checked_sub(1) {
            Some(low) => Some(Self { low, ..self }),
            None => Some(Self { high: self.high.checked_sub(1)?, low: u64::MAX }),
        }
    }
}

impl fmt::Display for Election {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{high: {}, low: {}}}", self.high, self.low)
    }
}

impl From<Uint128> for Election {
    fn from(Uint128 { high, low }: Uint128) -> Self {
        Self { high, low }
    }
}

impl From<Election> for Uint128 {
    fn from(Election { high, low }: Election) -> Self {
        Self { high, low }
    }
}

#[cfg(test)]
mod tests {
    use super::Election;

    #[test]
    fn the_upper_half_counts_first() {
        let id = |high, low| Election { high, low };
        assert!(id(1, 0) > id(0, u64::MAX));
        assert!(id(1, 2) > id(1, 1));
        assert_eq!(id(3, 7).to_string(), "{high: 3, low: 7}");
    }

    #[test]
    fn the_one_before_is_the_next_smaller() {
        let id = |high, low| Election { high, low };
        assert_eq!(id(1, 7).before(), Some(id(1, 6)));
        assert_eq!(id(1, 0).before(), Some(id(0, u64::MAX)));
        assert_eq!(id(0, 0).before(), None);
    }
}

//! What people type, read with a word on what it should have been.

use prost_types::Timestamp;

/// The index of a transaction.
pub(crate) fn index(text: &str) -> Result<u64, String> {
    let index = text.parse().ok().filter(|index| *index > 0);
    index.ok_or_else(|| "transactions are counted 1, 2, 3, …; `lockstep tx list` has them".into())
}

/// A time.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| "give a time such as 2026-11-16T08:00:00Z".into())
}

#[cfg(test)]
mod tests {
    use super::{index, time};

    #[test]
    fn what_is_none_is_told_what_it_should_be() {
        assert_eq!(index("7"), Ok(7));
        assert!(["0", "-1", "x", "", "1.5"].into_iter().all(|text| index(text).is_err()));
        assert!(time("2026-11-16T08:00:00Z").is_ok() && time("yesterday").is_err());
    }
}

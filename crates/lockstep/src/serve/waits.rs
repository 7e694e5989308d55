//! How long it is waited before a node is started again that ended, or could not start.

use std::time::Duration;

/// The first wait; it doubles each time, up to the next.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait; and a node that ran for longer than this starts anew at once.
const LONGEST: Duration = Duration::from_secs(15);

/// The waits between starts. A store that takes no writes ends each node a moment after its start, and without a wait the
/// devices would be claimed over and over.
#[derive(Debug, Default)]
pub(super) struct Waits {
    again: bool,
    next: Duration,
}

impl Waits {
    /// Before the next start.
    pub(super) const fn next(&self) -> Duration {
        self.next
    }

    /// Whether there was a node before: then a start that fails is tried again.
    pub(super) const fn again(&self) -> bool {
        self.again
    }

    /// A node ended that had run for so long.
    pub(super) fn ended(&mut self, after: Duration) {
        self.again = true;
        if after > LONGEST {
            self.next = Duration::ZERO;
        } else {
            self.longer();
        }
    }

    /// One could not start.
    pub(super) fn longer(&mut self) {
        self.next = LONGEST.min(FIRST.max(self.next * 2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_ends_at_once_is_started_less_and_less_often() {
        let mut waits = Waits::default();
        assert!(!waits.again() && waits.next().is_zero());
        let mut told = Vec::new();
        for _ in 0..7 {
            waits.ended(Duration::from_millis(60));
            told.push(waits.next().as_millis());
        }
        assert_eq!(told, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    }

    #[test]
    fn a_node_that_ran_for_long_starts_anew_at_once() {
        let mut waits = Waits::default();
        waits.ended(Duration::ZERO);
        waits.ended(Duration::from_secs(3600));
        assert!(waits.again() && waits.next().is_zero());
        waits.longer();
        assert_eq!(waits.next(), FIRST);
    }
}

//! How often a device is changed back that is changed behind our back again and again.

use std::time::Duration;

use tokio::time::Instant;

/// A device is changed back so often in a row.
const TRIES: u32 = 3;

/// What comes after as long without a difference counts as new.
const FORGIVEN: Duration = Duration::from_secs(600);

/// How often a device was changed back.
#[derive(Debug, Default)]
pub(super) struct Tries {
    count: u32,
    /// When it last began or ceased to differ.
    last: Option<Instant>,
    differs: bool,
}

impl Tries {
    /// Takes in whether the device differs now. Says whether it is to be changed back: however much is told
    /// of one difference, it counts once.
    pub(super) fn count(&mut self, differs: bool, now: Instant) -> bool {
        if differs && !self.differs {
            let forgiven = self.last.is_some_and(|last| now.duration_since(last) > FORGIVEN);
            self.count = if forgiven { 1 } else { self.count.saturating_add(1) };
        }
        if differs != self.differs {
            (self.differs, self.last) = (differs, Some(now));
        }
        differs && !self.is_given_up()
    }

    /// The difference that there is was none: it does not count. One that stays is a new one, and counts again.
    pub(super) fn excuse(&mut self) {
        if std::mem::take(&mut self.differs) {
            self.count = self.count.saturating_sub(1);
        }
    }

    /// Whether it is not changed back any more.
    pub(super) fn is_given_up(&self) -> bool {
        self.count > TRIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_times_in_a_row_and_no_more() {
        let (mut tries, now) = (Tries::default(), Instant::now());
        for _ in 0..3 {
            assert!(tries.count(true, now));
            assert!(tries.count(true, now), "told twice, it is still the same");
            assert!(!tries.count(false, now));
        }
        assert!(!tries.count(true, now));
        assert!(tries.is_given_up());
        tries.count(false, now);
        tries.excuse();
        assert!(tries.is_given_up(), "there was no difference any more");
        assert!(tries.count(true, now + FORGIVEN + Duration::from_secs(1)), "a new one");
    }
    #[test]
    fn what_turns_out_to_be_a_form_of_its_own_does_not_count() {
        let (mut tries, now) = (Tries::default(), Instant::now());
        for _ in 0..10 {
            assert!(tries.count(true, now), "a device that writes each new value in its own way");
            tries.excuse();
            assert!(!tries.count(false, now));
        }
        for _ in 0..3 {
            assert!(tries.count(true, now));
            tries.count(false, now);
        }
        assert!(!tries.count(true, now), "what others do counts as before");
    }
}

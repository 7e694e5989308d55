//! When a watch that hears nothing does something about it.

use std::time::Duration;

use lockstep_types::Revision;
use tokio::time::Instant;

use super::tide::Due;

/// How long a quiet watch goes without asking how far the cluster is, lest what it would go on from is
/// forgotten while only others write.
const QUIET: Duration = Duration::from_secs(60);

/// What is to be done if nothing is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// Write a mark.
    Mark,
    /// Ask how far the cluster is.
    Ask,
    /// Take the stream for lost.
    GiveUp,
}

/// What a watch waits for, and since when.
#[derive(Debug)]
pub(super) struct Clock {
    /// When the stream last brought something.
    pub(super) heard: Instant,
    /// A mark beyond this revision is under way.
    pub(super) marked: Option<Revision>,
    /// The revision that is to be reached, and since when.
    behind: Option<(Instant, Revision)>,
    patience: Duration,
}

impl Clock {
    pub(super) fn new(patience: Duration) -> Self {
        Self { heard: Instant::now(), marked: None, behind: None, patience }
    }

    /// Looks at how far the watch is and how far it has to get.
    pub(super) fn look(&mut self, position: Revision, due: Due) {
        if self.behind.is_some_and(|(_, target)| position >= target) {
            self.behind = None;
        }
        if self.behind.is_none() && position < due.told {
            self.behind = Some((Instant::now(), due.told));
        }
    }

    /// What is to be done next, and when.
    pub(super) fn next(&self, grace: Duration, position: Revision, due: Due) -> (Instant, Then) {
        let Some((since, _)) = self.behind else { return (self.heard + QUIET, Then::Ask) };
        let stuck = self.heard.max(since) + self.patience;
        // Where the last revision is ours the watch gets there by itself.
        let wanted = due.told > due.ours && self.marked.is_none_or(|beyond| beyond <= position);
        if wanted { (stuck.min(since + grace), Then::Mark) } else { (stuck, Then::GiveUp) }
    }

    /// Whether it is no use to wait any longer.
    pub(super) fn stuck(&self) -> bool {
        let stuck = |(since, _)| self.heard.max(since) + self.patience <= Instant::now();
        self.behind.is_some_and(stuck)
    }
}

#[cfg(test)]
mod tests {
    //! What a watch does when it is behind, and when it is not.

    use std::time::Duration;

    use lockstep_types::Revision;

    use super::{Clock, Due, Then};

    const GRACE: Duration = Duration::from_millis(50);
    const PATIENCE: Duration = Duration::from_secs(3);

    fn due(told: u64, ours: u64) -> Due {
        Due { told: Revision::new(told), ours: Revision::new(ours), back: None }
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_marks_only_for_what_is_not_known_to_be_ours() {
        let start = tokio::time::Instant::now();
        let at = Revision::new(5);
        let mut clock = Clock::new(PATIENCE);
        clock.look(at, due(5, 5));
        assert_eq!(clock.next(GRACE, at, due(5, 5)).1, Then::Ask);
        clock.look(at, due(7, 7));
        assert_eq!(clock.next(GRACE, at, due(7, 7)), (start + PATIENCE, Then::GiveUp));
        assert_eq!(clock.next(GRACE, at, due(8, 7)), (start + GRACE, Then::Mark));
        clock.marked = Some(Revision::new(8));
        assert_eq!(clock.next(GRACE, at, due(8, 7)), (start + PATIENCE, Then::GiveUp));
        tokio::time::advance(PATIENCE).await;
        assert!(clock.stuck());

        // It got where it had to get, and has to get further: the time counts anew.
        let (at, now) = (Revision::new(9), start + PATIENCE);
        clock.look(at, due(12, 9));
        assert!(!clock.stuck());
        assert_eq!(clock.next(GRACE, at, due(12, 9)), (now + GRACE, Then::Mark));
        clock.look(Revision::new(12), due(12, 12));
        assert_eq!(clock.next(GRACE, at, due(12, 12)).1, Then::Ask);
    }
}

//! When all that a device holds is read and told.

use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{Permit, Sender};
use tokio::time::{Instant, sleep_until};

use crate::Notice;
use crate::backoff::Backoff;

/// How soon a device is read again because of changes that cannot be understood.
#[derive(Debug, Default)]
pub(super) struct Pace {
    backoff: Backoff,
    not_before: Option<Instant>,
}

impl Pace {
    /// Another change that cannot be understood: a device that tells of one may tell of many.
    pub(super) fn slow_down(&mut self) {
        let now = Instant::now();
        let since = self.not_before.map(|last| now.saturating_duration_since(last));
        if since.is_some_and(Backoff::is_long) {
            self.backoff.reset();
        }
        self.not_before = Some(now + self.backoff.next());
    }

    /// Room to tell of all, when it is time.
    pub(super) async fn room<'a>(
        &self,
        tell: &'a Sender<Notice>,
    ) -> Result<Permit<'a, Notice>, SendError<()>> {
        if let Some(not_before) = self.not_before {
            sleep_until(not_before).await;
        }
        room(tell).await
    }
}

/// Waits until whatever was told before was taken: a whole configuration is large, and more than one is
/// of no use.
pub(super) async fn room(tell: &Sender<Notice>) -> Result<Permit<'_, Notice>, SendError<()>> {
    tell.reserve_many(tell.max_capacity()).await?.next().ok_or(SendError(()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use tokio::sync::mpsc;

    use super::*;

    fn all() -> Notice {
        Notice::All(Box::default())
    }

    #[tokio::test]
    async fn all_is_told_only_when_nothing_waits() {
        let (tell, mut told) = mpsc::channel(3);
        tell.try_send(Notice::Changed(Box::default())).unwrap();
        assert!(room(&tell).now_or_never().is_none());
        told.recv().await.unwrap();
        room(&tell).await.unwrap().send(all());
        assert!(room(&tell).now_or_never().is_none(), "two of them");
        // What changes then still has its place.
        tell.try_send(Notice::Changed(Box::default())).unwrap();
        assert_eq!(told.recv().await, Some(all()));
    }

    #[tokio::test(start_paused = true)]
    async fn changes_that_cannot_be_understood_cost_fewer_reads_the_more_there_are() {
        let (tell, _told) = mpsc::channel(3);
        let mut pace = Pace::default();
        let mut waited = Vec::new();
        assert!(pace.room(&tell).now_or_never().is_some(), "the first at once");
        for _ in 0..12 {
            pace.slow_down();
            let began = Instant::now();
            drop(pace.room(&tell).await.unwrap());
            waited.push(began.elapsed());
        }
        assert!(waited[0] < Duration::from_secs(1), "{waited:?}");
        assert!(waited[11] > Duration::from_secs(10), "{waited:?}");
        tokio::time::advance(Duration::from_secs(60)).await;
        pace.slow_down();
        let began = Instant::now();
        drop(pace.room(&tell).await.unwrap());
        assert!(began.elapsed() < Duration::from_secs(1), "long ago");
    }
}

//! Whether the node waits for the device.

use tokio::sync::watch;

/// How many requests of the node are under way on a connection. What can wait, waits for none.
#[derive(Debug)]
pub(super) struct Busy(watch::Sender<usize>);

/// A request under way, until this is dropped.
#[derive(Debug)]
pub(super) struct UnderWay<'a>(&'a Busy);

impl Busy {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    pub(super) fn begin(&self) -> UnderWay<'_> {
        self.0.send_modify(|count| *count += 1);
        UnderWay(self)
    }

    /// Comes back when no request is under way.
    pub(super) async fn is_over(&self) {
        let mut count = self.0.subscribe();
        // An error would mean that the sender is gone, and it is ours.
        drop(count.wait_for(|count| *count == 0).await);
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

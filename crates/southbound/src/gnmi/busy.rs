//! Whether the node waits for the device, and whether it may have changed it.

use tokio::sync::watch;

/// What the node asks on a connection. What can wait, waits until that is nothing.
#[derive(Debug)]
pub(super) struct Busy(watch::Sender<Asked>);

#[derive(Debug, Default)]
struct Asked {
    under_way: usize,
    changes: Changes,
}

/// How many requests that change the device were begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes(u64);

/// A request under way, until this is dropped.
#[derive(Debug)]
pub(super) struct UnderWay<'a>(&'a Busy);

impl Busy {
    pub(super) fn new() -> Self {
        Self(watch::Sender::default())
    }

    /// A request begins, one that changes the device or not.
    pub(super) fn begin(&self, changes: bool) -> UnderWay<'_> {
        self.0.send_modify(|asked| {
            asked.under_way += 1;
            asked.changes.0 += u64::from(changes);
        });
        UnderWay(self)
    }

    /// Comes back when no request is under way, with the changes so far.
    pub(super) async fn is_over(&self) -> Changes {
        let mut asked = self.0.subscribe();
        // An error would mean that the sender is gone, and it is ours.
        drop(asked.wait_for(|asked| asked.under_way == 0).await);
        self.changes()
    }

    /// The changes so far. While they are the same as before, what was read since was not changed by
    /// this node meanwhile.
    pub(super) fn changes(&self) -> Changes {
        self.0.borrow().changes
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|asked| asked.under_way -= 1);
    }
}

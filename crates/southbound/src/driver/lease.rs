//! Until when a node may change devices.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;

/// Until when a node may change devices. Clones are the same lease: what is under way for long goes by what it
/// was renewed to meanwhile.
#[derive(Clone, Debug)]
pub struct Lease(Option<Arc<watch::Sender<Instant>>>);

impl Lease {
    /// One that does not end, for whoever has no session.
    pub const ENDLESS: Self = Self(None);

    /// One that ends then, unless it is renewed.
    #[must_use]
    pub fn until(end: Instant) -> Self {
        Self(Some(Arc::new(watch::Sender::new(end))))
    }

    /// From now on it ends then.
    pub fn renew(&self, end: Instant) {
        if let Some(lease) = &self.0 {
            lease.send_replace(end);
        }
    }

    /// Whether it has ended: somebody else may be the master of everything by now.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|lease| *lease.borrow() <= Instant::now())
    }
}

//! Leases: in memory only, because a lease of this store does not outlive the process that has it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use lockstep_protocol::Written;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use super::feed::Owner;
use super::{Job, lock};
use crate::kv::Lease;
use crate::{Error, Pending};

/// What carries out jobs.
pub(crate) trait Host: Owner {
    fn submit(&self, job: Job) -> Pending<'_, Written>;
}

/// Longer than any process lives, and short enough to be added to any moment.
const LONGEST: Duration = Duration::from_secs(1 << 30);

#[derive(Debug)]
struct Live {
    ttl: Duration,
    ends: Instant,
}

/// The leases that live.
#[derive(Debug)]
pub(crate) struct Leases {
    /// Which opening of the store this is: the upper half of every number, so that none comes twice.
    opened: u64,
    live: Mutex<(u64, BTreeMap<Lease, Live>)>,
}

impl Leases {
    pub(super) fn new(opened: u64) -> Self {
        Self { opened, live: Mutex::new((0, BTreeMap::new())) }
    }

    fn begin(&self, ttl: Duration) -> Lease {
        let ttl = ttl.min(LONGEST);
        let (last, live) = &mut *lock(&self.live);
        *last += 1;
        let lease = Lease((self.opened << 32) | *last);
        live.insert(lease, Live { ttl, ends: Instant::now() + ttl });
        lease
    }

    /// Keeps a lease for its whole time again.
    pub(crate) fn keep(&self, lease: Lease) -> Result<(), Error> {
        let now = Instant::now();
        let (_, live) = &mut *lock(&self.live);
        let live = live.get_mut(&lease).filter(|live| now < live.ends);
        live.map(|live| live.ends = now + live.ttl).ok_or(Error::LeaseGone(lease))
    }

    /// Ends a lease; its keys are still there.
    pub(crate) fn end(&self, lease: Lease) -> Result<(), Error> {
        lock(&self.live).1.remove(&lease).map(drop).ok_or(Error::LeaseGone(lease))
    }

    pub(super) fn lives(&self, lease: Lease) -> bool {
        lock(&self.live).1.contains_key(&lease)
    }

    fn ends(&self, lease: Lease) -> Option<Instant> {
        lock(&self.live).1.get(&lease).map(|live| live.ends)
    }

    /// Ends a lease if its time is over.
    fn expire(&self, lease: Lease) -> bool {
        let (_, live) = &mut *lock(&self.live);
        let over = live.get(&lease).is_some_and(|live| live.ends <= Instant::now());
        over && live.remove(&lease).is_some()
    }
}

/// Begins a lease, and sees to it that it ends.
pub(crate) fn grant<H: Host>(host: &Arc<H>, ttl: Duration) -> Result<Lease, Error> {
    let runtime = Handle::try_current().map_err(|_| Error::NoRuntime)?;
    host.ledger().revision()?;
    let lease = host.ledger().leases.begin(ttl);
    runtime.spawn(end_in_time(Arc::downgrade(host), lease));
    Ok(lease)
}

async fn end_in_time<H: Host>(host: Weak<H>, lease: Lease) {
    while let Some(ends) = host.upgrade().and_then(|host| host.ledger().leases.ends(lease)) {
        sleep_until(ends).await;
        let Some(host) = host.upgrade() else { return };
        if host.ledger().leases.expire(lease) {
            tracing::info!(%lease, "a lease ran out");
            if let Err(error) = host.submit(Job::Revoke(lease)).await {
                tracing::warn!(%lease, %error, "its keys were not removed");
            }
        }
    }
}

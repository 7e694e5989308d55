//! Leases: etcd's own, in whole seconds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Inner;
use super::fault::{Fault, Unexpected};
use super::members::Member;
use crate::Error;
use crate::kv::Lease;

/// The longest that etcd grants, in seconds.
const LONGEST: u64 = 9_000_000_000;

/// A lease that lasts at least this long: etcd has a shortest one too, of a second or two.
pub(super) async fn grant(inner: &Inner, ttl: Duration) -> Result<Lease, Error> {
    let rest = u64::from(ttl.subsec_nanos() > 0);
    let seconds = ttl.as_secs().saturating_add(rest).clamp(1, LONGEST);
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    // One that was granted without our hearing of it runs out by itself.
    let grant = |member: Arc<Member>| async move { member.leases().grant(seconds, None).await };
    let granted = inner.members.ask(grant).await.map_err(Fault::read)?;
    match granted.id() {
        0 => Err(Error::Failed { source: Arc::new(Unexpected(granted.error().to_owned())) }),
        id => Ok(Lease(id.cast_unsigned())),
    }
}

pub(super) async fn keep(inner: &Inner, lease: Lease) -> Result<(), Error> {
    let id = lease.0.cast_signed();
    // The stream is only for one: they are seconds apart, and each may go to another member.
    let keep = |member: Arc<Member>| async move { member.leases().keep_alive(id).await.map(drop) };
    match inner.members.ask(keep).await {
        Err(Fault::LeaseGone) => Err(Error::LeaseGone(lease)),
        kept => kept.map_err(Fault::read),
    }
}

pub(super) async fn revoke(inner: &Inner, lease: Lease) -> Result<(), Error> {
    let id = lease.0.cast_signed();
    let tried = AtomicBool::new(false);
    let again = AtomicBool::new(false);
    let revoke = |member: Arc<Member>| {
        again.store(tried.swap(true, Ordering::Relaxed), Ordering::Relaxed);
        async move { member.leases().revoke(id).await }
    };
    match inner.members.ask(revoke).await {
        // It may have been our own first try that ended it.
        Err(Fault::LeaseGone) if again.load(Ordering::Relaxed) => Ok(()),
        Err(Fault::LeaseGone) => Err(Error::LeaseGone(lease)),
        Err(fault) => Err(fault.read()),
        Ok(_) => Ok(()),
    }
}

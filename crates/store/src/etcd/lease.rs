//! Leases: etcd's own, in whole seconds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use etcd_client::ResponseHeader;
use lockstep_types::Revision;

use super::fault::{Fault, Unexpected};
use super::members::Member;
use super::{Inner, unsigned};
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

/// How often a lease is kept again because the leader changed meanwhile.
const TRIES: usize = 3;

/// Keeps a lease, and makes sure that it was the leader who kept it.
///
/// A member that has just woken from a stall may still think that it leads, and keep a lease that the
/// real leader has let run out. But it does not get through a read. So one is made before and one
/// after: if both are answered in the same term, then nobody but the leader of that term can have
/// kept the lease in between.
pub(super) async fn keep(inner: &Inner, lease: Lease) -> Result<(), Error> {
    let id = lease.0.cast_signed();
    let key = inner.keys.mark();
    let keep = |member: Arc<Member>| {
        let key = key.clone();
        async move {
            let known = inner.tide.known();
            let (before, found) = term(&member, key.clone()).await?;
            // Whoever was set back may know a lease that they had then, and lost since.
            let _ = inner.tide.compare(known, found);
            // The stream is for this one only: they are seconds apart.
            member.leases().keep_alive(id).await?;
            Ok(before == term(&member, key).await?.0)
        }
    };
    for _ in 0..TRIES {
        match inner.members.ask(keep).await {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(Fault::LeaseGone) => return Err(Error::LeaseGone(lease)),
            Err(fault) => return Err(fault.read()),
        }
    }
    let source = Arc::new(Unexpected("the leader changes again and again".to_owned()));
    Err(Error::Unavailable { source })
}

/// In which term a read is answered, and how far the cluster is.
async fn term(member: &Member, key: Vec<u8>) -> Result<(u64, Revision), etcd_client::Error> {
    let found = member.kv().get(key, None).await?;
    let revision = found.header().map_or(0, ResponseHeader::revision);
    Ok((found.header().map_or(0, ResponseHeader::raft_term), unsigned(revision)))
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

//! Leases: keys that go by themselves.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::{Event, Lease, Op, Range, Txn};
use lockstep_store::{Error, Store};

use crate::support::{checks, delete, exists, put, read, revision, txn, write};

checks!(
    a_lease_that_is_given_up_takes_its_keys,
    a_lease_that_is_not_kept_runs_out,
    a_key_goes_with_its_last_lease_only,
    nothing_is_put_under_a_lease_that_is_gone,
);

const LONG: Duration = Duration::MAX;

fn leased(key: &str, lease: Lease) -> Op {
    Op::Put { key: key.as_bytes().into(), value: (*b"1").into(), lease: Some(lease) }
}

async fn a_lease_that_is_given_up_takes_its_keys(store: Arc<dyn Store>) {
    let one = store.grant(LONG).await.expect("a lease");
    let two = store.grant(LONG).await.expect("a lease");
    assert_ne!(one, two);
    write(&*store, &[leased("a", one), leased("b", one), put("c", "1")]).await;
    let before = write(&*store, &[leased("d", two)]).await;
    let mut feed = store.watch(before).await.expect("a watch");
    store.revoke(one).await.expect("an end");
    assert_eq!(read(&*store, Range::all()).await, ["c=1", "d=1"]);
    let commit = feed.next().await.expect("a revision");
    let gone = |key: &[u8]| Event::Delete(key.into());
    assert_eq!((commit.revision, &*commit.events), (before.next(), &[gone(b"a"), gone(b"b")][..]));
    let again = store.revoke(one).await;
    assert!(matches!(again, Err(Error::LeaseGone(lease)) if lease == one), "{again:?}");
    assert_eq!(txn(&*store, &[exists("d")], &[]).await, Written::Done(before.next()));
}

async fn a_lease_that_is_not_kept_runs_out(store: Arc<dyn Store>) {
    let short = store.grant(Duration::from_millis(200)).await.expect("a lease");
    let kept = store.grant(Duration::from_millis(500)).await.expect("a lease");
    let before = write(&*store, &[leased("short", short), leased("kept", kept)]).await;
    let mut feed = store.watch(before).await.expect("a watch");
    let mut often = tokio::time::interval(Duration::from_millis(20));
    let gone = loop {
        tokio::select! {
            commit = feed.next() => break commit.expect("a revision"),
            _ = often.tick() => store.keep(kept).await.expect("a lease that lives"),
        }
    };
    assert_eq!(&*gone.events, [Event::Delete((*b"short").into())]);
    let late = store.keep(short).await;
    assert!(matches!(late, Err(Error::LeaseGone(_))), "{late:?}");
    assert_eq!(read(&*store, Range::all()).await, ["kept=1"]);
    // Now nobody keeps it.
    let gone = feed.next().await.expect("a revision");
    assert_eq!(&*gone.events, [Event::Delete((*b"kept").into())]);
}

async fn a_key_goes_with_its_last_lease_only(store: Arc<dyn Store>) {
    let one = store.grant(LONG).await.expect("a lease");
    let two = store.grant(LONG).await.expect("a lease");
    write(&*store, &[leased("moved", one), leased("freed", one), leased("again", one)]).await;
    write(&*store, &[leased("moved", two), put("freed", "2"), delete("again")]).await;
    write(&*store, &[put("again", "2")]).await;
    let before = revision(&*store).await;
    store.revoke(one).await.expect("an end");
    assert_eq!(revision(&*store).await, before, "nothing stood under it");
    store.revoke(two).await.expect("an end");
    assert_eq!(read(&*store, Range::all()).await, ["again=2", "freed=2"]);
}

async fn nothing_is_put_under_a_lease_that_is_gone(store: Arc<dyn Store>) {
    let lease = store.grant(LONG).await.expect("a lease");
    store.revoke(lease).await.expect("an end");
    for gone in [lease, Lease(u64::MAX)] {
        let refused =
            store.txn(Txn { compares: vec![], ops: vec![put("a", "1"), leased("b", gone)] }).await;
        assert!(matches!(refused, Err(Error::LeaseGone(l)) if l == gone), "{refused:?}");
    }
    assert_eq!(read(&*store, Range::all()).await, [""; 0]);
}

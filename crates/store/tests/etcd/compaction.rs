//! History that is no longer kept is noticed, and never passed over.

use std::time::Duration;

use lockstep_store::etcd::Trim;
use lockstep_store::kv::Range;
use lockstep_store::{Error, Etcd, Store};
use lockstep_types::Revision;
use tokio::time::timeout;

use crate::common::{delete, insist, next, put, told, until, watch, write};
use crate::proxy::{Proxy, Wire};
use crate::server::{Cluster, DEADLINE};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watcher_that_is_up_to_date_does_not_notice() {
    let cluster = Cluster::start(1);
    let store = cluster.store("current").await;
    let start = store.revision().await.unwrap();
    let mut feed = watch(&store, start).await;
    for round in 0..5 {
        let made = write(&store, &[put("a", &round.to_string())]).await;
        assert_eq!(told(&next(&mut feed).await), [format!("a={round}")]);
        store.compact(made).await.unwrap();
        store.compact(made).await.expect("twice is fine");
    }
    let ahead = store.compact(store.revision().await.unwrap().next()).await;
    assert!(matches!(ahead, Err(Error::Future { .. })), "{ahead:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_that_was_lost_too_long_says_so() {
    let mut cluster = Cluster::start(1);
    let direct = cluster.store("lost").await;
    let proxy = Proxy::start(cluster.member(0).port).await;
    let mut options = cluster.options("lost");
    options.endpoints = vec![format!("127.0.0.1:{}", proxy.port)];
    let store = Etcd::open(&options).await.unwrap();

    // What is missed: two revisions, or only the one that is still kept, of which a removal is not.
    let revisions =
        [vec![put("a", "3"), put("a", "4"), put("a", "5")], vec![delete("a"), put("b", "1")]];
    for ops in revisions {
        let seen = write(&direct, &[put("a", "1")]).await;
        let mut feed = watch(&store, seen).await;
        let seen = write(&direct, &[put("a", "2")]).await;
        assert_eq!(next(&mut feed).await.revision, seen);
        proxy.set(Wire::Cut);
        let mut made = Vec::new();
        for op in ops {
            made.push(write(&direct, &[op]).await);
        }
        let [.., kept, last] = made[..] else { panic!("{made:?}") };
        direct.compact(kept).await.unwrap();
        proxy.set(Wire::Open);
        let told_off = timeout(DEADLINE, feed.next()).await.expect("an answer in time");
        let Err(Error::Compacted { asked, oldest }) = told_off else { panic!("{told_off:?}") };
        assert_eq!((asked, oldest), (seen, kept));

        // The reader loads and goes on from there.
        let mut feed = watch(&store, oldest).await;
        assert_eq!(next(&mut feed).await.revision, last);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removal_in_the_oldest_revision_is_not_lost() {
    let cluster = Cluster::start(1);
    let store = cluster.store("removal").await;
    let first = write(&store, &[put("a", "1"), put("b", "1")]).await;
    let removed = write(&store, &[delete("a")]).await;
    let last = write(&store, &[put("b", "2")]).await;
    store.compact(removed).await.unwrap();
    // etcd would begin here, and tell nothing of the removal.
    let behind = store.watch(first).await;
    assert!(
        matches!(behind, Err(Error::Compacted { asked, oldest }) if asked == first && oldest == removed),
        "{behind:?}"
    );
    let mut feed = insist(|| store.watch(removed)).await;
    assert_eq!(next(&mut feed).await.revision, last);
}

/// Writes so often; the last revision.
async fn writes(store: &Etcd, count: usize) -> Revision {
    let mut made = Revision::ZERO;
    for n in 0..count {
        made = write(store, &[put("a", &n.to_string())]).await;
    }
    made
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_node_lets_go_of_history_for_all() {
    let cluster = Cluster::start(1);
    let (one, two) = (cluster.store("trim").await, cluster.store("trim").await);
    let (mut a, mut b) = (Trim::new(&one), Trim::new(&two));
    let start = writes(&one, 3).await;
    let mut feed = watch(&two, start).await;
    assert_eq!(a.step().await.unwrap(), None, "nothing is known of before");
    assert_eq!(b.step().await.unwrap(), None);
    let kept = writes(&one, 3).await;

    // What was there at the last look goes; what came after it stays, and so do those who watch.
    assert_eq!(a.step().await.unwrap(), Some(start));
    assert_eq!(b.step().await.unwrap(), None, "it was just done");
    assert!(one.range(Range::all().at(start)).await.is_ok());
    let gone = two.range(Range::all().at(Revision::new(start.get() - 1))).await;
    assert!(matches!(gone, Err(Error::Compacted { oldest, .. }) if oldest == start), "{gone:?}");
    while next(&mut feed).await.revision < kept {}

    // Nobody has to do anything while nothing is written.
    let quiet = one.revision().await.unwrap();
    for _ in 0..2 {
        assert_eq!((a.step().await.unwrap(), b.step().await.unwrap()), (None, None));
    }
    assert_eq!(one.revision().await.unwrap(), quiet);

    // Of two at once one does it.
    for round in 0..10 {
        writes(&one, 2).await;
        let (first, second) = tokio::join!(a.step(), b.step());
        let done = [first.unwrap(), second.unwrap()].into_iter().flatten().count();
        // Whoever lost the last time may find that nobody has done it since, or that somebody has.
        assert!(done <= 1, "round {round}");
        if done == 0 {
            let again = (a.step().await.unwrap(), b.step().await.unwrap());
            assert!(!matches!(again, (Some(_), Some(_))), "round {round}: {again:?}");
        }
    }
    // A node that is gone is soon replaced, and a watch from before has to begin anew.
    drop(a);
    until("the other to do it", async || {
        writes(&two, 1).await;
        b.step().await.unwrap().is_some()
    })
    .await;
    let behind = two.watch(kept).await;
    assert!(matches!(behind, Err(Error::Compacted { asked, .. }) if asked == kept), "{behind:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_lets_go_of_history_by_itself() {
    let mut cluster = Cluster::start(1);
    let mut options = cluster.options("itself");
    options.compaction = Some(Duration::from_millis(20));
    let store = Etcd::open(&options).await.unwrap();
    for _ in 0..2 {
        let start = writes(&store, 1).await;
        let mut feed = watch(&store, start).await;
        until("it is gone", async || {
            let made = writes(&store, 1).await;
            while next(&mut feed).await.revision < made {}
            matches!(store.watch(start).await, Err(Error::Compacted { .. }))
        })
        .await;
        // A cluster that was away for a while does not end it.
        cluster.member(0).restart();
    }
    // Nor does it keep the store open.
    insist(|| store.revision()).await;
    store.close().await.unwrap();
}

//! History that is no longer kept is noticed, and never passed over.

use lockstep_store::{Error, Etcd, Store};
use tokio::time::timeout;

use crate::common::{delete, insist, next, put, told, watch, write};
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

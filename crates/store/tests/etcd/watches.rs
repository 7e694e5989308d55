//! A watch goes on where it was, whatever happens to the stream below it.

use std::time::Duration;

use lockstep_store::{Error, Etcd, Store};
use lockstep_types::Revision;
use tokio::time::timeout;

use crate::common::{next, put, told, until, watch, write};
use crate::proxy::{Proxy, Wire};
use crate::server::{Cluster, DEADLINE};

/// A store at the other end of a wire.
async fn wired(cluster: &mut Cluster, prefix: &str) -> (Proxy, Etcd) {
    let proxy = Proxy::start(cluster.member(0).port).await;
    let mut options = cluster.options(prefix);
    options.endpoints = vec![format!("127.0.0.1:{}", proxy.port)];
    let store = Etcd::open(&options).await.expect("a store");
    (proxy, store)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_that_is_cut_off_goes_on_without_a_gap() {
    let mut cluster = Cluster::start(1);
    let direct = cluster.store("cut").await;
    let (proxy, store) = wired(&mut cluster, "cut").await;
    let mut expected = write(&direct, &[put("a", "0")]).await;
    let mut feed = watch(&store, expected).await;
    for round in 0..5 {
        let value = round.to_string();
        for _ in 0..10 {
            write(&direct, &[put("a", &value), put("b", &value)]).await;
        }
        // Some of these are still on the wire, some not yet asked for.
        proxy.set(Wire::Cut);
        for _ in 0..10 {
            write(&direct, &[put("a", &value), put("b", &value)]).await;
        }
        proxy.set(Wire::Open);
        for _ in 0..20 {
            let commit = next(&mut feed).await;
            assert_eq!(commit.revision, expected.next(), "a gap");
            expected = commit.revision;
            assert_eq!(told(&commit), [format!("a={value}"), format!("b={value}")]);
        }
    }
}

/// What it gave out before, it will give out again for something else: nobody may go on as if nothing had happened.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_ends_where_its_cluster_was_set_back() {
    let mut cluster = Cluster::start(1);
    let store = cluster.store("back").await;
    let mut at = write(&store, &[put("a", "0")]).await;
    for _ in 0..5 {
        at = write(&store, &[put("a", "1")]).await;
    }
    let mut feed = watch(&store, at).await;
    let lease = store.grant(DEADLINE).await.expect("a lease");
    cluster.member(0).set_back();
    // Nobody reads: whoever keeps a lease finds out.
    until("the lease to be gone", async || {
        matches!(store.keep(lease).await, Err(Error::LeaseGone(_)))
    })
    .await;
    let ended = timeout(DEADLINE, feed.next()).await.expect("an end");
    let Err(Error::Failed { source }) = ended else { panic!("{ended:?}") };
    assert!(source.to_string().contains("set back"), "{source}");
    // Opened anew, it is what there is.
    let store = cluster.store("back").await;
    let first = write(&store, &[put("a", "2")]).await;
    assert!(first < at, "{first}");
    assert_eq!(told(&next(&mut watch(&store, Revision::ZERO).await).await), ["a=2"]);
}

/// It got as far again before the watch was back: its number alone says nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_ends_where_its_last_revision_has_become_another() {
    let mut cluster = Cluster::start(1);
    let (proxy, store) = wired(&mut cluster, "other").await;
    let before = write(&store, &[put("a", "0")]).await;
    let mut feed = watch(&store, before).await;
    let at = write(&store, &[put("a", "1")]).await;
    assert_eq!(next(&mut feed).await.revision, at);
    proxy.set(Wire::Cut);
    cluster.member(0).set_back();
    let direct = cluster.store("other").await;
    until("it is as far again", async || write(&direct, &[put("a", "2")]).await > at).await;
    proxy.set(Wire::Open);
    let ended = timeout(DEADLINE, feed.next()).await.expect("an end");
    let Err(Error::Failed { source }) = ended else { panic!("{ended:?}") };
    assert!(source.to_string().contains("set back"), "{source}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_outlives_its_cluster() {
    let mut cluster = Cluster::start(1);
    let store = cluster.store("outlive").await;
    let mut expected = write(&store, &[put("a", "0")]).await;
    let mut feed = watch(&store, expected).await;
    for round in 0..3 {
        cluster.member(0).restart();
        until("the store to be back", async || store.revision().await.is_ok()).await;
        write(&store, &[put("a", &round.to_string())]).await;
        let commit = next(&mut feed).await;
        assert_eq!(commit.revision, expected.next());
        assert_eq!(told(&commit), [format!("a={round}")]);
        expected = commit.revision;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_looks_away_does_not_hold_up_the_watch() {
    let mut cluster = Cluster::start(1);
    let direct = cluster.store("away").await;
    let (proxy, store) = wired(&mut cluster, "away").await;
    let start = write(&direct, &[put("a", "0")]).await;
    let mut feed = watch(&store, start).await;
    proxy.set(Wire::Cut);
    write(&direct, &[put("a", "1")]).await;
    proxy.set(Wire::Open);
    // Asked again and again, never for long.
    let commit = timeout(DEADLINE, async {
        loop {
            if let Ok(commit) = timeout(Duration::from_millis(1), feed.next()).await {
                return commit;
            }
        }
    });
    assert_eq!(told(&commit.await.expect("a revision in time").unwrap()), ["a=1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_catch_up_comes_in_whole_revisions() {
    let cluster = Cluster::start(1);
    let store = cluster.store("large").await;
    let start = store.revision().await.unwrap();
    // More than fits into one message of etcd, with revisions that are cut by its fragments.
    let part = "x".repeat(300 << 10);
    for _ in 0..12 {
        write(&store, &["a", "b", "c", "d"].map(|key| put(key, &part))).await;
    }
    let mut feed = watch(&store, start).await;
    let mut expected = start;
    for _ in 0..12 {
        let commit = next(&mut feed).await;
        expected = expected.next();
        assert_eq!((commit.revision, commit.events.len()), (expected, 4));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_store_ends_its_watches_even_without_a_cluster() {
    let mut cluster = Cluster::start(1);
    let store = Etcd::open(&cluster.quick("closed")).await.unwrap();
    let mut feed = watch(&store, store.revision().await.unwrap()).await;
    cluster.member(0).kill();
    store.close().await.unwrap();
    let end = timeout(DEADLINE, feed.next()).await.expect("an end in time");
    assert!(matches!(end, Err(Error::Closed)), "{end:?}");
}

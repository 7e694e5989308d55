//! A cluster that others use too.

use lockstep_protocol::Written;
use lockstep_store::Store;
use lockstep_store::kv::Range;

use crate::common::{absent, next, put, told, txn, watch, write};
use crate::server::Cluster;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_write_is_not_seen_and_holds_up_nobody() {
    let cluster = Cluster::start(1);
    let store = cluster.store("net").await;
    let neighbour = cluster.store("net2").await;
    let mut raw = cluster.raw(0).await;
    let first = write(&store, &[put("a", "1")]).await;
    let mut feed = watch(&store, first).await;
    for round in 0..5 {
        raw.put("elsewhere", round.to_string(), None).await.unwrap();
        write(&neighbour, &[put("a", "theirs")]).await;
        // A revision that is not ours, which a reader now waits for: one that reads, and one that was
        // told that its write is stale.
        let told_of = if round % 2 == 0 {
            store.revision().await.unwrap()
        } else {
            let stale = txn(&store, &[absent("a")], &[put("a", "2")]).await.unwrap();
            let Written::Stale(at) = stale else { panic!("{stale:?}") };
            at
        };
        assert!(told_of > first);
        let mut reached = first;
        while reached < told_of {
            let commit = next(&mut feed).await;
            assert_eq!(told(&commit), [""; 0]);
            reached = commit.revision;
        }
    }
    let page = store.range(Range::all()).await.unwrap();
    assert_eq!(page.entries.len(), 1);
    let made = write(&store, &[put("b", "1")]).await;
    let commit = next(&mut feed).await;
    assert_eq!((commit.revision, told(&commit)), (made, vec!["b=1".to_owned()]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_node_is_seen_without_a_mark() {
    let cluster = Cluster::start(1);
    let (one, two) = (cluster.store("net").await, cluster.store("net").await);
    let mut expected = write(&one, &[put("a", "0")]).await;
    let (mut feed, mut marks) = (watch(&one, expected).await, 0);
    for round in 0..50 {
        let made = write(&two, &[put("a", &round.to_string())]).await;
        assert!(one.revision().await.unwrap() >= made);
        loop {
            let commit = next(&mut feed).await;
            assert_eq!(commit.revision, expected.next());
            expected = commit.revision;
            if commit.events.is_empty() {
                marks += 1;
                continue;
            }
            assert_eq!((commit.revision, told(&commit)), (made, vec![format!("a={round}")]));
            break;
        }
    }
    assert!(marks < 5, "only on a very busy machine is there one at all, not {marks}");
}

//! How often the disk is synced for a transaction, by how many are in flight. A transaction is two
//! writes: decided, then recorded.

use std::sync::Arc;

use lockstep_store::{Embedded, Records};

use crate::support::{bound, target, write};

/// Syncs for each transaction, when so many are made at a time.
async fn syncs(flight: u64, each: u64) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    let records = Records::open(Arc::new(store.clone())).await.unwrap();
    let before = store.commits();
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..flight {
        let records = records.clone();
        writers.spawn(async move {
            let op = bound(&target(&format!("leaf{writer}")));
            for _ in 0..each {
                write(&records, vec![], vec![op.clone()]).await;
                write(&records, vec![], vec![op.clone()]).await;
            }
        });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap();
    }
    (store.commits() - before) as f64 / (flight * each) as f64
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_in_flight_share_the_syncs() {
    let (one, some, many) = (syncs(1, 30).await, syncs(16, 20).await, syncs(64, 20).await);
    println!("syncs a transaction at 1, 16 and 64 in flight: {one:.2}, {some:.2}, {many:.2}");
    assert!((2.0..2.1).contains(&one), "{one}");
    assert!(some <= 0.5, "{some}");
    assert!(many <= 0.125, "{many}");
}

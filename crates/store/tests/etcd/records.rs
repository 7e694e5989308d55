//! The records of `protocol` on etcd.

use std::sync::Arc;

use lockstep_store::{Records, Store};

use crate::same::same;
use crate::server::Cluster;
use crate::world::World;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_loaded_is_what_was_watched() {
    let mut cluster = Cluster::start(1);
    for seed in 0..2 {
        let prefix = format!("records/{seed}");
        let store: Arc<dyn Store> = Arc::new(cluster.store(&prefix).await);
        let records = Records::open(store).await.unwrap();
        let mut world = World::start(records.clone(), seed, 1_000).await;
        for step in 1..=300 {
            world.step().await;
            if step % 100 == 0 {
                let watched = world.view().await.clone();
                same(&watched, &records.load().await.unwrap());
                let other: Arc<dyn Store> = Arc::new(cluster.store(&prefix).await);
                let other = Records::open(other).await.unwrap();
                same(&watched, &other.load().await.unwrap());
            }
        }
        for on in world.view().await.clone().targets() {
            records.fold(on).await.unwrap();
        }
        let loaded = records.load().await.unwrap();
        assert!(loaded.transactions().count() > 5);
        // The session outlives the connection, for it is the cluster's.
        cluster.member(0).restart();
        let again = Records::open(Arc::new(cluster.store(&prefix).await)).await.unwrap();
        same(&loaded, &again.load().await.unwrap());
    }
}

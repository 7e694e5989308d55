//! Records that move between a store of one process and a cluster.

use std::sync::Arc;

use lockstep_store::records::dump;
use lockstep_store::{Memory, Records, Store};
use lockstep_types::Epoch;
use tokio::sync::mpsc;

use crate::same::same;
use crate::server::Cluster;
use crate::world::World;

/// Goes on with a store for a while, and sees that it holds what the watch told.
async fn live(store: Arc<dyn Store>, steps: usize, now: u64) -> (Records, u64) {
    let records = Records::open(Arc::clone(&store)).await.unwrap();
    let mut world = World::start(records.clone(), 7, now).await;
    for _ in 0..steps {
        world.step().await;
    }
    let watched = world.view().await.clone();
    let other = Records::open(store).await.unwrap();
    same(&watched, &other.load().await.unwrap());
    (records, world.now())
}

async fn export(records: &Records) -> Vec<u8> {
    let (out, mut lines) = mpsc::channel(16);
    let collect = async {
        let mut dump = Vec::new();
        while let Some(part) = lines.recv().await {
            dump.extend(part);
        }
        dump
    };
    let export = async move {
        let done = records.export(&out).await;
        drop(out);
        done
    };
    let (exported, dump) = tokio::join!(export, collect);
    exported.unwrap();
    dump
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_move_to_a_cluster_and_back() {
    let cluster = Cluster::start(1);
    // Long enough that its revisions are beyond those of the cluster.
    let (records, now) = live(Arc::new(Memory::new()), 2_000, 1_000).await;
    let revision = records.revision().await.unwrap();
    let before = records.load().await.unwrap();

    let store = Arc::new(cluster.store("moved").await);
    let lines = export(&records).await;
    let imported = dump::import(&*store, &*lines, Epoch::ZERO, |_| {}).await.unwrap();
    assert!(imported.epoch > records.epoch());
    let moved = Records::open(store.clone()).await.unwrap();
    let after = moved.load().await.unwrap();
    assert!(after.revision() < revision, "{} and {revision}", after.revision());
    assert!(before.transactions().eq(after.transactions()));
    for on in before.targets() {
        assert_eq!(before.committed(on), after.committed(on), "{on}");
        assert_eq!(before.applied(on), after.applied(on), "{on}");
    }

    // It goes on there, and back home.
    let (moved, now) = live(store, 300, now).await;
    let before = moved.load().await.unwrap();
    let store = Arc::new(Memory::new());
    let lines = export(&moved).await;
    dump::import(&*store, &*lines, Epoch::ZERO, |_| {}).await.unwrap();
    let home = Records::open(store.clone()).await.unwrap();
    assert!(before.transactions().eq(home.load().await.unwrap().transactions()));
    live(store, 300, now).await;
}

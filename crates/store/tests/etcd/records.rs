//! The records of `protocol` on etcd.

use std::sync::Arc;

use lockstep_protocol::record::{Header, Key, Mark};
use lockstep_protocol::{Compare, Op, Txn, Written};
use lockstep_store::{Records, Store};
use lockstep_types::{Content, Index, Patch, Revision, Target, Unit};
use tokio::task::JoinSet;

use crate::same::same;
use crate::server::Cluster;
use crate::support::{bound, path, target};
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

/// One change of a target's only leaf, decided on the header of this revision.
fn change(on: &Target, round: u64, base: Revision) -> Txn {
    let index = Index::new(round);
    let unit = Unit::present(Content::leaf(format!("{on} {round}")), index);
    let committed: Patch = [(path("/leaf"), unit)].into_iter().collect();
    let mark = Mark { index, revision: index };
    let header = Header { committed: mark, applied: mark, ..Header::NEW };
    let applied = committed.clone();
    let compares = vec![Compare::Unchanged(Key::Configuration(on.clone()), base)];
    let target = on.clone();
    let ops =
        vec![bound(on), Op::Configuration { target, header, committed, applied, cleared: false }];
    Txn { compares, ops }
}

/// Many targets have the same revision then, and the deltas that are named by it are each their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_that_went_together_are_records_like_any_others() {
    const TARGETS: usize = 40;
    const ROUNDS: u64 = 12;
    let cluster = Cluster::start(1);
    let store = cluster.store("together").await;
    let records = Records::open(Arc::new(store.clone())).await.unwrap();
    let mut view = records.load().await.unwrap();
    let mut watch = records.watch(view.revision()).await.unwrap();
    let before = store.requests();
    let mut writers = JoinSet::new();
    for number in 0..TARGETS {
        let (records, on) = (records.clone(), target(&format!("leaf{number}")));
        writers.spawn(async move {
            let mut made = vec![Revision::ZERO];
            for round in 1..=ROUNDS {
                let base = made.last().copied().unwrap_or_default();
                let written = records.write(change(&on, round, base)).await.unwrap();
                let Written::Done(revision) = written else { panic!("{on}: {written:?}") };
                made.push(revision);
            }
            made
        });
    }
    let mut revisions: Vec<Revision> = writers.join_all().await.concat();
    let requests = store.requests() - before;
    let writes = TARGETS as u64 * ROUNDS;
    assert!(requests < writes / 2, "{requests} requests for {writes} writes");
    revisions.sort_unstable();
    let last = revisions.last().copied().unwrap();
    revisions.dedup();
    assert!(revisions.len() < usize::try_from(writes).unwrap() / 2, "revisions are shared");

    while view.revision() < last {
        view.absorb(&watch.next().await.unwrap().unwrap());
    }
    let other = Records::open(Arc::new(cluster.store("together").await)).await.unwrap();
    same(&view, &other.load().await.unwrap());
    for number in 0..TARGETS {
        let on = target(&format!("leaf{number}"));
        let expected = Content::leaf(format!("{on} {ROUNDS}"));
        let unit = view.committed(&on).unit(&path("/leaf"));
        assert_eq!(unit, Unit::present(expected, Index::new(ROUNDS)), "{on}");
        records.fold(&on).await.unwrap();
    }
    let folded = other.load().await.unwrap();
    for on in view.targets() {
        assert_eq!(view.configuration(on), folded.configuration(on), "{on}");
    }
}

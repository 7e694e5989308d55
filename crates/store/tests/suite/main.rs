//! What every store promises, asked of each of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail like tests"
)]

mod compares;
mod concurrency;
mod leases;
mod model;
mod ranges;
#[path = "../etcd/server.rs"]
mod server;
mod support;
mod watches;

use std::sync::Arc;
use std::time::Duration;

use lockstep_store::{Embedded, Etcd, Memory, Store};

use model::Run;
use server::Cluster;
use support::Check;

const CHECKS: &[&[(&str, Check)]] = &[
    compares::CHECKS,
    ranges::CHECKS,
    watches::CHECKS,
    leases::CHECKS,
    concurrency::CHECKS,
    model::CHECKS,
];

/// Long beyond what any check needs.
const DEADLINE: Duration = Duration::from_secs(60);

/// Puts every question to a new store of one kind. `make` is called for each.
fn suite(mut make: impl FnMut(&str) -> Arc<dyn Store>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    for (name, check) in CHECKS.iter().copied().flatten() {
        let store = make(name);
        let began = std::time::Instant::now();
        runtime.block_on(async {
            let checked = tokio::time::timeout(DEADLINE, check(Arc::clone(&store)));
            checked.await.unwrap_or_else(|_| panic!("{name} does not come to an end"));
            store.close().await.expect("a close");
            support::closed(&*store).await;
        });
        println!("{name}: {:?}", began.elapsed());
    }
}

#[test]
fn memory() {
    suite(|_| Arc::new(Memory::new()));
}

#[test]
fn embedded() {
    let folder = tempfile::tempdir().expect("a folder");
    suite(|name| Arc::new(Embedded::open(&folder.path().join(name)).expect("a store")));
}

/// One cluster for all of them: each has keys of its own, and no other is written to at the time.
#[test]
fn etcd() {
    let cluster = Cluster::start(1);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    suite(|name| {
        let options = cluster.options(name);
        Arc::new(runtime.block_on(Etcd::open(&options)).expect("a store"))
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embedded_across_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || Arc::new(Embedded::open(folder.path()).expect("a store"));
    let mut store = open();
    let mut run = Run::start(store.clone()).await;
    for _ in 0..10 {
        run.steps(300).await;
        run.hear().await;
        store.close().await.expect("a close");
        store = open();
        run.opened_again(store.clone()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn etcd_across_restarts() {
    let mut cluster = Cluster::start(1);
    let store = Arc::new(cluster.store("restarts").await);
    let mut run = Run::start(store.clone()).await;
    for round in 0..6 {
        run.steps(200).await;
        if round % 2 == 0 {
            run.hear().await;
        }
        // Neither the store nor its watch is opened again: they find the cluster by themselves.
        cluster.member(0).restart();
        let back = async { while store.revision().await.is_err() {} };
        tokio::time::timeout(DEADLINE, back).await.expect("an answer in time");
    }
    run.hear().await;
}

//! Leases outlive leaders, and end with the process that keeps them.

use std::process::{Command, Stdio};
use std::time::Duration;

use lockstep_store::kv::{Lease, Op, Txn};
use lockstep_store::{Error, Etcd, Store, etcd};

use crate::common::{get, insist, next, told, until, watch};
use crate::server::Cluster;

const TTL: Duration = Duration::from_secs(4);
const URL: &str = "LOCKSTEP_TEST_KEEPER";

fn under(key: &str, lease: Lease) -> Txn {
    let op = Op::Put { key: key.as_bytes().into(), value: (*b"1").into(), lease: Some(lease) };
    Txn { compares: Vec::new(), ops: vec![op] }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_is_kept_outlives_a_leader() {
    let mut cluster = Cluster::start(3);
    let store = Etcd::open(&cluster.quick("kept")).await.unwrap();
    let lease = store.grant(TTL).await.unwrap();
    store.txn(under("session", lease)).await.unwrap();
    let leader = cluster.leader().await;
    cluster.member(leader).kill();
    let began = std::time::Instant::now();
    // Longer than it lasts by itself.
    while began.elapsed() < TTL * 2 {
        insist(|| store.keep(lease)).await;
        assert!(get(&store, "session").await.is_some());
        tokio::time::sleep(TTL / 10).await;
    }
    insist(|| store.revoke(lease)).await;
    assert!(get(&store, "session").await.is_none());
}

/// Not a test by itself: the process that `a_process_that_stops_loses_its_lease` starts. Keeps a
/// lease until it is told that it is gone.
#[tokio::test]
async fn keeper() {
    let Ok(url) = std::env::var(URL) else { return };
    let store = Etcd::open(&etcd::Options::parse(&url).unwrap()).await.unwrap();
    let lease = store.grant(TTL).await.unwrap();
    store.txn(under("session", lease)).await.unwrap();
    let gone = loop {
        if let Err(error) = store.keep(lease).await {
            break error;
        }
        tokio::time::sleep(TTL / 10).await;
    };
    assert!(matches!(gone, Error::LeaseGone(of) if of == lease), "{gone:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_stops_loses_its_lease() {
    let cluster = Cluster::start(1);
    let store = cluster.store("stopped").await;
    let start = store.revision().await.unwrap();
    let mut feed = watch(&store, start).await;
    let options = cluster.options("stopped");
    let url = format!("etcd://{}/{}", options.endpoints.join(","), options.prefix);
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "leases::keeper"])
        .env(URL, url)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let signal = |name: &str| {
        let kill = format!("kill -{name} {}", process.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    };
    assert_eq!(told(&next(&mut feed).await), ["session=1"]);
    signal("STOP");
    assert_eq!(told(&next(&mut feed).await), ["-session"]);
    signal("CONT");
    until("the process to notice", async || process.try_wait().unwrap().is_some()).await;
    assert!(process.wait().unwrap().success(), "it was told that its lease is gone");
}

//! A write of which nobody knows whether it happened is decided again, and happens once.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Compare, Txn, Written};
use lockstep_store::{Error, Etcd, Records, Store};

use crate::common::{get, insist, next, put, told, txn, watch, write};
use crate::proxy::{Proxy, Wire};
use crate::server::Cluster;
use crate::support::{bound, target};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_without_an_answer_is_stale_once_the_store_can_be_read() {
    let mut cluster = Cluster::start(3);
    let direct = cluster.store("unknown").await;
    let proxy = Proxy::start(cluster.member(0).port).await;
    let mut options = cluster.quick("unknown");
    options.endpoints[0] = format!("127.0.0.1:{}", proxy.port);
    let records = Records::open(Arc::new(Etcd::open(&options).await.unwrap())).await.unwrap();
    let mut view = records.load().await.unwrap();
    let mut watch = records.watch(view.revision()).await.unwrap();

    // The member takes the write, and its answer does not come through.
    let leaf = target("leaf1");
    let key = Key::Binding(leaf.clone());
    let txn = Txn { compares: vec![Compare::Absent(key.clone())], ops: vec![bound(&leaf)] };
    proxy.set(Wire::Deaf);
    let answer = records.write(txn.clone()).await.unwrap();
    let Written::Stale(at) = answer else { panic!("{answer:?}") };
    assert!(at <= direct.revision().await.unwrap());

    // Whoever waits for that revision sees that it happened, and that there is nothing to do.
    while view.revision() < at {
        view.absorb(&watch.next().await.unwrap().unwrap());
    }
    assert!(view.binding(&leaf).is_some());
    let again = insist(|| records.write(txn.clone())).await;
    assert!(matches!(again, Written::Stale(_)), "{again:?}");
    let loaded = records.load().await.unwrap();
    assert_eq!(loaded.version(&key), view.version(&key));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_is_never_sent_twice() {
    let mut cluster = Cluster::start(3);
    let direct = cluster.store("once").await;
    let start = direct.revision().await.unwrap();
    let mut feed = watch(&direct, start).await;
    let proxy = Proxy::start(cluster.member(0).port).await;
    let mut options = cluster.quick("once");
    options.endpoints[0] = format!("127.0.0.1:{}", proxy.port);
    let store = Etcd::open(&options).await.unwrap();
    proxy.set(Wire::Deaf);
    let answer = txn(&store, &[], &[put("a", "1")]).await;
    assert!(matches!(answer, Err(Error::Unknown { .. })), "{answer:?}");
    // It did happen, once; reads go to another member, and so does the next write.
    assert_eq!(&*get(&store, "a").await.unwrap().value, b"1");
    write(&store, &[put("b", "1")]).await;
    assert_eq!(told(&next(&mut feed).await), ["a=1"]);
    assert_eq!(told(&next(&mut feed).await), ["b=1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_without_compares_stays_unknown() {
    let mut cluster = Cluster::start(1);
    let proxy = Proxy::start(cluster.member(0).port).await;
    let mut options = cluster.options("blind");
    options.timeout = Duration::from_millis(700);
    options.endpoints = vec![format!("127.0.0.1:{}", proxy.port)];
    let records = Records::open(Arc::new(Etcd::open(&options).await.unwrap())).await.unwrap();
    let blind = Txn { compares: Vec::new(), ops: vec![bound(&target("leaf1"))] };
    proxy.set(Wire::Deaf);
    let answer = records.write(blind.clone()).await;
    assert!(matches!(answer, Err(Error::Unknown { .. })), "{answer:?}");
    // One that compares cannot be settled either, while nothing can be read.
    let compares = vec![Compare::Absent(Key::Binding(target("leaf2")))];
    let compared = Txn { compares, ops: vec![bound(&target("leaf2"))] };
    let answer = records.write(compared.clone()).await;
    assert!(answer.as_ref().is_err_and(Error::is_retryable), "{answer:?}");
    // Nothing was lost by that.
    proxy.set(Wire::Open);
    insist(|| records.write(compared.clone())).await;
    assert!(records.load().await.unwrap().binding(&target("leaf2")).is_some());
}

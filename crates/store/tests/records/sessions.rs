//! Sessions begin, are kept, and end.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Compare, Op, Txn, Written};
use lockstep_store::{Embedded, Error, Memory};
use lockstep_types::NodeName;

use crate::support::{bound, next, node, records, target};

#[tokio::test]
async fn a_session_begins_and_ends() {
    let records = records(Memory::new()).await;
    let mut watch = records.watch(records.revision().await.unwrap()).await.unwrap();
    let session = records.begin(&node()).await.unwrap();
    let id = session.id().clone();
    assert!(id.as_str().starts_with(&format!("n1-{}-", records.epoch())), "{id}");
    assert_eq!(next(&mut watch).await.ops, [Op::Session { session: id.clone(), node: node() }]);
    let other = records.begin(&node()).await.unwrap();
    assert_ne!(*other.id(), id);
    next(&mut watch).await;

    let alive = Txn {
        compares: vec![Compare::Exists(Key::Session(id.clone()))],
        ops: vec![bound(&target("leaf1"))],
    };
    assert!(matches!(records.write(alive.clone()).await.unwrap(), Written::Done(_)));
    next(&mut watch).await;
    session.end().await.unwrap();
    assert_eq!(next(&mut watch).await.ops, [Op::EndSession(id)]);
    assert!(matches!(records.write(alive.clone()).await.unwrap(), Written::Stale(_)));
    assert!(records.load().await.unwrap().sessions().eq([other.id()]));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_kept_ends() {
    let records = records(Memory::new()).await;
    let session = records.begin(&node()).await.unwrap();
    let mut watch = records.watch(records.revision().await.unwrap()).await.unwrap();
    for _ in 0..10 {
        tokio::time::advance(session.ttl() / 2).await;
        session.keep().await.unwrap();
    }
    // With the clock paused, waiting moves it on to whatever is due next: the end of the lease.
    let before = tokio::time::Instant::now();
    assert_eq!(next(&mut watch).await.ops, [Op::EndSession(session.id().clone())]);
    assert!(before.elapsed() < session.ttl() + Duration::from_secs(1));
    assert!(matches!(session.keep().await, Err(Error::LeaseGone(_))));
    assert!(matches!(session.end().await, Err(Error::LeaseGone(_))));
}

#[tokio::test]
async fn a_session_is_never_that_of_another_start() {
    let folder = tempfile::tempdir().unwrap();
    let long = NodeName::new("é".repeat(128)).unwrap();
    let mut ids = Vec::new();
    for _ in 0..3 {
        let records = records(Embedded::open(folder.path()).unwrap()).await;
        assert_eq!(records.load().await.unwrap().sessions().count(), 0);
        ids.push(records.begin(&long).await.unwrap().id().clone());
        records.close().await.unwrap();
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn a_session_cannot_be_written_without_a_lease() {
    let records = records(Memory::new()).await;
    let session = Arc::new(records.begin(&node()).await.unwrap());
    let op = Op::Session { session: session.id().clone(), node: node() };
    let refused = records.write(Txn { compares: vec![], ops: vec![op] }).await;
    assert!(matches!(refused, Err(Error::UnleasedSession)), "{refused:?}");
    // Another node may end it, as an operator would.
    let op = Op::EndSession(session.id().clone());
    records.write(Txn { compares: vec![], ops: vec![op] }).await.unwrap();
    assert_eq!(records.load().await.unwrap().sessions().count(), 0);
}

//! What a store says about itself, and what is refused.

use std::sync::Arc;

use lockstep_protocol::record::{Header, Key};
use lockstep_protocol::{Compare, Op, Txn};
use lockstep_store::kv::{self, Limits, Range};
use lockstep_store::records::LEVEL;
use lockstep_store::{Embedded, Error, Memory, Records, Store};
use lockstep_types::{Epoch, Patch, Revision, TransactionId};

use crate::support::{bound, records, target, write};

async fn put(store: &dyn Store, key: &str, value: &str) {
    let op = kv::Op::put(key.as_bytes(), value.as_bytes());
    store.txn(kv::Txn { compares: vec![], ops: vec![op] }).await.unwrap();
}

#[tokio::test]
async fn an_empty_store_becomes_ours_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = None;
    for opening in 0..2 {
        let store = Arc::new(Embedded::open(folder.path()).unwrap());
        let records = Records::open(store.clone()).await.unwrap();
        // Later than that of any store there was before, and the same for as long as this one lives.
        assert!(records.epoch() > Epoch::new(1_700_000_000), "{:?}", records.epoch());
        assert_eq!(*first.get_or_insert(records.epoch()), records.epoch());
        assert_eq!(records.revision().await.unwrap(), Revision::new(1), "opening {opening}");
        let view = records.load().await.unwrap();
        assert_eq!(view.revision(), Revision::new(1));
        let keys = store.range(Range::all()).await.unwrap().entries;
        let keys: Vec<&[u8]> = keys.iter().map(|entry| &*entry.key).collect();
        assert_eq!(keys, [&b"meta/epoch"[..], b"meta/format"]);
        records.close().await.unwrap();
    }
}

#[tokio::test]
async fn two_nodes_may_open_an_empty_store_at_once() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let open = || Records::open(Arc::clone(&store));
    let (one, two) = tokio::join!(open(), open());
    assert_eq!(one.unwrap().epoch(), two.unwrap().epoch());
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let store = Arc::new(Memory::new());
    Records::open(store.clone()).await.unwrap();
    put(&*store, "meta/format", &format!("\u{1}{}", LEVEL + 1)).await;
    let refused = Records::open(store).await;
    let Err(Error::NewerFormat { found, known }) = refused else { panic!("{refused:?}") };
    assert_eq!((found, known), (LEVEL + 1, LEVEL));
}

#[tokio::test]
async fn a_store_of_someone_else_is_refused() {
    let store = Arc::new(Memory::new());
    put(&*store, "registry/pods", "x").await;
    let refused = Records::open(store).await;
    assert!(matches!(refused, Err(Error::Foreign)), "{refused:?}");
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_named() {
    for (key, value, part) in [
        ("transaction/00000000000000000007", "\u{1}{}", "missing field"),
        ("transaction/00000000000000000007", "\u{3}{}", "version 3"),
        ("transaction/00000000000000000007", "", "empty"),
        ("something", "\u{1}{}", "no key of ours"),
    ] {
        let store = Arc::new(Memory::new());
        let records = Records::open(store.clone()).await.unwrap();
        let mut watch = records.watch(Revision::new(1)).await.unwrap();
        put(&*store, key, value).await;
        let loaded = records.load().await.unwrap_err().to_string();
        assert!(loaded.contains(key) && loaded.contains(part), "{loaded}");
        let watched = watch.next().await.unwrap().unwrap_err().to_string();
        assert_eq!(watched, loaded);
        assert!(watch.next().await.is_none(), "an error ends the watch");
    }
}

#[tokio::test]
async fn a_configuration_is_only_written_on_what_it_was_decided_on() {
    let records = records(Memory::new()).await;
    let leaf = target("leaf1");
    let op = Op::Configuration {
        target: leaf.clone(),
        header: Header::default(),
        committed: Patch::new(),
        applied: Patch::new(),
        cleared: false,
    };
    let bare = Txn { compares: vec![], ops: vec![op.clone()] };
    let refused = records.write(bare.clone()).await;
    assert!(matches!(&refused, Err(Error::Uncompared(on)) if *on == leaf), "{refused:?}");
    assert_eq!(records.writes(), 0);
    write(&records, vec![Compare::Absent(Key::Configuration(leaf))], vec![op]).await;
    assert_eq!(records.writes(), 1);
}

#[tokio::test]
async fn a_write_beyond_the_limit_is_refused_as_such() {
    let store = Memory::with_limits(Limits { operations: 3, bytes: 1_000 });
    let records = records(store).await;
    let names = ["a", "b", "c", "d"].map(|name| bound(&target(name)));
    let refused = records.write(Txn { compares: vec![], ops: names.to_vec() }).await;
    let Err(error @ Error::TooLarge { operations: 4, .. }) = refused else { panic!("{refused:?}") };
    assert!(!error.is_retryable());
    let ids = ["x", "y"].map(|id| Op::Id {
        id: TransactionId::new(id).unwrap(),
        index: lockstep_types::Index::new(1),
    });
    write(&records, vec![], ids.to_vec()).await;
}

/// The level goes up with the last node that knows the next one, and then the others stay out.
#[tokio::test]
async fn the_level_is_raised_when_every_session_knows_it() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let node = |name| lockstep_types::NodeName::new(name).unwrap();
    let old = Records::open_knowing(Arc::clone(&store), 1).await.unwrap();
    let new = Records::open_knowing(Arc::clone(&store), 2).await.unwrap();
    let one = old.begin(&node("n1")).await.unwrap();
    let two = new.begin(&node("n2")).await.unwrap();
    assert_eq!(new.raise().await.unwrap(), 1, "n1 does not know it");
    // n1 comes back in the new version, and is the last.
    one.end().await.unwrap();
    let three = new.begin(&node("n1")).await.unwrap();
    assert_eq!(new.raise().await.unwrap(), 2);
    let refused = Records::open_knowing(Arc::clone(&store), 1).await;
    assert!(matches!(refused, Err(Error::NewerFormat { found: 2, known: 1 })), "{refused:?}");
    // Nor does one begin that had opened the store before.
    let refused = old.begin(&node("n3")).await;
    assert!(matches!(refused, Err(Error::NewerFormat { found: 2, known: 1 })), "{refused:?}");
    two.end().await.unwrap();
    three.end().await.unwrap();
    assert_eq!(new.raise().await.unwrap(), 2, "it never goes back");
}

/// A node that ends raises nothing, so that it may come back; the next to begin does.
#[tokio::test]
async fn the_level_waits_for_the_next_to_begin() {
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let node = |name| lockstep_types::NodeName::new(name).unwrap();
    let old = Records::open_knowing(Arc::clone(&store), 1).await.unwrap();
    let new = Records::open_knowing(Arc::clone(&store), 2).await.unwrap();
    let last = old.begin(&node("n1")).await.unwrap();
    let _two = new.begin(&node("n2")).await.unwrap();
    last.end().await.unwrap();
    let back = Records::open_knowing(Arc::clone(&store), 1).await.unwrap();
    back.begin(&node("n1")).await.unwrap().end().await.unwrap();
    // Nor does a crash: the lease of the older one has to run out first.
    let crashed = back.begin(&node("n1")).await.unwrap();
    let _three = new.begin(&node("n3")).await.unwrap();
    assert!(Records::open_knowing(Arc::clone(&store), 1).await.is_ok(), "it may still be alive");
    crashed.end().await.unwrap();
    let _four = new.begin(&node("n4")).await.unwrap();
    let refused = Records::open_knowing(Arc::clone(&store), 1).await;
    assert!(matches!(refused, Err(Error::NewerFormat { found: 2, known: 1 })), "{refused:?}");
}

/// Whoever begins while the level is raised is either counted or turned away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_begins_below_the_level() {
    let mut raised = 0;
    for round in 0..200 {
        let store: Arc<dyn Store> = Arc::new(Memory::new());
        let old = Records::open_knowing(Arc::clone(&store), 1).await.unwrap();
        let new = Records::open_knowing(Arc::clone(&store), 2).await.unwrap();
        let node = lockstep_types::NodeName::new("n1").unwrap();
        let other = node.clone();
        let old = tokio::spawn(async move { old.begin(&other).await });
        let new = tokio::spawn(async move { (new.begin(&node).await.unwrap(), new) });
        let (old, (_session, new)) = (old.await.unwrap(), new.await.unwrap());
        let level = new.raise().await.unwrap();
        match old {
            Ok(_) => assert_eq!(level, 1, "round {round}: one below it lives"),
            Err(error) => assert!(matches!(error, Error::NewerFormat { .. }), "{error}"),
        }
        raised += level - 1;
    }
    println!("raised in {raised} of 200 rounds");
}

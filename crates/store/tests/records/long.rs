//! Values longer than one write of the store.

use std::sync::Arc;

use lockstep_protocol::record::{Header, Key};
use lockstep_protocol::{Compare, Op, Txn, Written};
use lockstep_store::kv::{Limits, Range};
use lockstep_store::records::check;
use lockstep_store::{Memory, Records};
use lockstep_types::{Content, Index, Patch, Revision, Unit};

use crate::support::{follow, next, path, records, target, unchanged, write};

const TIGHT: Limits = Limits { operations: 40, bytes: 4_000 };

fn patch(leaves: u64, length: usize) -> Patch {
    let unit = |n| Unit::present(Content::leaf(format!("{n}").repeat(length)), Index::new(n + 1));
    (0..leaves).map(|n| (path(&format!("/l[k={n}]/v")), unit(n))).collect()
}

fn configuration(committed: Patch) -> Op {
    let applied = Patch::new();
    Op::Configuration {
        target: target("leaf1"),
        header: Header::NEW,
        committed,
        applied,
        cleared: false,
    }
}

async fn parts(records: &Records) -> usize {
    let page = records.store().range(Range::prefix("body/")).await.unwrap();
    page.entries.len()
}

#[tokio::test]
async fn a_long_value_is_written_in_parts_and_read_whole() {
    let records = records(Memory::with_limits(TIGHT)).await;
    let mut watch = records.watch(records.revision().await.unwrap()).await.unwrap();
    let op = configuration(patch(100, 100));
    let first = vec![Compare::Absent(Key::Configuration(target("leaf1")))];
    let at = write(&records, first, vec![op.clone()]).await;
    assert!(parts(&records).await > 5);
    // The watch gives the parts as revisions in which nothing happens, and the record whole.
    let changes = loop {
        let changes = next(&mut watch).await;
        if changes.revision == at {
            break changes;
        }
        assert!(changes.ops.is_empty());
    };
    assert_eq!(changes.ops, [op]);
    let view = records.load().await.unwrap();
    assert_eq!(view.committed(&target("leaf1")).len(), 100);
    let mut watched = lockstep_protocol::View::new();
    let mut watch = records.watch(Revision::ZERO).await.unwrap();
    follow(&mut watch, &mut watched, view.revision()).await;
    assert_eq!(watched, view);

    // A snapshot of it, too, is longer than a write; what it replaces goes.
    records.fold(&target("leaf1")).await.unwrap();
    assert_eq!(records.load().await.unwrap().committed(&target("leaf1")).len(), 100);
    let checked = check(&**records.store()).await.unwrap();
    assert_eq!(checked.problems, Vec::<String>::new());
}

#[tokio::test]
async fn what_a_record_no_longer_names_goes_with_it() {
    let records = records(Memory::with_limits(TIGHT)).await;
    let marks = |length: usize| {
        let content = Some(Content::leaf("x".repeat(length)));
        let one = lockstep_protocol::record::Rewritten { wanted: content.clone(), seen: content };
        let marks = [(path("/a"), one)].into();
        vec![Op::Marks { target: target("leaf1"), marks }]
    };
    write(&records, vec![], marks(10_000)).await;
    let many = parts(&records).await;
    assert!(many > 10);
    write(&records, vec![], marks(3_000)).await;
    let fewer = parts(&records).await;
    assert!(fewer < many && fewer > 0, "{fewer} of {many}");
    // Another process learns of them by loading.
    let other = Records::open(Arc::clone(records.store())).await.unwrap();
    other.load().await.unwrap();
    write(&other, vec![], marks(10)).await;
    assert_eq!(parts(&records).await, 0);
}

#[tokio::test]
async fn a_write_that_is_stale_leaves_nothing() {
    let records = records(Memory::with_limits(TIGHT)).await;
    let absent = || vec![Compare::Absent(Key::Configuration(target("leaf1")))];
    write(&records, absent(), vec![configuration(patch(2, 1))]).await;
    let txn = Txn { compares: absent(), ops: vec![configuration(patch(100, 100))] };
    assert!(matches!(records.write(txn.clone()).await.unwrap(), Written::Stale(_)));
    assert_eq!(parts(&records).await, 0);
    let view = records.load().await.unwrap();
    let again = unchanged(&view, Key::Configuration(target("leaf1")));
    write(&records, vec![again], vec![configuration(patch(100, 100))]).await;
    assert_eq!(check(&**records.store()).await.unwrap().unused.keys, 0);
}

//! Transactions: compares, revisions, limits.

use std::sync::Arc;

use lockstep_protocol::Written;
use lockstep_store::kv::{Op, Range, Txn};
use lockstep_store::{Error, Store};
use lockstep_types::Revision;

use crate::support::{
    absent, checks, delete, entries, exists, put, read, revision, txn, unchanged, write,
};

checks!(
    a_write_happens_whole_or_not_at_all,
    each_compare_looks_at_the_last_write,
    a_write_that_changes_nothing_makes_no_revision,
    a_key_is_new_after_its_removal,
    a_write_has_limits,
    any_bytes_are_keys_and_values,
);

async fn a_write_happens_whole_or_not_at_all(store: Arc<dyn Store>) {
    let before = revision(&*store).await;
    let first = write(&*store, &[put("a", "1"), put("b", "1")]).await;
    assert_eq!(first, before.next());
    let stale = txn(&*store, &[exists("a"), absent("b")], &[put("a", "2"), put("c", "2")]).await;
    assert_eq!(stale, Written::Stale(first));
    assert_eq!(read(&*store, Range::all()).await, ["a=1", "b=1"]);
    let done = txn(&*store, &[exists("a")], &[put("a", "3"), delete("b"), put("c", "3")]).await;
    assert_eq!(done, Written::Done(first.next()));
    assert_eq!(read(&*store, Range::all()).await, ["a=3", "c=3"]);
}

async fn each_compare_looks_at_the_last_write(store: Arc<dyn Store>) {
    let first = write(&*store, &[put("a", "1")]).await;
    let second = write(&*store, &[put("b", "1")]).await;
    for (compare, holds) in [
        (unchanged("a", first), true),
        (unchanged("a", second), false),
        (unchanged("a", Revision::ZERO), false),
        (unchanged("z", Revision::ZERO), true),
        (unchanged("z", first), false),
        (exists("b"), true),
        (exists("z"), false),
        (absent("b"), false),
        (absent("z"), true),
    ] {
        let answer = txn(&*store, std::slice::from_ref(&compare), &[]).await;
        let expected = if holds { Written::Done(second) } else { Written::Stale(second) };
        assert_eq!(answer, expected, "{compare:?}");
    }
    let found = entries(&*store, Range::all()).await;
    assert_eq!(found.iter().map(|entry| entry.revision).collect::<Vec<_>>(), [first, second]);
}

async fn a_write_that_changes_nothing_makes_no_revision(store: Arc<dyn Store>) {
    let first = write(&*store, &[put("a", "1")]).await;
    assert_eq!(write(&*store, &[]).await, first);
    assert_eq!(write(&*store, &[delete("z")]).await, first);
    // The same value is a write all the same: whoever compared it has to look again.
    assert_eq!(write(&*store, &[put("a", "1")]).await, first.next());
}

async fn a_key_is_new_after_its_removal(store: Arc<dyn Store>) {
    let first = write(&*store, &[put("a", "1")]).await;
    write(&*store, &[delete("a")]).await;
    let gone = txn(&*store, &[absent("a"), unchanged("a", Revision::ZERO)], &[]).await;
    assert_eq!(gone, Written::Done(first.next()));
    let again = write(&*store, &[put("a", "1")]).await;
    assert_eq!(txn(&*store, &[unchanged("a", first)], &[]).await, Written::Stale(again));
}

async fn a_write_has_limits(store: Arc<dyn Store>) {
    let limits = store.limits();
    let keys = |count: usize| (0..count).map(|n| put(&format!("{n:06}"), "")).collect();
    let many = Txn { compares: Vec::new(), ops: keys(limits.operations + 1) };
    let refused = store.txn(many).await;
    assert!(
        matches!(&refused, Err(Error::TooLarge { operations, .. }) if *operations > limits.operations),
        "{refused:?}"
    );
    let compares = vec![absent("z"); limits.operations + 1];
    let refused = store.txn(Txn { compares, ops: Vec::new() }).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
    let large = Txn { compares: Vec::new(), ops: vec![Op::put(*b"a", vec![0; limits.bytes])] };
    let refused = store.txn(large).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
    let twice = Txn { compares: Vec::new(), ops: vec![put("a", "1"), delete("a")] };
    let refused = store.txn(twice).await;
    assert!(matches!(&refused, Err(Error::Twice(key)) if key == "a"), "{refused:?}");
    assert_eq!(read(&*store, Range::all()).await, [""; 0]);

    write(&*store, &keys(limits.operations)).await;
    let page = store.range(Range::all()).await.expect("a page");
    assert!(!page.entries.is_empty() && page.entries.len() <= limits.operations);
}

async fn any_bytes_are_keys_and_values(store: Arc<dyn Store>) {
    let keys: Vec<Vec<u8>> = vec![vec![], vec![0], vec![0, 0], b"k".to_vec(), vec![255; 3]];
    let ops: Vec<Op> = keys.iter().map(|key| Op::put(key.clone(), key.repeat(2))).collect();
    write(&*store, &ops).await;
    let found = entries(&*store, Range::all()).await;
    let found: Vec<Vec<u8>> = found.iter().map(|entry| entry.key.to_vec()).collect();
    assert_eq!(found, keys);
    for key in keys {
        let found = entries(&*store, Range::key(key.clone())).await;
        assert_eq!((found.len(), &*found[0].value), (1, &*key.repeat(2)));
    }
    assert_eq!(entries(&*store, Range::prefix([255])).await.len(), 1);
    assert_eq!(entries(&*store, Range::prefix([])).await.len(), 5);
}

//! Short forms for the checks.

use std::pin::Pin;
use std::sync::Arc;

use lockstep_protocol::Written;
use lockstep_store::kv::{Compare, Entry, Op, Range, Txn};
use lockstep_store::{Error, Store};
use lockstep_types::Revision;

/// A question to a store.
pub(crate) type Check = fn(Arc<dyn Store>) -> Pin<Box<dyn Future<Output = ()>>>;

/// Names the checks of a module.
macro_rules! checks {
    ($($name:ident),* $(,)?) => {
        pub(crate) const CHECKS: &[(&str, crate::support::Check)] =
            &[$((stringify!($name), |store| Box::pin($name(store)))),*];
    };
}
pub(crate) use checks;

pub(crate) fn put(key: &str, value: &str) -> Op {
    Op::put(key.as_bytes(), value.as_bytes())
}

pub(crate) fn delete(key: &str) -> Op {
    Op::Delete(key.as_bytes().into())
}

pub(crate) fn unchanged(key: &str, revision: Revision) -> Compare {
    Compare::Unchanged(key.as_bytes().into(), revision)
}

pub(crate) fn exists(key: &str) -> Compare {
    Compare::Exists(key.as_bytes().into())
}

pub(crate) fn absent(key: &str) -> Compare {
    Compare::Absent(key.as_bytes().into())
}

pub(crate) async fn txn(store: &dyn Store, compares: &[Compare], ops: &[Op]) -> Written {
    let txn = Txn { compares: compares.to_vec(), ops: ops.to_vec() };
    store.txn(txn).await.expect("an answer")
}

/// Writes without a condition; the revision it made.
pub(crate) async fn write(store: &dyn Store, ops: &[Op]) -> Revision {
    match txn(store, &[], ops).await {
        Written::Done(revision) => revision,
        Written::Stale(_) => panic!("a write without compares is stale"),
    }
}

/// What stands in a range, read in pages of two, as `key=value`.
pub(crate) async fn read(store: &dyn Store, range: Range) -> Vec<String> {
    let entries = entries(store, range).await;
    entries.iter().map(|e| format!("{}={}", text(&e.key), text(&e.value))).collect()
}

pub(crate) async fn entries(store: &dyn Store, range: Range) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut next = Some(range.limited(2));
    while let Some(range) = next {
        let page = store.range(range.clone()).await.expect("a page");
        assert!(page.entries.len() <= 2, "{page:?}");
        next = range.after(&page);
        found.extend(page.entries);
    }
    found
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

pub(crate) async fn revision(store: &dyn Store) -> Revision {
    store.revision().await.expect("a revision")
}

/// After a close every call says so.
pub(crate) async fn closed(store: &dyn Store) {
    assert!(matches!(store.txn(Txn::default()).await, Err(Error::Closed)));
    assert!(matches!(store.range(Range::all()).await, Err(Error::Closed)));
    assert!(matches!(store.revision().await, Err(Error::Closed)));
    assert!(matches!(store.watch(Revision::ZERO).await, Err(Error::Closed)));
    store.close().await.expect("closing twice is fine");
}

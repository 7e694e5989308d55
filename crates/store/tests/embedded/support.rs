//! Short forms.

use std::path::Path;

use lockstep_protocol::Written;
use lockstep_store::kv::{Op, Range, Txn};
use lockstep_store::{Embedded, Store};
use lockstep_types::Revision;

pub(crate) fn open(folder: &Path) -> Embedded {
    Embedded::open(folder).expect("a store")
}

pub(crate) async fn write(store: &Embedded, ops: Vec<Op>) -> Revision {
    match store.txn(Txn { compares: Vec::new(), ops }).await.expect("an answer") {
        Written::Done(revision) => revision,
        Written::Stale(_) => panic!("a write without compares is stale"),
    }
}

/// Every key in order, with the revision of its last write.
pub(crate) async fn keys(store: &Embedded) -> Vec<(String, Revision)> {
    let mut keys = Vec::new();
    let mut next = Some(Range::all());
    while let Some(range) = next {
        let page = store.range(range.clone()).await.expect("a page");
        next = range.after(&page);
        let text = |key: &[u8]| String::from_utf8(key.to_vec()).expect("text");
        keys.extend(page.entries.iter().map(|entry| (text(&entry.key), entry.revision)));
    }
    keys
}

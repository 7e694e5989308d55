//! Short forms.

use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::{Commit, Compare, Entry, Event, Op, Range, Txn};
use lockstep_store::{Error, Feed, Store};
use lockstep_types::Revision;
use tokio::time::timeout;

use crate::server::DEADLINE;

pub(crate) fn put(key: &str, value: &str) -> Op {
    Op::put(key.as_bytes(), value.as_bytes())
}

pub(crate) fn delete(key: &str) -> Op {
    Op::Delete(key.as_bytes().into())
}

pub(crate) fn absent(key: &str) -> Compare {
    Compare::Absent(key.as_bytes().into())
}

pub(crate) fn unchanged(key: &str, revision: Revision) -> Compare {
    Compare::Unchanged(key.as_bytes().into(), revision)
}

pub(crate) fn txn<'a>(
    store: &'a dyn Store,
    compares: &[Compare],
    ops: &[Op],
) -> impl Future<Output = Result<Written, Error>> + use<'a> {
    let txn = Txn { compares: compares.to_vec(), ops: ops.to_vec() };
    async move { timeout(DEADLINE, store.txn(txn)).await.expect("an answer in time") }
}

/// Writes without a condition; the revision it made.
pub(crate) async fn write(store: &dyn Store, ops: &[Op]) -> Revision {
    match txn(store, &[], ops).await.expect("an answer") {
        Written::Done(revision) => revision,
        Written::Stale(_) => panic!("a write without compares is stale"),
    }
}

/// Does the same again until it goes well, as long as that is worth trying.
pub(crate) async fn insist<T, F>(mut attempt: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<T, Error>>,
{
    let insist = async {
        loop {
            match attempt().await {
                Ok(done) => return done,
                Err(error) => assert!(error.is_retryable(), "{error:?}"),
            }
        }
    };
    timeout(DEADLINE, insist).await.expect("an answer in time")
}

/// What stands under a key.
pub(crate) async fn get(store: &dyn Store, key: &str) -> Option<Entry> {
    insist(|| store.range(Range::key(key))).await.entries.pop()
}

/// Everything a store holds, at one revision.
pub(crate) async fn all(store: &dyn Store) -> (Revision, Vec<Entry>) {
    let (mut found, mut range) = (Vec::new(), Range::all());
    loop {
        let page = insist(|| store.range(range.clone())).await;
        let next = range.after(&page);
        found.extend(page.entries);
        match next {
            Some(next) => range = next,
            None => return (page.revision, found),
        }
    }
}

pub(crate) async fn watch(store: &dyn Store, after: Revision) -> Box<dyn Feed> {
    insist(|| store.watch(after)).await
}

pub(crate) async fn next(feed: &mut Box<dyn Feed>) -> Commit {
    timeout(DEADLINE, feed.next()).await.expect("a revision in time").expect("a revision")
}

/// What changed, as `key=value` or `-key`.
pub(crate) fn told(commit: &Commit) -> Vec<String> {
    let text = String::from_utf8_lossy;
    let event = |event: &Event| match event {
        Event::Put(entry) => format!("{}={}", text(&entry.key), text(&entry.value)),
        Event::Delete(key) => format!("-{}", text(key)),
    };
    commit.events.iter().map(event).collect()
}

/// Waits for a condition.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(DEADLINE, wait).await.unwrap_or_else(|_| panic!("waited in vain for {what}"));
}

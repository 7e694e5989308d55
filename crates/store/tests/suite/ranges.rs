//! Range reads: order, pages, the past.

use std::sync::Arc;

use lockstep_store::kv::{Op, Range};
use lockstep_store::{Error, Store};

use crate::support::{checks, delete, entries, put, read, revision, write};

checks!(
    a_range_is_in_order_and_ends_where_it_is_told,
    the_past_is_read_as_it_was,
    pages_make_one_picture_while_others_write,
    a_large_page_ends_early,
    what_is_too_old_or_yet_to_come_is_said,
);

async fn a_range_is_in_order_and_ends_where_it_is_told(store: Arc<dyn Store>) {
    let keys = ["b/1", "a/2", "b", "a/1", "b/2", "c", "a/10"];
    write(&*store, &keys.map(|key| put(key, "x"))).await;
    assert_eq!(
        read(&*store, Range::all()).await,
        ["a/1=x", "a/10=x", "a/2=x", "b=x", "b/1=x", "b/2=x", "c=x"]
    );
    assert_eq!(read(&*store, Range::prefix("b/")).await, ["b/1=x", "b/2=x"]);
    assert_eq!(read(&*store, Range::key("b")).await, ["b=x"]);
    assert_eq!(read(&*store, Range::key("bb")).await, [""; 0]);
    let backwards = Range { from: b"c".into(), until: Some(b"a".into()), ..Range::default() };
    assert_eq!(read(&*store, backwards).await, [""; 0]);
}

async fn the_past_is_read_as_it_was(store: Arc<dyn Store>) {
    let start = revision(&*store).await;
    let first = write(&*store, &[put("a", "1"), put("b", "1"), put("d", "1")]).await;
    let second = write(&*store, &[put("b", "2"), delete("d"), put("c", "2")]).await;
    let third = write(&*store, &[delete("a"), put("d", "3"), put("c", "3")]).await;
    let all = Range::all;
    assert_eq!(read(&*store, all().at(start)).await, [""; 0]);
    assert_eq!(read(&*store, all().at(first)).await, ["a=1", "b=1", "d=1"]);
    assert_eq!(read(&*store, all().at(second)).await, ["a=1", "b=2", "c=2"]);
    assert_eq!(read(&*store, all().at(third)).await, ["b=2", "c=3", "d=3"]);
    assert_eq!(read(&*store, all()).await, ["b=2", "c=3", "d=3"]);
    let then = entries(&*store, all().at(second)).await;
    let revisions: Vec<_> = then.iter().map(|entry| entry.revision).collect();
    assert_eq!(revisions, [first, second, second]);
}

async fn pages_make_one_picture_while_others_write(store: Arc<dyn Store>) {
    let keys: Vec<String> = (0..40).map(|n| format!("{n:02}")).collect();
    let all = |value: &str| keys.iter().map(|key| put(key, value)).collect::<Vec<Op>>();
    write(&*store, &all("0")).await;
    let busy = Arc::clone(&store);
    let writer = tokio::spawn({
        let rounds: Vec<Vec<Op>> = (1..200).map(|round| all(&round.to_string())).collect();
        async move {
            for ops in rounds {
                write(&*busy, &ops).await;
            }
        }
    });
    while !writer.is_finished() {
        let found = entries(&*store, Range::all()).await;
        assert_eq!(found.len(), keys.len());
        assert!(found.iter().all(|entry| entry.value == found[0].value), "{found:?}");
    }
    writer.await.expect("the writer");
}

async fn a_large_page_ends_early(store: Arc<dyn Store>) {
    let half = vec![7; 700 << 10];
    for key in [*b"a", *b"b", *b"c"] {
        write(&*store, &[Op::put(key, half.clone())]).await;
    }
    let page = store.range(Range::all()).await.expect("a page");
    assert_eq!((page.entries.len(), page.next), (2, Some(b"c".to_vec())));
}

async fn what_is_too_old_or_yet_to_come_is_said(store: Arc<dyn Store>) {
    let early = write(&*store, &[put("a", "early")]).await;
    let ahead = store.range(Range::all().at(early.next())).await;
    assert!(
        matches!(ahead, Err(Error::Future { asked, current }) if asked == early.next() && current == early),
        "{ahead:?}"
    );
    forget(&*store).await;
    let behind = store.range(Range::all().at(early)).await;
    assert!(matches!(behind, Err(Error::Compacted { asked, .. }) if asked == early), "{behind:?}");
    let late = revision(&*store).await;
    assert_eq!(entries(&*store, Range::key("a").at(late)).await.len(), 1);
}

/// Makes a store forget what was before: by writing much, or by telling it to. At least the last
/// revision is kept.
pub(crate) async fn forget(store: &dyn Store) {
    let large = vec![1; store.limits().bytes.min(4 << 20) - 16];
    let mut made = Vec::new();
    for _ in 0..20 {
        made.push(write(store, &[Op::put(*b"large", large.clone())]).await);
    }
    store.compact(made[made.len() - 2]).await.expect("an answer");
}

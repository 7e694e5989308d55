//! The folder: one process at a time, clean afterwards, and what a lease leaves behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lockstep_store::kv::{Event, Op};
use lockstep_store::{Embedded, Error, Store};
use lockstep_types::Revision;

use crate::support::{keys, open, write};

#[tokio::test]
async fn what_was_written_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made/on/the/way");
    let store = open(&path);
    let first = write(&store, vec![Op::put(*b"a", *b"1"), Op::put(*b"b", *b"1")]).await;
    let last = write(&store, vec![Op::put(*b"b", *b"2")]).await;
    let before = keys(&store).await;
    assert_eq!(before, [("a".into(), first), ("b".into(), last)]);
    store.close().await.unwrap();
    let store = open(&path);
    assert_eq!(keys(&store).await, before);
    assert_eq!(store.revision().await.unwrap(), last);
    assert_eq!(write(&store, vec![Op::put(*b"c", *b"3")]).await, last.next());
    // Earlier revisions are not kept across an opening, and that is said.
    let early = store.watch(first).await;
    assert!(matches!(early, Err(Error::Compacted { oldest, .. }) if oldest == last), "{early:?}");
}

#[tokio::test]
async fn a_folder_has_one_holder_who_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let second = Embedded::open(folder.path());
    let Err(Error::Held { pid, .. }) = &second else { panic!("{second:?}") };
    assert_eq!(*pid, Some(std::process::id()));
    let said = second.unwrap_err().to_string();
    assert!(said.contains(&format!("process {}", std::process::id())), "{said}");
    drop(store);
    drop(open(folder.path()));
}

#[test]
fn a_folder_that_is_none_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "text").unwrap();
    assert!(matches!(Embedded::open(&file), Err(Error::Folder { .. })));
    std::fs::write(folder.path().join("store.redb"), "not a database").unwrap();
    let refused = Embedded::open(folder.path());
    assert!(matches!(refused, Err(Error::Damaged { .. })), "{refused:?}");
}

#[tokio::test]
async fn leases_end_with_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let lease = store.grant(Duration::from_secs(600)).await.unwrap();
    let leased = |key: u8| Op::Put { key: [key].into(), value: [].into(), lease: Some(lease) };
    let last = write(&store, vec![leased(b'a'), leased(b'b'), Op::put(*b"c", *b"")]).await;
    store.close().await.unwrap();

    let store = open(folder.path());
    assert_eq!(keys(&store).await, [("c".into(), last)]);
    // The first revision of this process, for those who knew the store before.
    let mut feed = store.watch(last).await.unwrap();
    let commit = feed.next().await.unwrap();
    assert_eq!(commit.revision, last.next());
    let gone = |key: u8| Event::Delete([key].into());
    assert_eq!(&*commit.events, [gone(b'a'), gone(b'b')]);
    let kept = store.keep(lease).await;
    assert!(matches!(kept, Err(Error::LeaseGone(_))), "{kept:?}");
    assert_ne!(store.grant(Duration::from_secs(1)).await.unwrap(), lease);
    store.close().await.unwrap();

    let store = open(folder.path());
    assert_eq!(store.revision().await.unwrap(), last.next(), "there was nothing to drop");
}

#[tokio::test]
async fn a_close_leaves_the_file_clean() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let writes = (0..20).map(|n: u8| {
        let store = store.clone();
        tokio::spawn(async move { write(&store, vec![Op::put([n], [n])]).await })
    });
    for write in writes.collect::<Vec<_>>() {
        write.await.unwrap();
    }
    store.close().await.unwrap();
    let repaired = Arc::new(AtomicBool::new(false));
    let notice = Arc::clone(&repaired);
    let mut opening = redb::Database::builder();
    opening.set_repair_callback(move |_| notice.store(true, Ordering::Relaxed));
    drop(opening.open(folder.path().join("store.redb")).unwrap());
    assert!(!repaired.load(Ordering::Relaxed), "the file had to be repaired");
}

#[tokio::test]
async fn a_close_finishes_what_was_asked_before() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut asked: Vec<_> = (0..50_u8)
        .map(|n| {
            store.txn(lockstep_store::kv::Txn { compares: vec![], ops: vec![Op::put([n], [n])] })
        })
        .collect();
    // Each is queued when it is first polled; nobody waits for the answers yet.
    for asked in &mut asked {
        let polled = futures_poll(asked.as_mut()).await;
        assert!(polled.is_none() || matches!(polled, Some(Ok(_))), "{polled:?}");
    }
    store.close().await.unwrap();
    drop(asked);
    assert_eq!(keys(&open_again(store, folder.path())).await.len(), 50);
}

fn open_again(closed: Embedded, folder: &std::path::Path) -> Embedded {
    drop(closed);
    open(folder)
}

/// Polls once.
async fn futures_poll<T>(
    mut pending: std::pin::Pin<&mut (impl Future<Output = T> + ?Sized)>,
) -> Option<T> {
    std::future::poll_fn(|context| match pending.as_mut().poll(context) {
        std::task::Poll::Ready(done) => std::task::Poll::Ready(Some(done)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

#[tokio::test]
async fn an_empty_folder_starts_at_zero() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(open(folder.path()).revision().await.unwrap(), Revision::ZERO);
}

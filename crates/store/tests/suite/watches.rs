//! The watch: whole revisions, in order, without a gap.

use std::sync::Arc;

use lockstep_store::kv::{Commit, Event};
use lockstep_store::{Error, Feed, Store};
use lockstep_types::Revision;

use crate::ranges::forget;
use crate::support::{absent, checks, delete, put, revision, text, txn, write};

checks!(
    a_watch_tells_what_was_and_what_will_be,
    a_revision_is_whole,
    many_watchers_see_the_same,
    a_watcher_from_the_future_waits,
    a_watcher_that_falls_behind_is_told,
    a_watcher_hears_of_the_end,
);

fn told(commit: &Commit) -> Vec<String> {
    let event = |event: &Event| match event {
        Event::Put(entry) => {
            assert_eq!(entry.revision, commit.revision);
            format!("{}={}", text(&entry.key), text(&entry.value))
        }
        Event::Delete(key) => format!("-{}", text(key)),
    };
    commit.events.iter().map(event).collect()
}

async fn watch(store: &dyn Store, after: Revision) -> Box<dyn Feed> {
    store.watch(after).await.expect("a watch")
}

async fn next(feed: &mut Box<dyn Feed>) -> Commit {
    feed.next().await.expect("a revision")
}

async fn a_watch_tells_what_was_and_what_will_be(store: Arc<dyn Store>) {
    let start = revision(&*store).await;
    let first = write(&*store, &[put("b", "1"), put("a", "1")]).await;
    let mut feed = watch(&*store, start).await;
    let mut late = watch(&*store, first).await;
    // Neither a stale write nor one that changes nothing is told.
    txn(&*store, &[absent("a")], &[put("a", "2")]).await;
    write(&*store, &[delete("z")]).await;
    write(&*store, &[delete("a"), delete("z"), put("c", "1")]).await;

    let commit = next(&mut feed).await;
    assert_eq!((commit.revision, told(&commit)), (first, vec!["b=1".into(), "a=1".into()]));
    for feed in [&mut feed, &mut late] {
        let commit = next(feed).await;
        assert_eq!(commit.revision, first.next());
        assert_eq!(told(&commit), ["-a", "c=1"]);
    }
}

async fn a_revision_is_whole(store: Arc<dyn Store>) {
    let start = revision(&*store).await;
    let mut feed = watch(&*store, start).await;
    let mut expected = start;
    let writers: Vec<_> = (0..8).map(|n| tokio::spawn(pairs(Arc::clone(&store), n))).collect();
    let mut pairs = 0;
    while pairs < 8 * 25 {
        expected = expected.next();
        let commit = next(&mut feed).await;
        // More than one where some of them share a revision.
        let told = told(&commit);
        assert_eq!(commit.revision, expected, "a gap");
        assert!(!told.is_empty() && told.len().is_multiple_of(2), "torn: {told:?}");
        for pair in told.chunks(2) {
            assert_eq!(pair[0][1..], pair[1][1..], "mixed: {told:?}");
        }
        pairs += told.len() / 2;
    }
    for writer in writers {
        writer.await.expect("a writer");
    }
}

async fn pairs(store: Arc<dyn Store>, writer: usize) {
    for round in 0..25 {
        let value = round.to_string();
        let (a, b) = (format!("a{writer}"), format!("b{writer}"));
        write(&*store, &[put(&a, &value), put(&b, &value)]).await;
    }
}

async fn many_watchers_see_the_same(store: Arc<dyn Store>) {
    let start = revision(&*store).await;
    let mut watchers = Vec::new();
    for _ in 0..10 {
        let mut feed = watch(&*store, start).await;
        watchers.push(tokio::spawn(async move {
            let (mut seen, mut events) = (Vec::new(), 0);
            while events < 100 {
                let commit = next(&mut feed).await;
                events += commit.events.len();
                seen.push(commit);
            }
            seen
        }));
    }
    tokio::join!(pairs(Arc::clone(&store), 0), pairs(Arc::clone(&store), 1));
    let mut seen = Vec::new();
    for watcher in watchers {
        seen.push(watcher.await.expect("a watcher"));
    }
    assert!(seen.iter().all(|one| *one == seen[0]));
}

async fn a_watcher_from_the_future_waits(store: Arc<dyn Store>) {
    let now = revision(&*store).await;
    let mut feed = watch(&*store, now.next().next()).await;
    for key in ["a", "b", "c"] {
        write(&*store, &[put(key, "1")]).await;
    }
    assert_eq!(told(&next(&mut feed).await), ["c=1"]);
}

async fn a_watcher_that_falls_behind_is_told(store: Arc<dyn Store>) {
    let early = write(&*store, &[put("a", "early")]).await;
    let mut slow = watch(&*store, early).await;
    forget(&*store).await;
    // Some stores read ahead for a watcher, so it may come a while, or all the way.
    let (mut reached, last) = (early, revision(&*store).await);
    while reached < last {
        match slow.next().await {
            Ok(commit) => {
                assert_eq!(commit.revision, reached.next(), "a gap");
                reached = commit.revision;
            }
            Err(Error::Compacted { asked, .. }) if asked == reached => break,
            Err(error) => panic!("{error:?}"),
        }
    }
    let again = store.watch(early).await;
    let Err(Error::Compacted { oldest, .. }) = again else { panic!("{again:?}") };
    let mut feed = watch(&*store, oldest).await;
    assert_eq!(next(&mut feed).await.revision, oldest.next());
}

async fn a_watcher_hears_of_the_end(store: Arc<dyn Store>) {
    let mut feed = watch(&*store, revision(&*store).await).await;
    let waiting = tokio::spawn(async move { (feed.next().await, feed.next().await) });
    let last = write(&*store, &[put("a", "1")]).await;
    store.close().await.expect("a close");
    let (told, end) = waiting.await.expect("the watcher");
    assert_eq!(told.expect("what was written before").revision, last);
    assert!(matches!(end, Err(Error::Closed)), "{end:?}");
}

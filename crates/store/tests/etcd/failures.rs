//! Members die and stall while writers write.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lockstep_protocol::Written;
use lockstep_store::kv::Range;
use lockstep_store::{Etcd, Feed, Store};
use lockstep_types::Revision;
use tokio::sync::watch as channel;

use crate::common::{
    absent, all, get, insist, next, put, told, txn, unchanged, until, watch, write,
};
use crate::server::Cluster;

/// What a writer was told: each value it tried, with the revision if it was said to be done.
type Tried = BTreeMap<String, Option<Revision>>;

/// Counts up a key of its own, each try with a value nobody else writes. Every other writer does so
/// without a compare, so that a write that is sent twice happens twice.
async fn count(
    store: Etcd,
    writer: usize,
    done: Arc<AtomicU64>,
    stop: channel::Receiver<bool>,
) -> Tried {
    let key = format!("counter{writer}");
    let (mut tried, mut at) = (Tried::new(), Revision::ZERO);
    for attempt in 0.. {
        if *stop.borrow() {
            break;
        }
        let value = format!("{writer}.{attempt}");
        let ops = [put(&key, &value), put(&format!("log/{value}"), "")];
        let compares = [unchanged(&key, at)];
        let compares = if writer.is_multiple_of(2) { &compares[..] } else { &[] };
        let answer = txn(&store, compares, &ops).await;
        match answer {
            Ok(Written::Done(made)) => {
                tried.insert(value, Some(made));
                at = made;
                done.fetch_add(1, Ordering::Relaxed);
            }
            // Decided again on what is there, whatever became of it.
            Ok(Written::Stale(_)) => at = get(&store, &key).await.expect("a counter").revision,
            Err(error) => {
                assert!(error.is_retryable(), "{error:?}");
                tried.insert(value, None);
                at = get(&store, &key).await.map_or(Revision::ZERO, |entry| entry.revision);
            }
        }
    }
    tried
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_that_dies_or_stalls_takes_nothing_with_it() {
    const WRITERS: usize = 24;
    let mut cluster = Cluster::start(3);
    let store = Etcd::open(&cluster.quick("leader")).await.unwrap();
    let start = store.revision().await.unwrap();
    let mut feed = watch(&store, start).await;
    let (stop, stopped) = channel::channel(false);
    let done = Arc::new(AtomicU64::new(0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|n| tokio::spawn(count(store.clone(), n, Arc::clone(&done), stopped.clone())))
        .collect();
    let progress = async |more: u64| {
        let goal = done.load(Ordering::Relaxed) + more;
        until("progress", async || done.load(Ordering::Relaxed) >= goal).await;
    };
    for stall in [false, true] {
        progress(300).await;
        let leader = cluster.leader().await;
        if stall {
            // What it has in its hands it may carry out later, when it goes on.
            cluster.member(leader).stall();
            progress(300).await;
            cluster.member(leader).resume();
        } else {
            cluster.member(leader).kill();
            progress(300).await;
            cluster.member(leader).restart();
        }
    }
    progress(150).await;
    stop.send_replace(true);
    let mut tried = Tried::new();
    for writer in writers {
        tried.extend(writer.await.unwrap());
    }

    // A last write, so that the watch has an end.
    let last = loop {
        if let Ok(Written::Done(last)) = txn(&store, &[], &[put("end", "")]).await {
            break last;
        }
    };
    let mut seen: BTreeMap<String, Revision> = BTreeMap::new();
    let mut reached = start;
    while reached < last {
        let commit = next(&mut feed).await;
        assert!(commit.revision > reached, "out of order");
        reached = commit.revision;
        // Several that went together share a revision; each is there whole.
        let mut told = told(&commit);
        let logged: Vec<String> = told.extract_if(.., |text| text.starts_with("log/")).collect();
        for logged in logged {
            let value = logged.trim_start_matches("log/").trim_end_matches('=').to_owned();
            let counter = told.iter().position(|text| text.ends_with(&format!("={value}")));
            told.remove(counter.unwrap_or_else(|| panic!("torn: {value}, {told:?}")));
            assert_eq!(seen.insert(value.clone(), reached), None, "{value} was done twice");
        }
        assert!(told.is_empty() || told == ["end="], "torn: {told:?}");
    }
    let mut unknown = 0;
    for (value, made) in &tried {
        match made {
            Some(made) => assert_eq!(seen.get(value), Some(made), "{value} was lost"),
            None => unknown += 1,
        }
    }
    // Nothing that nobody tried, and nothing that is not in the store.
    assert!(seen.keys().all(|value| tried.contains_key(value)));
    let (_, entries) = all(&store).await;
    let stored = entries.iter().filter(|entry| entry.key.starts_with(b"log/")).count();
    assert_eq!(stored, seen.len());
    let (acknowledged, requests) = ((tried.len() - unknown) as u64, store.requests());
    assert!(requests < acknowledged, "they went together: {requests} requests");
    println!(
        "{acknowledged} acknowledged, {unknown} unknown, {} there, {requests} requests",
        seen.len()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_that_stalls_is_left() {
    let mut cluster = Cluster::start(3);
    let store = Etcd::open(&cluster.quick("stall")).await.unwrap();
    let start = write(&store, &[put("a", "1")]).await;
    let mut feed = watch(&store, start).await;

    // The first member is the one in use.
    cluster.member(0).stall();
    let first = txn(&store, &[absent("late")], &[put("late", "first")]).await;
    // It is left open unless the machine was too busy to get connected to that member.
    if let Err(error) = first {
        assert!(error.is_retryable(), "{error:?}");
        // Decided again, and maybe again, if there is no leader yet; each may still be in the hands of
        // some member.
        insist(|| txn(&store, &[absent("late")], &[put("late", "second")])).await;
    }
    let value = get(&store, "late").await.unwrap().value;
    let value = std::str::from_utf8(&value).unwrap();
    assert_eq!(told(&next(&mut feed).await), [format!("late={value}")]);
    for n in 0..20 {
        write_and_hear(&store, &mut feed, "b", &n.to_string()).await;
    }

    cluster.member(0).resume();
    // Once it answers with the present it has carried out what it had, if it ever will.
    let present = store.revision().await.unwrap();
    let mut raw = cluster.raw(0).await;
    until("the member to catch up", async || {
        let found = raw.get("x", None).await;
        found.is_ok_and(|found| found.header().unwrap().revision().cast_unsigned() >= present.get())
    })
    .await;
    let late = get(&store, "late").await.unwrap();
    assert_eq!(&*late.value, value.as_bytes());
    write_and_hear(&store, &mut feed, "c", "1").await;
}

/// Writes until it is done, and hears of it. Of a try without an answer it may hear too, but of
/// nothing else.
async fn write_and_hear(store: &Etcd, feed: &mut Box<dyn Feed>, key: &str, value: &str) {
    let made = insist(|| txn(store, &[], &[put(key, value)])).await;
    let Written::Done(made) = made else { panic!("{made:?}") };
    loop {
        let commit = next(feed).await;
        if !commit.events.is_empty() {
            assert_eq!(told(&commit), [format!("{key}={value}")]);
        }
        if commit.revision >= made {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_member_in_the_list_is_no_hindrance() {
    let mut cluster = Cluster::start(3);
    cluster.member(0).kill();
    let mut options = cluster.options("dead");
    options.timeout = Duration::from_millis(700);
    let store = insist(|| Etcd::open(&options)).await;
    let made = insist(|| txn(&store, &[], &[put("a", "1")])).await;
    assert!(matches!(made, Written::Done(_)), "{made:?}");
    let entry = get(&store, "a").await.unwrap();
    assert_eq!(Written::Done(entry.revision), made);

    // Without a majority nothing is answered, and nothing is made up.
    cluster.member(1).kill();
    let lost = txn(&store, &[], &[put("a", "2")]).await;
    assert!(lost.as_ref().is_err_and(|error| error.is_retryable()), "{lost:?}");
    let lost = store.range(Range::all()).await;
    assert!(lost.as_ref().is_err_and(|error| error.is_retryable()), "{lost:?}");
    cluster.member(1).restart();
    let found = insist(|| store.range(Range::key("a"))).await.entries;
    // The write without an answer may have happened or not.
    assert!([b"1", b"2"].contains(&<&[u8; 1]>::try_from(&*found[0].value).unwrap()));
}

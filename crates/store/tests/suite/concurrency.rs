//! Many writers at once: compares are evaluated one after the other.

use std::sync::Arc;

use lockstep_protocol::Written;
use lockstep_store::Store;
use lockstep_store::kv::Range;
use lockstep_types::Revision;

use crate::support::{absent, checks, entries, put, read, revision, text, txn, unchanged, write};

checks!(one_of_many_wins, a_counter_loses_no_step, a_write_is_seen_once_it_is_answered);

async fn one_of_many_wins(store: Arc<dyn Store>) {
    let tries = (0..32).map(|n| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let value = n.to_string();
            (value.clone(), txn(&*store, &[absent("winner")], &[put("winner", &value)]).await)
        })
    });
    let tries: Vec<_> = tries.collect();
    let mut winners = Vec::new();
    for attempt in tries {
        if let (value, Written::Done(_)) = attempt.await.expect("an attempt") {
            winners.push(format!("winner={value}"));
        }
    }
    assert_eq!(read(&*store, Range::all()).await, winners);
}

async fn a_counter_loses_no_step(store: Arc<dyn Store>) {
    let start = write(&*store, &[put("counter", "0")]).await;
    let tasks: Vec<_> = (0..8).map(|_| tokio::spawn(count(Arc::clone(&store), 10))).collect();
    for task in tasks {
        task.await.expect("a counter");
    }
    assert_eq!(read(&*store, Range::all()).await, ["counter=80"]);
    assert_eq!(revision(&*store).await, Revision::new(start.get() + 80));
}

async fn count(store: Arc<dyn Store>, steps: usize) {
    let mut done = 0;
    while done < steps {
        let found = entries(&*store, Range::key("counter")).await.remove(0);
        let next = text(&found.value).parse::<u64>().expect("a number") + 1;
        let compare = unchanged("counter", found.revision);
        let step = txn(&*store, &[compare], &[put("counter", &next.to_string())]).await;
        match step {
            Written::Done(made) => {
                assert!(made > found.revision);
                done += 1;
            }
            Written::Stale(at) => assert!(at > found.revision),
        }
    }
}

async fn a_write_is_seen_once_it_is_answered(store: Arc<dyn Store>) {
    let tasks: Vec<_> = (0..8).map(|n| tokio::spawn(see(Arc::clone(&store), n))).collect();
    for task in tasks {
        task.await.expect("a reader");
    }
}

async fn see(store: Arc<dyn Store>, writer: usize) {
    let key = format!("own{writer}");
    for round in 0..20 {
        let made = write(&*store, &[put(&key, &round.to_string())]).await;
        assert!(revision(&*store).await >= made);
        let page = store.range(Range::key(key.as_bytes())).await.expect("a page");
        assert!(page.revision >= made);
        assert_eq!(page.entries[0].revision, made);
        let then = store.range(Range::key(key.as_bytes()).at(made)).await.expect("a page");
        assert_eq!(then.entries, page.entries);
    }
}

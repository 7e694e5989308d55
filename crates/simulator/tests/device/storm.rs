//! Many clients at once, and a device that goes away under them.

use std::collections::BTreeMap;

use lockstep_simulator::journal::{Effect, Entry, Kind};
use lockstep_types::{Configuration, Path};
use serde_json::json;
use tokio::task::JoinSet;
use tonic::transport::Endpoint;

use crate::ask::Ask;
use crate::stage::{Client, Stage};

/// Each client writes the same text to both leaves, again and again, with ever larger ids. They
/// connect again by themselves.
async fn client(address: String, number: u64) {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    let mut client = Client::new(endpoint.connect_lazy());
    for round in 0..40 {
        let text = format!("c{number}-{round}");
        let set = Ask::new()
            .master("lockstep", 1, round)
            .update("/system/motd", json!(text))
            .update("/system/hostname", json!(text));
        // Refused, cut off or accepted: the journal says what may be.
        let _any = set.send(&mut client).await;
    }
}

fn both(tree: &Configuration) -> [Option<String>; 2] {
    ["/system/motd", "/system/hostname"].map(|path| {
        let path: Path = path.parse().expect("a path");
        tree.get(&path).map(|content| format!("{content:?}"))
    })
}

/// What holds from one entry to the next.
fn check(entries: &[Entry]) {
    let mut masters = BTreeMap::new();
    for entry in entries {
        let [motd, hostname] = both(entry.configuration.as_ref().expect("from near"));
        assert_eq!(motd, hostname, "half a Set is seen: {entry:?}");
        if let (Kind::Set, Effect::Done) = (entry.kind, &entry.effect) {
            let newest = masters.entry(entry.boot).or_insert(entry.election);
            assert!(entry.election >= *newest, "an old master wrote: {entry:?}");
            *newest = entry.election;
        }
    }
    for pair in entries.windows(2) {
        let [before, after] = pair else { continue };
        let changed = before.configuration != after.configuration;
        assert!(!changed || after.effect == Effect::Done, "a refused Set changed it: {after:?}");
        assert!(after.boot >= before.boot, "written by a device that was gone: {after:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sets_are_whole_and_fenced_whatever_happens() {
    let stage = Stage::new().await;
    let mut clients = JoinSet::new();
    for number in 0..6 {
        clients.spawn(client(stage.device().address().to_string(), number));
    }
    for keep in [true, false, true, true, false, true] {
        let seen = stage.device().journal().last().map_or(0, |entry| entry.number);
        stage.device().restart(keep).await.unwrap();
        // Some Sets of the new boot, or the end of all clients.
        while stage.device().journal_after(seen).len() < 12 && !clients.is_empty() {
            clients.try_join_next();
            tokio::task::yield_now().await;
        }
    }
    clients.join_all().await;
    let journal = stage.device().journal();
    let done = journal.iter().filter(|one| one.kind == Kind::Set && one.effect == Effect::Done);
    assert!(done.count() > 6, "hardly anything happened: {}", journal.len());
    check(&journal);
}

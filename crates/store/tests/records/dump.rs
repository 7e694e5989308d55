//! A dump holds everything, goes into any kind of store, and is never half there.

use std::sync::Arc;

use lockstep_protocol::View;
use lockstep_store::kv::{self, Limits, Range};
use lockstep_store::records::dump::{self, Error as Wrong, Imported, Progress};
use lockstep_store::records::{LEVEL, check};
use lockstep_store::{Embedded, Error, Memory, Records, Store};
use lockstep_types::{Epoch, Target};
use tokio::sync::mpsc;

use crate::support::records;
use crate::world::World;

/// A store after a life of its own, with a session that still lives.
async fn lived() -> Records {
    let records = records(Memory::new()).await;
    let mut world = World::start(records.clone(), 7, 1).await;
    for _ in 0..3_000 {
        world.step().await;
    }
    world.view().await;
    records
}

async fn export(records: &Records) -> Vec<u8> {
    let (out, mut blocks) = mpsc::channel(4);
    let exporting = tokio::spawn({
        let records = records.clone();
        async move { records.export(&out).await }
    });
    let mut dump = Vec::new();
    while let Some(block) = blocks.recv().await {
        assert!(block.ends_with(b"\n"), "blocks are whole lines");
        dump.extend(block);
    }
    let done = exporting.await.unwrap().unwrap();
    let lines = dump.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(done, Progress { entries: lines as u64 - 2, bytes: dump.len() as u64 });
    dump
}

async fn import(store: &dyn Store, dump: &[u8]) -> Result<Imported, Wrong> {
    dump::import(store, dump, Epoch::ZERO, |_| {}).await
}

fn targets(view: &View) -> Vec<Target> {
    view.targets().cloned().collect()
}

/// The same, but for revisions and sessions.
fn same(one: &View, other: &View) {
    assert_eq!(one.head(), other.head());
    assert!(one.transactions().eq(other.transactions()));
    assert!(one.proposals().eq(other.proposals()));
    assert_eq!(targets(one), targets(other));
    for on in targets(one) {
        assert_eq!(one.configuration(&on), other.configuration(&on), "{on}");
        assert_eq!(one.marks(&on), other.marks(&on));
        assert_eq!(one.mastership(&on), other.mastership(&on));
        assert_eq!(one.binding(&on), other.binding(&on));
        assert!(one.apply_queue(&on).eq(other.apply_queue(&on)));
    }
    for transaction in one.transactions() {
        assert!(other.named(&transaction.id).is_some_and(|found| found.index == transaction.index));
    }
}

#[tokio::test]
async fn a_dump_moves_between_stores_of_any_kind() {
    let first = lived().await;
    let folder = tempfile::tempdir().unwrap();
    let tight = Limits { operations: 30, bytes: 2_500 };
    let stores: [Arc<dyn Store>; 3] = [
        Arc::new(Embedded::open(folder.path()).unwrap()),
        Arc::new(Memory::with_limits(tight)),
        Arc::new(Memory::new()),
    ];
    let before = first.load().await.unwrap();
    assert!(before.sessions().next().is_some());
    let mut last = first.clone();
    let mut lines = export(&first).await;
    for store in stores {
        let imported = import(&*store, &lines).await.unwrap();
        assert_eq!(imported.epoch, last.epoch().next());
        let records = Records::open(Arc::clone(&store)).await.unwrap();
        assert_eq!(records.epoch(), imported.epoch);
        let view = records.load().await.unwrap();
        same(&before, &view);
        assert_eq!(view.sessions().count(), 0);
        let checked = check(&*store).await.unwrap();
        assert_eq!(checked.problems, Vec::<String>::new());
        // But for the first line, with its epoch and revision, and the digest of it.
        let again = export(&records).await;
        let body = |dump: &[u8]| -> Vec<String> {
            let lines: Vec<String> =
                std::str::from_utf8(dump).unwrap().lines().map(ToOwned::to_owned).collect();
            lines[1..lines.len() - 1].to_vec()
        };
        assert_eq!(body(&again), body(&lines));
        // Life goes on in it, from what was there.
        let mut world = World::start(records.clone(), 8, 1_000_000).await;
        for _ in 0..300 {
            world.step().await;
        }
        let lived: &View = world.view().await;
        crate::same::same(lived, &records.load().await.unwrap());
        (last, lines) = (records.clone(), again);
    }
}

/// Also of what only some stores hold, such as the parts of a transaction that goes beyond one write.
#[tokio::test]
async fn a_dump_has_records_of_every_kind() {
    let records = lived().await;
    let put = |key: &str, value: &str| kv::Op::put(key.as_bytes(), value.as_bytes());
    let number = format!("{:020}", 1);
    let ops = vec![
        put("horizon", "\u{1}{\"index\":0,\"since\":0}"),
        put(&format!("part/{number}/leaf1"), "\u{1}{\"status\":\"applied\",\"rolled_back_by\":2}"),
    ];
    records.store().txn(kv::Txn { compares: vec![], ops }).await.unwrap();
    let other = Memory::new();
    import(&other, &export(&records).await).await.unwrap();
    for kind in ["head", "horizon", "id/", "transaction/", "proposal/", "part/", "binding/"] {
        let there = records.store().range(Range::prefix(kind)).await.unwrap().entries;
        let here = other.range(Range::prefix(kind)).await.unwrap().entries;
        assert!(!there.is_empty(), "{kind}");
        let pairs = |entries: &[kv::Entry]| -> Vec<_> {
            entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect()
        };
        assert_eq!(pairs(&here), pairs(&there), "{kind}");
    }
}

#[tokio::test]
async fn the_epoch_is_never_lower_than_asked_for() {
    let lines = export(&lived().await).await;
    let store = Memory::new();
    let far = Epoch::new(1 << 40);
    let imported = dump::import(&store, &*lines, far, |_| {}).await.unwrap();
    assert_eq!(imported.epoch, far);
}

#[tokio::test]
async fn only_an_empty_store_takes_a_dump() {
    let lines = export(&lived().await).await;
    let store = Memory::new();
    import(&store, &lines).await.unwrap();
    let again = import(&store, &lines).await;
    assert!(matches!(again, Err(Wrong::NotEmpty)), "{again:?}");
}

/// Wherever it is cut, it is noticed, and what has come of it is not taken for a store.
#[tokio::test]
async fn a_dump_that_was_cut_leaves_no_store() {
    let lines = export(&lived().await).await;
    let cuts = (0..lines.len()).step_by(lines.len() / 97);
    for cut in cuts.chain([lines.len() - 1]) {
        let store = Arc::new(Memory::new());
        let taken = import(&*store, &lines[..cut]).await;
        assert!(matches!(taken, Err(Wrong::Cut { .. } | Wrong::NoDump)), "{cut}: {taken:?}");
        let verified = dump::verify(&lines[..cut], |_| {}).await;
        assert!(verified.is_err(), "{cut}");
        let empty = store.range(Range::all()).await.unwrap().entries.is_empty();
        let opened = Records::open(store.clone()).await;
        match opened {
            Ok(_) => assert!(empty, "{cut}"),
            Err(error) => assert!(matches!(error, Error::HalfImported), "{cut}: {error}"),
        }
        if !empty {
            let checked = check(&*store).await;
            assert!(matches!(checked, Err(Error::HalfImported)), "{checked:?}");
            assert!(matches!(import(&*store, &lines).await, Err(Wrong::NotEmpty)));
        }
    }
}

#[tokio::test]
async fn a_dump_that_was_changed_is_noticed() {
    let lines = export(&lived().await).await;
    let text = String::from_utf8(lines).unwrap();
    dump::verify(text.as_bytes(), |_| {}).await.unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let (second, beyond) = rest.split_once('\n').unwrap();
    let changed = [
        text.replace("operator", "nobody").replace("author", "auth0r"),
        text.replacen("\"a \\\\\"quoted", "\"b \\\\\"quoted", 1),
        text.replacen("\"entries\":", "\"entries\":1", 1),
        format!("{first}\n{beyond}"),
        format!("{first}\n{second}\n{second}\n{beyond}"),
        format!("{text}{second}\n"),
        format!("{first}\n{{\"kind\":\"session\",\"key\":\"session/x\",\"value\":{{}}}}\n{rest}"),
        format!("{first}\n\n{rest}"),
    ];
    for changed in changed {
        let verified = dump::verify(changed.as_bytes(), |_| {}).await;
        let right = matches!(verified, Err(Wrong::Changed | Wrong::Line { .. }));
        assert!(right || changed == text, "{verified:?}");
    }
    for other in ["", "\n", "{}\n", "text", "{\"kind\":\"x\",\"version\":1}\n"] {
        let verified = dump::verify(other.as_bytes(), |_| {}).await;
        assert!(matches!(verified, Err(Wrong::NoDump)), "{other}: {verified:?}");
    }
    let later =
        dump::verify(&b"{\"kind\":\"lockstep-store\",\"version\":2,\"new\":1}\n"[..], |_| {});
    let later = later.await;
    assert!(matches!(later, Err(Wrong::NewerForm { found: 2, known: 1 })), "{later:?}");
}

/// Writers do not stop for an export; what it shows stood at one moment.
#[tokio::test]
async fn an_export_beside_writers_is_whole() {
    let records = lived().await;
    let mut world = World::start(records.clone(), 9, 1_000_000).await;
    let (out, mut blocks) = mpsc::channel(1);
    let exporting = tokio::spawn({
        let records = records.clone();
        async move { records.export(&out).await }
    });
    let mut lines = Vec::new();
    while let Some(block) = blocks.recv().await {
        lines.extend(block);
        for _ in 0..200 {
            world.step().await;
        }
    }
    exporting.await.unwrap().unwrap();
    let store = Arc::new(Memory::new());
    import(&*store, &lines).await.unwrap();
    assert_eq!(check(&*store).await.unwrap().problems, Vec::<String>::new());
    Records::open(store).await.unwrap().load().await.unwrap();
}

#[tokio::test]
async fn a_check_names_what_is_wrong() {
    let records = lived().await;
    let store = records.store();
    let fine = check(&**store).await.unwrap();
    assert_eq!(fine.problems, Vec::<String>::new());
    assert_eq!((fine.level, fine.epoch), (LEVEL, records.epoch().get()));
    assert!(fine.kinds["transaction"].keys > 10 && fine.kinds["session"].keys == 1);
    let view = records.load().await.unwrap();
    let last = view.head().index;
    let keys = [
        (format!("transaction/{last:020}"), "\u{1}{}"),
        ("snapshot/leaf1".into(), "\u{1}{\"from\":1,\"chunks\":9}"),
        ("proposal/x".into(), ""),
        (format!("marks/{}", "leaf1"), "\u{2}{\"unique\":5,\"parts\":2}"),
    ];
    for (key, value) in keys {
        let op = kv::Op::put(key.as_bytes(), value.as_bytes());
        let txn = kv::Txn { compares: vec![], ops: vec![op] };
        store.txn(txn).await.unwrap();
    }
    let said = check(&**store).await.unwrap().problems.join("\n");
    for part in ["transaction/", "chunk/leaf1", "proposal/x", "body/marks%2Fleaf1"] {
        assert!(said.contains(part), "{said}");
    }
}

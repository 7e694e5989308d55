//! A configuration costs what changes in it, and is whole whenever it is read.

use std::sync::Arc;
use std::time::Duration;

use lockstep_protocol::record::Key;
use lockstep_protocol::{Op, View};
use lockstep_store::kv::{self, Limits, Range};
use lockstep_store::{Embedded, Feed, Memory, Records, Store, Watch};
use lockstep_types::{Content, Index, Patch, Path, Revision, Unit};

use crate::same::same;
use crate::support::{Dice, bound, follow, records, target, unchanged, write};

fn leaf(number: u64) -> Path {
    format!("/interfaces/interface[name=eth{number}]/config/description").parse().unwrap()
}

fn unit(value: &str, writer: u64) -> Unit {
    Unit::present(Content::leaf(value), Index::new(writer))
}

/// One target, watched.
struct Bench {
    records: Records,
    view: View,
    watch: Watch,
    writer: u64,
}

impl Bench {
    async fn new(records: Records) -> Self {
        write(&records, vec![], vec![bound(&target("leaf1"))]).await;
        let view = records.load().await.unwrap();
        let watch = records.watch(view.revision()).await.unwrap();
        Self { records, view, watch, writer: 0 }
    }

    /// One write of the configuration, to both trees or to the committed one alone.
    async fn change(&mut self, patch: Patch, both: bool) {
        let applied = if both { patch.clone() } else { Patch::new() };
        self.write((patch, applied), false).await;
    }

    /// The target is removed, and this is what comes in its place in the same write.
    async fn clear(&mut self, patch: Patch) -> Revision {
        self.write((patch.clone(), patch), true).await
    }

    async fn write(&mut self, (committed, applied): (Patch, Patch), cleared: bool) -> Revision {
        self.writer += 1;
        let on = target("leaf1");
        let mut header = self.view.header(&on).clone();
        header.committed.index = Index::new(self.writer);
        let compare = unchanged(&self.view, Key::Configuration(on.clone()));
        let op = Op::Configuration { target: on, header, committed, applied, cleared };
        let made = write(&self.records, vec![compare], vec![op]).await;
        follow(&mut self.watch, &mut self.view, made).await;
        made
    }

    async fn set(&mut self, number: u64, value: &str) {
        let patch = [(leaf(number), unit(value, self.writer + 1))].into_iter().collect();
        self.change(patch, true).await;
    }

    async fn fill(&mut self, leaves: u64) {
        let unit = unit("to begin with", self.writer + 1);
        self.change((0..leaves).map(|n| (leaf(n), unit.clone())).collect(), true).await;
    }
}

/// Comes back when none of these keys is left.
async fn gone(store: &dyn Store, prefixes: [&str; 2]) {
    let gone = async {
        for prefix in prefixes {
            while keys(store, prefix).await > 0 {
                tokio::task::yield_now().await;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("it is still there");
}

/// The bytes of keys and values in each revision.
async fn bytes(feed: &mut Box<dyn Feed>, until: Revision) -> usize {
    let mut total = 0;
    loop {
        let commit = feed.next().await.unwrap();
        let events = commit.events.iter().map(|event| match event {
            kv::Event::Put(entry) => entry.key.len() + entry.value.len(),
            kv::Event::Delete(key) => key.len(),
        });
        total += events.sum::<usize>();
        if commit.revision == until {
            return total;
        }
    }
}

async fn keys(store: &dyn Store, prefix: &str) -> usize {
    let (mut count, mut next) = (0, Some(Range::prefix(prefix)));
    while let Some(range) = next {
        let page = store.range(range.clone()).await.unwrap();
        next = range.after(&page);
        count += page.entries.len();
    }
    count
}

/// A one-leaf write writes the same bytes whether there are ten leaves or four thousand, and folding
/// adds to that in proportion, not with the tree.
#[tokio::test]
async fn a_write_costs_what_it_changes() {
    let mut costs = Vec::new();
    for leaves in [10, 4_000] {
        let mut bench = Bench::new(records(Memory::new()).await).await;
        bench.fill(leaves).await;
        bench.records.fold(&target("leaf1")).await.unwrap();
        let start = bench.records.revision().await.unwrap();
        follow(&mut bench.watch, &mut bench.view, start).await;
        let mut feed = bench.records.store().watch(start).await.unwrap();
        for number in 0..100 {
            bench.set(number % 10, "changed").await;
        }
        let until = bench.records.revision().await.unwrap();
        costs.push(bytes(&mut feed, until).await / 100);
    }
    println!("bytes a one-leaf write, with 10 and 4000 leaves: {costs:?}");
    assert!(costs[1] < costs[0] + 20 && costs[0] < 800, "{costs:?}");
}

#[tokio::test]
async fn deltas_that_outgrow_the_snapshot_are_folded() {
    let store = Arc::new(Memory::new());
    let mut bench = Bench::new(Records::open(store.clone()).await.unwrap()).await;
    bench.fill(300).await;
    let (mut most, mut written) = (0, 0);
    let start = bench.view.revision();
    let mut feed = store.watch(start).await.unwrap();
    let writes = 2_000;
    for number in 0..writes {
        bench.set(number % 7, &format!("value {number}")).await;
        most = most.max(keys(&*store, "delta/").await);
        // Folding is done beside the writes.
        tokio::task::yield_now().await;
    }
    let until = bench.records.revision().await.unwrap();
    written += bytes(&mut feed, until).await;
    println!("{writes} writes: at most {most} deltas, {} bytes a write", written / 2_000);
    assert!(most < 700, "{most} deltas are never folded");
    assert!(written / 2_000 < 1_500, "folding costs too much");
    assert_eq!(keys(&*store, "snapshot/").await, 1);
    follow(&mut bench.watch, &mut bench.view, until).await;
    same(&bench.view, &bench.records.load().await.unwrap());
}

/// Through folds at any time, and openings, the trees stay what they are. The two trees differ, units
/// go, and absences have their writers.
#[tokio::test]
async fn a_configuration_is_whole_whenever_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Bench::new(records(Embedded::open(folder.path()).unwrap()).await).await;
    let mut dice = Dice::new(7);
    bench.fill(30).await;
    for _ in 0..120 {
        let writer = bench.writer + 1;
        let units = (0..dice.roll(4)).map(|_| {
            let unit = match dice.roll(4) {
                0 => Unit::NEVER,
                1 => Unit::absent(Index::new(writer)),
                _ => unit("other", writer),
            };
            (leaf(dice.roll(30)), unit)
        });
        let patch = units.collect();
        bench.change(patch, dice.chance(50)).await;
        if dice.chance(10) {
            bench.records.fold(&target("leaf1")).await.unwrap();
        }
        if dice.chance(10) {
            let last = bench.records.revision().await.unwrap();
            follow(&mut bench.watch, &mut bench.view, last).await;
            same(&bench.view, &bench.records.load().await.unwrap());
        }
    }
    bench.records.close().await.unwrap();
    let again = records(Embedded::open(folder.path()).unwrap()).await;
    let last = again.revision().await.unwrap();
    assert!(bench.view.revision() <= last);
    let loaded = again.load().await.unwrap();
    let on = target("leaf1");
    assert_eq!(loaded.configuration(&on), bench.view.configuration(&on));
}

/// A store that takes little at once still gets a large snapshot, in chunks; and two who fold at once
/// do no harm.
#[tokio::test]
async fn a_large_snapshot_is_written_in_chunks() {
    let limits = Limits { operations: 64, bytes: 1_500_000 };
    let store = Arc::new(Memory::with_limits(limits));
    let mut bench = Bench::new(Records::open(store.clone()).await.unwrap()).await;
    for part in 0..4 {
        let unit = unit("a description that is neither long nor short", bench.writer + 1);
        let patch = (0..1_250).map(|n| (leaf(part * 1_250 + n), unit.clone())).collect();
        bench.change(patch, part % 2 == 0).await;
    }
    for number in 0..200 {
        bench.set(number, "changed").await;
    }
    let on = target("leaf1");
    let other = Records::open(store.clone()).await.unwrap();
    let (one, two) = tokio::join!(bench.records.fold(&on), other.fold(&on));
    one.unwrap();
    two.unwrap();
    assert_eq!(keys(&*store, "delta/").await, 0);
    let chunks = keys(&*store, "chunk/").await;
    assert!(chunks >= 3, "{chunks}");
    let last = bench.records.revision().await.unwrap();
    follow(&mut bench.watch, &mut bench.view, last).await;
    same(&bench.view, &other.load().await.unwrap());
    // The next snapshot takes the place of this one.
    bench.set(1, "again").await;
    bench.records.fold(&on).await.unwrap();
    assert_eq!(keys(&*store, "chunk/").await, chunks);
}

/// What stood on a target that is removed is not in the store any more, though nothing else is ever written of it.
#[tokio::test]
async fn what_was_cleared_is_gone() {
    let store = Arc::new(Memory::new());
    let mut bench = Bench::new(Records::open(store.clone()).await.unwrap()).await;
    bench.fill(1_000).await;
    bench.records.fold(&target("leaf1")).await.unwrap();
    bench.set(1, "a secret").await;
    assert!(keys(&*store, "chunk/").await > 0 && keys(&*store, "delta/").await > 0);
    bench.clear(Patch::new()).await;
    gone(&*store, ["chunk/", "delta/"]).await;
    assert!(bench.records.load().await.unwrap().committed(&target("leaf1")).is_empty());
    // One of the same name is as any other.
    bench.set(2, "of the next").await;
    assert_eq!(keys(&*store, "delta/").await, 1);
    let last = bench.records.revision().await.unwrap();
    follow(&mut bench.watch, &mut bench.view, last).await;
    same(&bench.view, &bench.records.load().await.unwrap());
}

/// Whoever removed it was cut off when half of it was gone: whoever starts next sees to that.
#[tokio::test]
async fn what_half_of_is_gone_is_gone_after_the_start() {
    let store = Arc::new(Memory::new());
    let on = target("leaf1");
    let mut bench = Bench::new(Records::open(store.clone()).await.unwrap()).await;
    bench.fill(1_000).await;
    bench.records.fold(&on).await.unwrap();
    let chunk = store.range(Range::prefix("chunk/")).await.unwrap().entries.remove(0);
    bench.clear(Patch::new()).await;
    gone(&*store, ["chunk/", "delta/"]).await;
    let again = kv::Op::put(chunk.key, chunk.value);
    store.txn(kv::Txn { compares: Vec::new(), ops: vec![again] }).await.unwrap();
    let records = Records::open(store.clone()).await.unwrap();
    assert!(records.load().await.unwrap().committed(&on).is_empty());
    gone(&*store, ["chunk/", "delta/"]).await;
    assert!(records.load().await.unwrap().committed(&on).is_empty());
}

/// A long value goes whole, however little is written at once.
#[tokio::test]
async fn a_long_delta_goes_with_all_its_parts() {
    let limits = Limits { operations: 8, bytes: 20_000 };
    let store = Arc::new(Memory::with_limits(limits));
    let mut bench = Bench::new(Records::open(store.clone()).await.unwrap()).await;
    for number in 0..6 {
        bench.set(number, "short").await;
    }
    bench.fill(200).await;
    assert!(keys(&*store, "body/").await > 3);
    bench.clear(Patch::new()).await;
    gone(&*store, ["delta/", "body/"]).await;
}

/// What is written together with the clearing, or after it, stays.
#[tokio::test]
async fn what_came_after_the_clearing_is_kept() {
    let store = Arc::new(Memory::new());
    let mut bench = Bench::new(Records::open(store.clone()).await.unwrap()).await;
    bench.fill(10).await;
    for round in 0..5 {
        let with = unit("with it", bench.writer + 1);
        bench.clear([(leaf(100 + round), with)].into_iter().collect()).await;
        bench.set(200 + round, "after it").await;
    }
    let last = bench.records.revision().await.unwrap();
    follow(&mut bench.watch, &mut bench.view, last).await;
    bench.records.fold(&target("leaf1")).await.unwrap();
    gone(&*store, ["delta/", "delta/"]).await;
    let loaded = bench.records.load().await.unwrap();
    let paths: Vec<Path> =
        loaded.committed(&target("leaf1")).units().map(|(p, _)| p.clone()).collect();
    assert_eq!(paths, [leaf(104), leaf(204)]);
    assert_eq!(loaded.configuration(&target("leaf1")), bench.view.configuration(&target("leaf1")));
}

/// Whoever removed it was cut off before it was gone: whoever starts next sees to that.
#[test]
fn what_was_cleared_before_a_crash_is_gone_after_the_start() {
    let run = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = Arc::new(Memory::new());
    let on = target("leaf1");
    run().block_on(async {
        let mut bench = Bench::new(Records::open(store.clone()).await.unwrap()).await;
        bench.fill(1_000).await;
        bench.records.fold(&on).await.unwrap();
        bench.clear(Patch::new()).await;
    });
    run().block_on(async {
        assert!(keys(&*store, "chunk/").await > 0, "there was no crash");
        let records = Records::open(store.clone()).await.unwrap();
        let loaded = records.load().await.unwrap();
        assert!(loaded.committed(&on).is_empty());
        gone(&*store, ["chunk/", "delta/"]).await;
        assert!(records.load().await.unwrap().committed(&on).is_empty());
    });
}

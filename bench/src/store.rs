//! The stores: one-leaf transactions against what is below with nothing of ours in between, and
//! opening a large store.
//!
//! A transaction is two writes, as the core makes them: decided, then recorded.
//!
//! Embedded: "raw" is the same keys and values put into the engine by one thread, as many in a commit
//! as shared one here; "file" is the same bytes appended to a file and synced as often, which no
//! ordered map can reach. For etcd see [`etcd`].

mod etcd;
mod large;
#[path = "../../crates/store/tests/records/overheard.rs"]
mod overheard;
mod raw;
mod workload;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lockstep_store::kv::Op;
use lockstep_store::{Embedded, Records};

use overheard::Overheard;
use raw::Write;
use workload::{Upto, Workload};

/// How a bench fails: with whatever went wrong below.
pub(crate) type Failed = Box<dyn std::error::Error + Send + Sync>;

/// How many transactions are measured at each concurrency.
const TRANSACTIONS: [(u64, u64); 4] = [(1, 300), (16, 3_000), (64, 8_000), (256, 8_000)];
/// The best of several rounds counts, since noise only adds.
const ROUNDS: usize = 3;

/// Prints the tables; after `store etcd` on the command line, that of etcd alone.
pub(crate) fn run() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if std::env::args().any(|argument| argument == "etcd") {
        return runtime.block_on(etcd::run());
    }
    println!(
        "{:44} {:>10} {:>12} {:>8} {:>8} {:>8}",
        "one-leaf transactions, embedded", "in flight", "a second", "syncs", "of raw", "of file"
    );
    for (flight, count) in TRANSACTIONS {
        print(&runtime.block_on(measure(flight, count))?);
    }
    println!();
    runtime.block_on(etcd::run())?;
    println!();
    large::run(&runtime)
}

struct Measured {
    flight: u64,
    count: u64,
    took: Duration,
    commits: u64,
    raw: Duration,
    file: Duration,
}

#[expect(clippy::cast_precision_loss, reason = "a measurement")]
fn print(measured: &Measured) {
    let Measured { flight, count, took, commits, raw, file } = measured;
    let rate = *count as f64 / took.as_secs_f64();
    let syncs = *commits as f64 / *count as f64;
    let of = |floor: &Duration| floor.as_secs_f64() / took.as_secs_f64();
    println!(
        "{:44} {flight:>10} {rate:>12.0} {syncs:>8.3} {:>8.2} {:>8.2}",
        "decided and recorded",
        of(raw),
        of(file)
    );
}

async fn measure(flight: u64, count: u64) -> Result<Measured, Failed> {
    let mut best: Option<Measured> = None;
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir()?;
        let (took, commits) = ours(folder.path(), flight, count).await?;
        let writes = written(flight, count, Upto::Recorded).await?;
        let batch = writes.len().div_ceil(usize::try_from(commits)?.max(1));
        let (at, engine) = (folder.path().join("file"), folder.path().join("engine"));
        let (raw, file) = tokio::task::spawn_blocking(move || {
            Ok::<_, Failed>((
                raw::engine(&engine, &writes, batch)?,
                raw::file(&at, &writes, batch)?,
            ))
        })
        .await??;
        let now = Measured { flight, count, took, commits, raw, file };
        best = Some(match best {
            // Each side at its best.
            Some(known) => Measured {
                raw: known.raw.min(now.raw),
                file: known.file.min(now.file),
                ..if known.took < now.took { known } else { now }
            },
            None => now,
        });
    }
    best.ok_or_else(|| "no round".into())
}

async fn ours(folder: &Path, flight: u64, count: u64) -> Result<(Duration, u64), Failed> {
    let store = Embedded::open(&folder.join("store"))?;
    let records = Records::open(Arc::new(store.clone())).await?;
    let workload = Workload::new(flight, count, Upto::Recorded)?;
    let (began, before) = (Instant::now(), store.commits());
    workload.run(&records).await?;
    let done = (began.elapsed(), store.commits() - before);
    records.close().await?;
    Ok(done)
}

/// What the same transactions write, one after the other.
async fn written(flight: u64, count: u64, upto: Upto) -> Result<Vec<Write>, Failed> {
    let writes: Arc<Mutex<Vec<Write>>> = Arc::default();
    let heard = Arc::clone(&writes);
    let store = Overheard::new(move |txn| {
        let write = txn.ops.iter().map(|op| match op {
            Op::Put { key, value, .. } => (key.clone(), Some(value.clone())),
            Op::Delete(key) => (key.clone(), None),
        });
        heard.lock().unwrap_or_else(PoisonError::into_inner).push(write.collect());
    });
    let records = Records::open(Arc::new(store)).await?;
    Workload::new(flight, count, upto)?.run(&records).await?;
    let written = std::mem::take(&mut *writes.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(written)
}

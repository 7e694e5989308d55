//! The embedded store against what is below it: one-leaf transactions up to their decision, which is what an async client
//! waits for.
//!
//! "engine" is the same keys and values put into the engine by one thread, as many in a commit as shared one here; "file"
//! is the same bytes appended to a file and synced as often, which no ordered map can reach.

pub(crate) mod etcd;
pub(crate) mod large;
#[path = "../../crates/store/tests/records/overheard.rs"]
pub(crate) mod overheard;
mod raw;
pub(crate) mod workload;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lockstep_store::kv::Op;
use lockstep_store::{Embedded, Records};
use serde_json::{Value, json};

use crate::Failed;
use overheard::Overheard;
use raw::Write;
use workload::Workload;

/// Measures all three, one after the other.
#[expect(clippy::cast_precision_loss, reason = "a measurement")]
pub(crate) async fn commits(flight: u64, count: u64) -> Result<Value, Failed> {
    let folder = tempfile::tempdir()?;
    let (ours, commits) = ours(folder.path(), flight, count).await?;
    let writes = written(flight, count).await?;
    let bytes: usize = writes.iter().flatten().map(length).sum();
    let batch = writes.len().div_ceil(usize::try_from(commits)?.max(1));
    let (at, engine) = (folder.path().join("file"), folder.path().join("engine"));
    let ((engine, times), file) = tokio::task::spawn_blocking(move || {
        Ok::<_, Failed>((raw::engine(&engine, &writes, batch)?, raw::file(&at, &writes, batch)?))
    })
    .await??;
    let rate = |took: Duration| count as f64 / took.as_secs_f64();
    Ok(json!({
        "per_second": rate(ours), "engine_per_second": rate(engine), "file_per_second": rate(file),
        "syncs_each": commits as f64 / count as f64, "bytes_each": bytes as f64 / count as f64,
        "engine": times.told(engine),
    }))
}

/// What one key and its value take.
fn length((key, value): &(lockstep_store::kv::Bytes, Option<lockstep_store::kv::Bytes>)) -> usize {
    key.len() + value.as_ref().map_or(0, |value| value.len())
}

async fn ours(folder: &Path, flight: u64, count: u64) -> Result<(Duration, u64), Failed> {
    let store = Embedded::open(&folder.join("store"))?;
    let records = Records::open(Arc::new(store.clone())).await?;
    let workload = Workload::new(flight, count)?;
    let (began, before) = (Instant::now(), store.commits());
    workload.run(&records).await?;
    let done = (began.elapsed(), store.commits() - before);
    records.close().await?;
    Ok(done)
}

/// What the same transactions write, one after the other.
async fn written(flight: u64, count: u64) -> Result<Vec<Write>, Failed> {
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
    Workload::new(flight, count)?.run(&records).await?;
    let written = std::mem::take(&mut *writes.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(written)
}

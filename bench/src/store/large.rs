//! Opening a store, against reading the bytes that it is made of.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use lockstep_store::{Embedded, Records};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::Failed;
use crate::yang::memory::held;

/// Opens it, and loads everything.
pub(crate) fn open(runtime: &Runtime, folder: &Path) -> Result<Value, Failed> {
    let (bytes, read) = read(folder)?;
    let before = held().unwrap_or_default();
    let began = Instant::now();
    let store = Embedded::open(folder)?;
    let opened = began.elapsed();
    let records = runtime.block_on(Records::open(Arc::new(store)))?;
    let view = runtime.block_on(records.load())?;
    let (loaded, taken) = (began.elapsed(), held().unwrap_or_default() - before);
    drop(view);
    runtime.block_on(records.close())?;
    Ok(json!({
        "bytes": bytes, "read_seconds": read, "opened_seconds": opened.as_secs_f64(),
        "loaded_seconds": loaded.as_secs_f64(), "memory_bytes": taken,
    }))
}

/// How many bytes there are, and how long it takes to read them.
fn read(folder: &Path) -> Result<(u64, f64), Failed> {
    let (mut bytes, began) = (0, Instant::now());
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            bytes += std::io::copy(&mut std::fs::File::open(entry.path())?, &mut std::io::sink())?;
        }
    }
    Ok((bytes, began.elapsed().as_secs_f64()))
}

//! The floor of a node on etcd: compare-and-puts of etcd's own client, each of one key and of as many bytes as a one-leaf
//! transaction writes up to its decision, as many in flight, one request each.

use std::time::{Duration, Instant};

use etcd_client::{Client, Compare, CompareOp, KvClient, Txn, TxnOp};
use serde_json::Value;
use tokio::task::JoinSet;

use super::{length, written};
use crate::Failed;
use crate::times::Times;

/// Puts for so long, with so many under way at once, over one connection to each member.
pub(crate) async fn raw(endpoints: &[String], flight: u64, seconds: f64) -> Result<Value, Failed> {
    let bytes = bytes().await?;
    let client = Client::connect(endpoints, None).await?.kv_client();
    let (began, over) = (Instant::now(), Duration::from_secs_f64(seconds));
    let mut writers = JoinSet::new();
    for writer in 0..flight {
        let client = client.clone();
        let key = format!("raw/{}/{writer:010}", std::process::id());
        writers.spawn(async move { put(client, &key, bytes, || began.elapsed() < over).await });
    }
    let mut all = Times::new()?;
    while let Some(done) = writers.join_next().await {
        all.add(&done??)?;
    }
    Ok(all.told(began.elapsed()))
}

/// How many bytes one transaction writes.
async fn bytes() -> Result<usize, Failed> {
    const SAMPLE: u64 = 100;
    let writes = written(1, SAMPLE).await?;
    let bytes: usize = writes.iter().flatten().map(length).sum();
    Ok(bytes / usize::try_from(SAMPLE)?)
}

async fn put(
    mut client: KvClient,
    key: &str,
    bytes: usize,
    more: impl Fn() -> bool,
) -> Result<Times, Failed> {
    let value = vec![b'x'; bytes.saturating_sub(key.len())];
    let (mut base, mut times) = (0, Times::new()?);
    while more() {
        let start = Instant::now();
        let compare = Compare::mod_revision(key, CompareOp::Equal, base);
        let txn = Txn::new().when([compare]).and_then([TxnOp::put(key, value.clone(), None)]);
        let answer = client.txn(txn).await?;
        if !answer.succeeded() {
            return Err("two writers met on one key".into());
        }
        base = answer.header().map_or(0, etcd_client::ResponseHeader::revision);
        times.record(start.elapsed())?;
    }
    Ok(times)
}

//! One-leaf transactions on etcd, against compare-and-puts of etcd's own client.
//!
//! "raw" is as many compare-and-puts as there are transactions, each of one key and of as many bytes as
//! one transaction writes in all, as many in flight: one request each, without anything of ours. All of
//! it on one member on this machine, in turns, so that whatever else the machine does meets both.

#[allow(clippy::expect_used, clippy::panic, reason = "written for tests, which it fails like")]
#[path = "../../../crates/store/tests/etcd/server.rs"]
mod server;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use etcd_client::{Compare, CompareOp, KvClient, Txn, TxnOp};
use lockstep_store::Records;

use super::workload::{Upto, Workload};
use super::{Failed, ROUNDS, written};
use server::Cluster;

/// How many transactions are measured at each concurrency.
const TRANSACTIONS: [(u64, u64); 4] = [(1, 500), (16, 4_000), (64, 10_000), (256, 16_000)];

/// Prints the table, or why there is none.
pub(super) async fn run() -> Result<(), Failed> {
    if let Err(error) = Command::new("etcd").arg("--version").output() {
        println!("one-leaf transactions, etcd: not measured, etcd cannot be started ({error});");
        println!("`scripts/setup test` installs it");
        return Ok(());
    }
    println!(
        "{:44} {:>10} {:>12} {:>8} {:>12} {:>8}",
        "one-leaf transactions, etcd",
        "in flight",
        "a second",
        "requests",
        "raw a second",
        "of raw"
    );
    for upto in [Upto::Decided, Upto::Recorded] {
        for (flight, count) in TRANSACTIONS {
            print(upto, flight, count, &measure(flight, count, upto).await?);
        }
    }
    Ok(())
}

struct Measured {
    took: Duration,
    requests: u64,
    raw: Duration,
}

#[expect(clippy::cast_precision_loss, reason = "a measurement")]
fn print(upto: Upto, flight: u64, count: u64, measured: &Measured) {
    let Measured { took, requests, raw } = measured;
    let what = match upto {
        Upto::Decided => "decided",
        Upto::Recorded => "decided and recorded",
    };
    let rate = |took: &Duration| count as f64 / took.as_secs_f64();
    let each = *requests as f64 / count as f64;
    let of = raw.as_secs_f64() / took.as_secs_f64();
    println!(
        "{what:44} {flight:>10} {:>12.0} {each:>8.3} {:>12.0} {of:>8.2}",
        rate(took),
        rate(raw)
    );
}

async fn measure(flight: u64, count: u64, upto: Upto) -> Result<Measured, Failed> {
    let bytes = bytes(upto).await?;
    // A new one each time: what was written before is not to be carried along.
    let cluster = Cluster::start(1);
    let mut best: Option<Measured> = None;
    for round in 0..ROUNDS {
        let (took, requests) =
            ours(&cluster, &format!("round{round}"), (flight, count), upto).await?;
        let raw = raw(&cluster, round, (flight, count), bytes).await?;
        best = Some(match best {
            // Each side at its best.
            Some(known) => Measured {
                raw: known.raw.min(raw),
                ..if known.took < took { known } else { Measured { took, requests, raw } }
            },
            None => Measured { took, requests, raw },
        });
    }
    best.ok_or_else(|| "no round".into())
}

/// How many bytes one transaction writes.
async fn bytes(upto: Upto) -> Result<usize, Failed> {
    const SAMPLE: u64 = 100;
    let length = |(key, value): &(lockstep_store::kv::Bytes, Option<_>)| {
        key.len() + value.as_ref().map_or(0, |value: &lockstep_store::kv::Bytes| value.len())
    };
    let writes = written(1, SAMPLE, upto).await?;
    let bytes: usize = writes.iter().flatten().map(length).sum();
    Ok(bytes / usize::try_from(SAMPLE)?)
}

async fn ours(
    cluster: &Cluster,
    prefix: &str,
    (flight, count): (u64, u64),
    upto: Upto,
) -> Result<(Duration, u64), Failed> {
    let store = cluster.store(prefix).await;
    let records = Records::open(Arc::new(store.clone())).await?;
    let workload = Workload::new(flight, count, upto)?;
    let (began, before) = (Instant::now(), store.requests());
    workload.run(&records).await?;
    let done = (began.elapsed(), store.requests() - before);
    records.close().await?;
    Ok(done)
}

async fn raw(
    cluster: &Cluster,
    round: usize,
    (flight, count): (u64, u64),
    bytes: usize,
) -> Result<Duration, Failed> {
    let client = cluster.raw(0).await.kv_client();
    let (began, next) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..flight {
        let (client, next) = (client.clone(), Arc::clone(&next));
        let key = format!("raw/{round}/{writer:010}");
        writers.spawn(async move {
            put(client, &key, bytes, || next.fetch_add(1, Ordering::Relaxed) < count).await
        });
    }
    while let Some(done) = writers.join_next().await {
        done??;
    }
    Ok(began.elapsed())
}

async fn put(
    mut client: KvClient,
    key: &str,
    bytes: usize,
    more: impl Fn() -> bool,
) -> Result<(), Failed> {
    let value = vec![b'x'; bytes.saturating_sub(key.len())];
    let mut base = 0;
    while more() {
        let compare = Compare::mod_revision(key, CompareOp::Equal, base);
        let txn = Txn::new().when([compare]).and_then([TxnOp::put(key, value.clone(), None)]);
        let answer = client.txn(txn).await?;
        if !answer.succeeded() {
            return Err("two writers met on one key".into());
        }
        base = answer.header().map_or(0, etcd_client::ResponseHeader::revision);
    }
    Ok(())
}

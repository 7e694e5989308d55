//! Opening a store with 100,000 transactions and 1,000 targets of 1,000 leaves.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lockstep_protocol::record::{Binding, Header, Key, PartStatus, Status};
use lockstep_protocol::{Compare, Op, Txn};
use lockstep_store::{Embedded, Records};
use lockstep_types::{Content, Index, ModelDigest, Patch, Target, Unit};
use tokio::runtime::Runtime;

use super::Failed;
use super::workload::{Change, head};
use crate::trees::path;

const TARGETS: usize = 1_000;
const LEAVES: usize = 1_000;
const TRANSACTIONS: u64 = 100_000;
/// What opening may take, and what it may leave in memory.
const AIM: (Duration, u64) = (Duration::from_secs(3), 500);

/// Fills a store, opens it, and prints what that took.
#[expect(clippy::cast_precision_loss, reason = "a measurement")]
pub(super) fn run(runtime: &Runtime) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    runtime.block_on(fill(folder.path()))?;
    let before = resident()?;
    let began = Instant::now();
    let store = Embedded::open(folder.path())?;
    let opened = began.elapsed();
    let records = runtime.block_on(Records::open(Arc::new(store)))?;
    let view = runtime.block_on(records.load())?;
    let (loaded, more) = (began.elapsed(), resident()?.saturating_sub(before));
    println!(
        "{:44} {:>10} {:>12} {:>8}",
        "100,000 transactions, 1,000,000 leaves", "", "took", "of aim"
    );
    println!("{:44} {:>10} {:>10} ms", "the file opened", "", opened.as_millis());
    let ratio = loaded.as_secs_f64() / AIM.0.as_secs_f64();
    println!(
        "{:44} {:>10} {:>10} ms {ratio:>8.2}",
        "and everything in it loaded",
        "",
        loaded.as_millis()
    );
    println!(
        "{:44} {:>10} {more:>10} MB {:>8.2}",
        "memory it takes",
        "",
        more as f64 / AIM.1 as f64
    );
    drop(view);
    runtime.block_on(records.close())?;
    Ok(())
}

async fn fill(folder: &Path) -> Result<(), Failed> {
    let records = Records::open(Arc::new(Embedded::open(folder)?)).await?;
    for number in 0..TARGETS {
        let target = Target::new(format!("leaf{number}"))?;
        let leaf = |n: usize| Unit::present(Content::leaf(format!("value {n}")), Index::new(1));
        let patch: Patch = (0..LEAVES).map(|n| (path(n / 10, n % 10), leaf(n))).collect();
        let (committed, applied) = (patch.clone(), patch);
        let binding = Binding::of(ModelDigest::new("models")?);
        let compares = vec![Compare::Absent(Key::Configuration(target.clone()))];
        let ops = vec![
            Op::Binding { target: target.clone(), binding },
            Op::Configuration {
                target: target.clone(),
                header: Header::NEW,
                committed,
                applied,
                cleared: false,
            },
        ];
        records.write(&Txn { compares, ops }).await?;
        records.fold(&target).await?;
    }
    for first in (1..=TRANSACTIONS).step_by(500) {
        let mut ops = vec![head(first + 499)];
        for index in first..first + 500 {
            let number = usize::try_from(index)?;
            let target = Target::new(format!("leaf{}", number % TARGETS))?;
            let index = Index::new(index);
            let change = Change { index, target, leaf: number % LEAVES };
            ops.push(Op::Id { id: change.id()?, index });
            ops.push(change.transaction(Status::Applied, PartStatus::Applied)?);
            ops.push(change.proposal());
        }
        records.write(&Txn { compares: Vec::new(), ops }).await?;
    }
    Ok(records.close().await?)
}

/// What this process has in memory, in MB.
fn resident() -> Result<u64, Failed> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok());
    let kilobytes: u64 = kilobytes.ok_or("the system does not say how much memory is used")?;
    Ok(kilobytes / 1024)
}

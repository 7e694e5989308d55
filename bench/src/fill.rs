//! A store with a past, for a node to start on: transactions that were applied, and targets that hold what they wrote.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use lockstep_protocol::record::{Binding, Header, Mark, PartStatus, Status};
use lockstep_protocol::{Compare, Op, Txn, record::Key};
use lockstep_store::{Embedded, Records};
use lockstep_types::{Configuration, Index, Patch, Path, Target, Unit};
use lockstep_yang::{Data, DataForm, ModelSet, Operation, Options};
use serde_json::{Value, json};

use crate::Failed;
use crate::libyang::{interface, lab};
use crate::store::workload::{Change, head};

/// How many transactions go into one write.
const TOGETHER: u64 = 500;

/// What to fill it with.
#[derive(Debug, Args)]
pub(crate) struct Fill {
    /// Where the store is to be
    #[arg(long)]
    pub(crate) folder: PathBuf,
    /// How many transactions there are
    #[arg(long)]
    pub(crate) transactions: u64,
    /// How many targets: leaf0, leaf1, …
    #[arg(long)]
    pub(crate) targets: usize,
    /// How many leaves each holds, four to an interface
    #[arg(long)]
    pub(crate) leaves: usize,
}

/// Fills it.
pub(crate) async fn fill(asked: &Fill) -> Result<Value, Failed> {
    let began = Instant::now();
    let models = ModelSet::load(&Options { path: lab(), ..Options::default() })?;
    let records = Records::open(Arc::new(Embedded::open(&asked.folder)?)).await?;
    let patch = held(&models, asked.leaves)?;
    for number in 0..asked.targets {
        target(&records, &models, asked, number, &patch).await?;
    }
    let mut first = 1;
    while first <= asked.transactions {
        let last = asked.transactions.min(first + TOGETHER - 1);
        transactions(&records, asked, first, last).await?;
        first = last + 1;
    }
    records.close().await?;
    Ok(json!({ "seconds": began.elapsed().as_secs_f64() }))
}

/// What each target holds.
fn held(models: &ModelSet, leaves: usize) -> Result<Patch, Failed> {
    let all: Value = (0..leaves.div_ceil(4)).map(interface).collect();
    let data = Data { form: DataForm::Json, json: json!({ "interface": all }) };
    let at: Path = "/interfaces".parse()?;
    let delta = models.edit(&[Operation::Update(at, data)])?.onto(&Configuration::new());
    let unit = |content| Unit::present(content, Index::new(1));
    Ok(delta
        .iter()
        .filter_map(|(path, content)| Some((path.clone(), unit(content.clone()?))))
        .collect())
}

/// The last transaction of a target.
fn last(asked: &Fill, number: usize) -> Result<Index, Failed> {
    let (number, targets) = (u64::try_from(number)?, u64::try_from(asked.targets)?);
    let behind = (asked.transactions + targets - number) % targets;
    Ok(Index::new(asked.transactions.saturating_sub(behind)))
}

async fn target(
    records: &Records,
    models: &ModelSet,
    asked: &Fill,
    number: usize,
    patch: &Patch,
) -> Result<(), Failed> {
    let target = Target::new(format!("leaf{number}"))?;
    let index = last(asked, number)?;
    let mark = Mark { index, revision: index };
    let ops = vec![
        Op::Binding { target: target.clone(), binding: Binding::of(models.digest().clone()) },
        Op::Configuration {
            target: target.clone(),
            header: Header { committed: mark, applied: mark, ..Header::NEW },
            committed: patch.clone(),
            applied: patch.clone(),
            cleared: false,
        },
    ];
    let compares = vec![Compare::Absent(Key::Configuration(target.clone()))];
    records.write(Txn { compares, ops }).await?;
    records.fold(&target).await?;
    Ok(())
}

async fn transactions(
    records: &Records,
    asked: &Fill,
    first: u64,
    last: u64,
) -> Result<(), Failed> {
    let mut ops = vec![head(last)];
    for index in first..=last {
        let number = usize::try_from(index)?;
        let target = Target::new(format!("leaf{}", number % asked.targets))?;
        let index = Index::new(index);
        let change = Change { index, target, leaf: number % asked.leaves.max(1) };
        ops.push(Op::Id { id: change.id()?, index });
        ops.push(change.transaction(Status::Applied, PartStatus::Applied)?);
        ops.push(change.proposal());
    }
    records.write(Txn { compares: Vec::new(), ops }).await?;
    Ok(())
}

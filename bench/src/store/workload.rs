//! One-leaf transactions as the core writes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_protocol::record::{
    Head, Header, Key, Kind, Mark, Mode, Part, PartStatus, Proposal, Status, Transaction,
};
use lockstep_protocol::{Compare, Op, Txn, Written};
use lockstep_store::Records;
use lockstep_types::{
    Content, Edit, Index, Patch, Revision, SessionId, Target, Term, Timestamp, TransactionId, Undo,
    Unit,
};

use super::Failed;
use crate::trees::path;

/// What one transaction writes where.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) index: Index,
    pub(super) target: Target,
    /// Which of the target's leaves.
    pub(super) leaf: usize,
}

impl Change {
    pub(super) fn id(&self) -> Result<TransactionId, Failed> {
        Ok(TransactionId::new(format!("n1-1-100000001-{}", self.index))?)
    }

    pub(super) fn transaction(&self, status: Status, part: PartStatus) -> Result<Op, Failed> {
        let part = Part { status: part, ..Part::default() };
        let submitted = Timestamp::new(1_700_000_000_000_000_000 + self.index.get());
        Ok(Op::Transaction(Transaction {
            index: self.index,
            id: self.id()?,
            kind: Kind::Change,
            mode: Mode::Atomic,
            origin: SessionId::new("n1-1-100000001")?,
            author: "operator".into(),
            comment: String::new(),
            only: [].into(),
            submitted,
            deadline: submitted.after(60_000_000_000),
            decided: Some(submitted),
            finished: status.is_final().then_some(submitted),
            status,
            reason: None,
            targets: [(self.target.clone(), part)].into(),
        }))
    }

    pub(super) fn proposal(&self) -> Op {
        let (path, content) = (path(self.leaf / 10, self.leaf % 10), self.content());
        let before = Unit::present(Content::leaf("what stood before"), Index::new(1));
        let proposal = Proposal {
            edit: Edit { set: [(path.clone(), content.clone())].into(), ..Edit::default() },
            delta: [(path.clone(), Some(content))].into_iter().collect(),
            undo: Undo { units: [(path, before)].into_iter().collect() },
        };
        Op::Proposal { index: self.index, target: self.target.clone(), proposal }
    }

    fn content(&self) -> Content {
        Content::leaf(format!("the value of transaction {}", self.index))
    }

    fn patch(&self) -> Patch {
        let unit = Unit::present(self.content(), self.index);
        [(path(self.leaf / 10, self.leaf % 10), unit)].into_iter().collect()
    }

    fn decide(&self, base: Revision) -> Result<Txn, Failed> {
        let header = self.header(Index::ZERO, Some(self.index));
        let ops = vec![
            Op::Id { id: self.id()?, index: self.index },
            self.transaction(Status::Committed, PartStatus::Pending)?,
            self.proposal(),
            self.configuration(header, self.patch(), Patch::new()),
        ];
        Ok(Txn { compares: vec![Compare::Absent(Key::Id(self.id()?)), self.base(base)], ops })
    }

    fn record(&self, base: Revision) -> Result<Txn, Failed> {
        let header = self.header(self.index, None);
        let ops = vec![
            self.transaction(Status::Applied, PartStatus::Applied)?,
            self.configuration(header, Patch::new(), self.patch()),
        ];
        Ok(Txn { compares: vec![self.base(base)], ops })
    }

    fn base(&self, base: Revision) -> Compare {
        Compare::Unchanged(Key::Configuration(self.target.clone()), base)
    }

    fn header(&self, applied: Index, holder: Option<Index>) -> Header {
        let mark = |index| Mark { index, revision: index };
        let (committed, applied) = (mark(self.index), mark(applied));
        Header { committed, applied, synced: Term::new(1), holder, ..Header::NEW }
    }

    fn configuration(&self, header: Header, committed: Patch, applied: Patch) -> Op {
        Op::Configuration { target: self.target.clone(), header, committed, applied }
    }
}

/// The log's end after so many.
pub(super) fn head(index: u64) -> Op {
    Op::Head(Head { index: Index::new(index), timestamp: Timestamp::new(1) })
}

/// How far transactions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upto {
    /// Decided: what an async client waits for.
    Decided,
    /// Decided, and then recorded as applied.
    Recorded,
}

/// Makes `count` transactions, `flight` at a time, each on a target of its own.
pub(super) async fn run(
    records: &Records,
    flight: u64,
    count: u64,
    upto: Upto,
) -> Result<(), Failed> {
    let next = Arc::new(AtomicU64::new(1));
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..flight {
        let (records, next) = (records.clone(), Arc::clone(&next));
        writers.spawn(async move { write(&records, writer, &next, (count, upto)).await });
    }
    while let Some(done) = writers.join_next().await {
        done??;
    }
    Ok(())
}

async fn write(
    records: &Records,
    writer: u64,
    next: &AtomicU64,
    (count, upto): (u64, Upto),
) -> Result<(), Failed> {
    let mut base = Revision::ZERO;
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index > count {
            return Ok(());
        }
        let target = Target::new(format!("leaf{writer}"))?;
        let leaf = usize::try_from(index)? % 1_000;
        let change = Change { index: Index::new(index), target, leaf };
        base = done(records.write(&change.decide(base)?).await?)?;
        if upto == Upto::Recorded {
            base = done(records.write(&change.record(base)?).await?)?;
        }
    }
}

fn done(written: Written) -> Result<Revision, Failed> {
    match written {
        Written::Done(revision) => Ok(revision),
        Written::Stale(_) => Err("two writers met on one target".into()),
    }
}

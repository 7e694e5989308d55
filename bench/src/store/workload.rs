//! One-leaf transactions as the core writes them, up to their decision.

use lockstep_protocol::record::{
    Head, Header, Key, Kind, Mark, Mode, Part, PartStatus, Proposal, Status, Transaction,
};
use lockstep_protocol::{Compare, Op, Txn, Written};
use lockstep_store::Records;
use lockstep_types::{
    Content, Edit, Index, Patch, Revision, SessionId, Target, Term, Timestamp, TransactionId, Undo,
    Unit,
};

use crate::Failed;
use crate::trees::path;

/// What one transaction writes where.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) index: Index,
    pub(crate) target: Target,
    /// Which of the target's leaves.
    pub(crate) leaf: usize,
}

impl Change {
    pub(crate) fn id(&self) -> Result<TransactionId, Failed> {
        Ok(TransactionId::new(format!("n1-1-100000001-{}", self.index))?)
    }

    pub(crate) fn transaction(&self, status: Status, part: PartStatus) -> Result<Op, Failed> {
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
            window: None,
            binding: None,
            submitted,
            deadline: submitted.after(60_000_000_000),
            decided: Some(submitted),
            finished: status.is_final().then_some(submitted),
            status,
            reason: None,
            wide: false,
            called_off: false,
            trial: false,
            disturbed: 0,
            targets: [(self.target.clone(), part)].into(),
        }))
    }

    pub(crate) fn proposal(&self) -> Op {
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

    fn decide(&self) -> Result<Txn, Failed> {
        let header = self.header();
        let ops = vec![
            Op::Id { id: self.id()?, index: self.index },
            self.transaction(Status::Committed, PartStatus::Pending)?,
            self.proposal(),
            self.configuration(header, self.patch()),
        ];
        Ok(Txn { compares: vec![Compare::Absent(Key::Id(self.id()?)), self.base()], ops })
    }

    /// That nobody else wrote the configuration; since when is known only when it is written.
    fn base(&self) -> Compare {
        Compare::Unchanged(Key::Configuration(self.target.clone()), Revision::ZERO)
    }

    fn header(&self) -> Header {
        let committed = Mark { index: self.index, revision: self.index };
        Header { committed, synced: Term::new(1), holder: Some(self.index), ..Header::NEW }
    }

    fn configuration(&self, header: Header, committed: Patch) -> Op {
        Op::Configuration {
            target: self.target.clone(),
            header,
            committed,
            applied: Patch::new(),
            cleared: false,
        }
    }
}

/// The log's end after so many.
pub(crate) fn head(index: u64) -> Op {
    Op::Head(Head { index: Index::new(index), timestamp: Timestamp::new(1) })
}

/// Transactions ready to be written, so that only that is measured: a list for each of those who write
/// at the same time, each on a target of its own.
#[derive(Debug)]
pub(crate) struct Workload(Vec<Vec<Txn>>);

impl Workload {
    /// `count` transactions, for `flight` at a time.
    pub(crate) fn new(flight: u64, count: u64) -> Result<Self, Failed> {
        let mut writers: Vec<Vec<Txn>> = (0..flight).map(|_| Vec::new()).collect();
        for (index, writer) in (1..=count).zip((0..writers.len()).cycle()) {
            let target = Target::new(format!("leaf{writer}"))?;
            let leaf = usize::try_from(index)? % 1_000;
            let change = Change { index: Index::new(index), target, leaf };
            writers[writer].push(change.decide()?);
        }
        Ok(Self(writers))
    }

    /// Writes all of them.
    pub(crate) async fn run(self, records: &Records) -> Result<(), Failed> {
        let mut writers = tokio::task::JoinSet::new();
        for txns in self.0 {
            let records = records.clone();
            writers.spawn(async move { write(&records, txns).await });
        }
        while let Some(done) = writers.join_next().await {
            done??;
        }
        Ok(())
    }
}

async fn write(records: &Records, txns: Vec<Txn>) -> Result<(), Failed> {
    let mut base = Revision::ZERO;
    for mut txn in txns {
        for compare in &mut txn.compares {
            if let Compare::Unchanged(_, stood) = compare {
                *stood = base;
            }
        }
        base = done(records.write(txn.clone()).await?)?;
    }
    Ok(())
}

fn done(written: Written) -> Result<Revision, Failed> {
    match written {
        Written::Done(revision) => Ok(revision),
        Written::Stale(_) => Err("two writers met on one target".into()),
    }
}

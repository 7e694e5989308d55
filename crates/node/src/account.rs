//! What a write means to whoever runs the network: it is counted, and said in the log, once it has happened.

use std::time::Duration;

use lockstep_protocol::record::{Part, PartStatus, Reason, Status, Transaction};
use lockstep_protocol::{Op, Txn, View};
use lockstep_types::{Index, Target, Term};

use crate::metrics;

/// So many targets of a transaction are named in a line.
const NAMED: usize = 20;

/// What will have happened once something is written.
#[derive(Debug, Default)]
pub(crate) struct Account {
    decided: Vec<Transaction>,
    finished: Vec<Transaction>,
    parts: Vec<(Index, Target, Part)>,
    in_line: Vec<(Target, InLine)>,
    terms: Vec<(Target, Term)>,
}

#[derive(Debug)]
enum InLine {
    Synchronised,
    /// The code of the device.
    Refused(String),
}

impl Account {
    /// Compares what is to be written with what stands. Costs what the write does.
    pub(crate) fn of(view: &View, txn: &Txn) -> Self {
        let mut account = Self::default();
        for op in &txn.ops {
            match op {
                Op::Transaction(now) => account.transaction(view.transaction(now.index), now),
                Op::Part { index, target, part } => {
                    let before = view.transaction(*index).and_then(|all| all.targets.get(target));
                    account.part(*index, target, before, part);
                }
                Op::Configuration { target, header, .. } => {
                    let before = view.header(target);
                    if header.synced != Term::ZERO && header.synced != before.synced {
                        account.in_line.push((target.clone(), InLine::Synchronised));
                    }
                    if let Some(refused) = &header.resync_refused
                        && before.resync_refused.as_ref() != Some(refused)
                    {
                        let code = refused.code.clone();
                        account.in_line.push((target.clone(), InLine::Refused(code)));
                    }
                }
                Op::Mastership { target, mastership } if mastership.session.is_some() => {
                    let before = view.mastership(target).map(|before| before.term);
                    if before != Some(mastership.term) {
                        account.terms.push((target.clone(), mastership.term));
                    }
                }
                _ => {}
            }
        }
        account
    }

    fn transaction(&mut self, before: Option<&Transaction>, now: &Transaction) {
        let was_decided = before.is_some_and(|before| before.status != Status::Pending);
        if now.status == Status::Committed && !was_decided {
            self.decided.push(now.clone());
        }
        let was_final = before.is_some_and(|before| before.status.is_final());
        if now.status.is_final() && !was_final {
            self.finished.push(now.clone());
        }
        // Those of a wide one are records of their own.
        if !now.wide {
            for (target, part) in now.targets.iter() {
                let before = before.and_then(|before| before.targets.get(target));
                self.part(now.index, target, before, part);
            }
        }
    }

    fn part(&mut self, index: Index, target: &Target, before: Option<&Part>, now: &Part) {
        // Where it begins nothing has happened yet.
        let was = before.map_or(PartStatus::Pending, |before| before.status);
        if now.status != was {
            self.parts.push((index, target.clone(), now.clone()));
        }
    }

    /// It was written.
    pub(crate) fn happened(self) {
        for (target, term) in self.terms {
            metrics::TERMS.inc();
            tracing::info!(%target, term = term.get(), "this node is its master");
        }
        for (target, in_line) in self.in_line {
            metrics::in_line(matches!(in_line, InLine::Synchronised));
            match in_line {
                InLine::Synchronised => tracing::info!(%target, "synchronised"),
                InLine::Refused(code) => tracing::warn!(%target, code, "would not be synchronised"),
            }
        }
        self.decided.iter().for_each(decided);
        for (index, target, part) in self.parts {
            if !matches!(part.status, PartStatus::Pending | PartStatus::Accepted) {
                metrics::part(part.told());
            }
            let (transaction, status) = (index.get(), part.told().name());
            match part.reason {
                // What devices say may hold a value that is secret: `tx show` knows who may read it.
                Some(Reason::Refused { failure, .. }) => {
                    tracing::warn!(transaction, %target, status, code = failure.code, "the device refused");
                }
                _ => tracing::debug!(transaction, %target, status, "moved on"),
            }
        }
        self.finished.iter().for_each(finished);
    }
}

fn decided(of: &Transaction) {
    let (transaction, kind) = (of.index.get(), metrics::kind(of.kind));
    let (target, targets) = (named(of.targets.keys()), of.targets.len());
    tracing::info!(transaction, kind, target, targets, "transaction decided");
}

fn finished(of: &Transaction) {
    let ended = of.finished.unwrap_or(of.submitted);
    let took = Duration::from_nanos(ended.get().saturating_sub(of.submitted.get()));
    metrics::finished(of.kind, of.status, took);
    let (transaction, kind) = (of.index.get(), metrics::kind(of.kind));
    let (status, target, author) = (of.status.name(), named(of.targets.keys()), &of.author);
    let targets = of.targets.len();
    tracing::info!(transaction, kind, status, target, targets, author, ?took, "transaction ended");
}

/// Targets by name, the first of them where there are many: how many there are is said beside it.
fn named<'a>(targets: impl Iterator<Item = &'a Target>) -> String {
    targets.take(NAMED).map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// What a write is about, as far as it is about one thing: the index of a transaction, and a target.
pub(crate) fn concerned(txn: &Txn) -> (Option<u64>, Option<&Target>) {
    let transaction = txn.ops.iter().find_map(|op| match op {
        Op::Transaction(transaction) => Some(transaction.index.get()),
        Op::Proposal { index, .. } | Op::Part { index, .. } => Some(index.get()),
        _ => None,
    });
    let target = txn.ops.iter().find_map(|op| match op {
        Op::Configuration { target, .. } | Op::Mastership { target, .. } => Some(target),
        _ => None,
    });
    (transaction, target)
}

//! The controller of a wide transaction: what goes beyond one write, in as many as it takes.
//!
//! ```text
//!   append ──► gather ──► prepare ──► decide ──► (each target applies) ──► end ──► tidy
//!   the entry  edits      verdicts,   one write                           one write
//!                         undos       to the record                       to the record
//! ```
//!
//! Every write but the middle ones is one to the record. Whoever stops leaves the rest to the next: what
//! is gathered, prepared and tidied is read off the store. Only the edits are known to the node that
//! took them in alone; if it stops before all are written, the entry is passed over.

use std::collections::BTreeMap;

use lockstep_types::{Edit, Index, Target};

use super::Node;
use super::verdicts::Decision;
use crate::command::Command;
use crate::draft::Draft;
use crate::event::{Subject, Wake};
use crate::record::{Kind, Part, PartStatus, Proposal, Reason, Status, Transaction};
use crate::step;

impl Node {
    /// Whether a write in the making holds as much as it may.
    pub(super) fn is_full(&self, draft: &Draft<'_>) -> bool {
        // One more target is four keys at the most: its part, its proposal, its configuration.
        draft.keys() + 4 > self.settings.records_per_append && !draft.is_empty()
    }

    /// What is left to be done for a decided transaction, if it is wide: withdraw what was called off,
    /// and end it.
    pub(super) fn fill_wide(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        if !transaction.wide || !draft.is_empty() {
            return;
        }
        let (index, now) = (transaction.index, self.desk.now);
        if !self.view.is_outstanding(index) {
            step::end(draft, index, now);
        } else if transaction.called_off {
            self.fill_called_off(draft, transaction);
        }
    }

    fn fill_called_off(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        let pending = |target: &&Target| transaction.part(target) == PartStatus::Pending;
        for target in transaction.targets.keys().filter(pending) {
            if self.is_full(draft) {
                return;
            }
            let (index, now) = (transaction.index, self.desk.now);
            step::withdraw(draft, index, target, Reason::Cancelled, now);
        }
    }

    /// The next write towards the decision on a wide transaction.
    pub(super) fn prepare(&mut self, transaction: &Transaction, out: &mut Vec<Command>) {
        if transaction.status != Status::Pending || !self.carries(transaction) {
            return;
        }
        if let Some(missing) = self.missing(transaction) {
            self.gather(transaction, &missing, out);
            return;
        }
        self.desk.gathering.remove(&transaction.index);
        let chunk = self.chunk(transaction);
        if chunk.is_empty() {
            self.decide_prepared(transaction, out);
        } else {
            let progress = self.desk.progress.entry(transaction.index).or_default();
            progress.prepared = chunk.last().cloned();
            self.prepare_on(transaction, &chunk, out);
        }
    }

    /// The first target whose edit is not written. What is written stays.
    fn missing(&mut self, transaction: &Transaction) -> Option<Target> {
        if transaction.kind != Kind::Change {
            return None;
        }
        let progress = self.desk.progress.entry(transaction.index).or_default();
        for target in transaction.targets.keys_from(progress.written.clone().as_ref()) {
            progress.written = Some(target.clone());
            if self.view.proposal(transaction.index, target).is_none() {
                return progress.written.clone();
            }
        }
        None
    }

    /// Writes the edits from this target on, as many as fit.
    fn gather(&mut self, transaction: &Transaction, from: &Target, out: &mut Vec<Command>) {
        let index = transaction.index;
        let mut draft = Draft::new(&self.view);
        draft.depends_on(crate::record::Key::Transaction(index));
        draft.alive(&self.session);
        match self.desk.gathering.get(&index) {
            Some(request) => {
                for (target, edit) in request.body.edits.range(from.clone()..) {
                    let proposal = Proposal { edit: edit.clone(), ..Proposal::default() };
                    draft.put_proposal(index, target, proposal);
                    if draft.keys() >= self.settings.records_per_append {
                        break;
                    }
                }
            }
            None => step::pass_over(&mut draft, index, Reason::Incomplete, self.desk.now),
        }
        let txn = draft.txn();
        self.write(Wake::Transaction(index), txn, out);
    }

    /// The targets to be prepared next: those that yang has spoken on, or as many as fit a write.
    fn chunk(&self, transaction: &Transaction) -> Vec<Target> {
        let ready = |target: &&Target| self.is_ready(transaction, target);
        let judged = self.desk.verdicts.get(&Subject::Transaction(transaction.index));
        let judged = judged.into_iter().flat_map(|word| word.verdict.bases.keys());
        let judged: Vec<Target> = judged.filter(ready).cloned().collect();
        if !judged.is_empty() {
            return judged;
        }
        let most = (self.settings.records_per_append / 3).max(1);
        let after = self.desk.progress.get(&transaction.index).and_then(|p| p.prepared.as_ref());
        let from = |first| -> Vec<Target> {
            transaction.targets.keys_from(first).filter(ready).take(most).cloned().collect()
        };
        // What was passed over may be ready by now.
        let next = from(after);
        if next.is_empty() && after.is_some() { from(None) } else { next }
    }

    /// Whether it can be prepared on a target: it is next there, and has something to do.
    fn is_ready(&self, transaction: &Transaction, target: &Target) -> bool {
        self.is_next(transaction, target) && self.concerns(transaction, target)
    }

    fn is_next(&self, transaction: &Transaction, target: &Target) -> bool {
        self.view.commit_head(target) == Some(transaction.index) && !self.view.is_held(target)
    }

    /// A Rollback concerns the targets where its change is live.
    fn concerns(&self, transaction: &Transaction, target: &Target) -> bool {
        match transaction.kind {
            Kind::Rollback { of, .. } => {
                self.view.transaction(of).is_some_and(|change| self.view.is_live(change, target))
            }
            _ => true,
        }
    }

    fn prepare_on(&mut self, transaction: &Transaction, chunk: &[Target], out: &mut Vec<Command>) {
        let index = transaction.index;
        let targets = chunk.iter().map(|target| (target.clone(), Part::default())).collect();
        let narrowed = Transaction { targets, ..transaction.clone() };
        let edits = self.edits(&narrowed);
        let decision = self.decision(Subject::Transaction(index), &narrowed, &edits, out);
        let mut draft = Draft::new(&self.view);
        match decision {
            Decision::Commit(plan) => fill_prepared(&mut draft, transaction, &edits, &plan),
            Decision::Reject(reason) => {
                step::pass_over(&mut draft, index, reason, self.desk.now);
            }
            Decision::Wait | Decision::Queue | Decision::PassOver => return,
        }
        let txn = draft.txn();
        self.write(Wake::Transaction(index), txn, out);
    }

    /// Decides a transaction that is prepared wherever it has something to do. On the other targets it
    /// must be next, so that nothing comes to concern it there.
    fn decide_prepared(&mut self, transaction: &Transaction, out: &mut Vec<Command>) {
        let index = transaction.index;
        let mut prepared = Vec::new();
        for target in transaction.targets.keys() {
            if self.view.is_prepared(index, target) {
                prepared.push(target.clone());
            } else if !self.is_next(transaction, target) {
                return;
            }
        }
        let mut draft = Draft::new(&self.view);
        match transaction.kind {
            Kind::Rollback { of, .. } if prepared.is_empty() => {
                let stands = self.view.transaction(of).is_some_and(|c| c.status.stands());
                let reason = if stands { Reason::NotLive(of) } else { Reason::NotCommitted(of) };
                step::pass_over(&mut draft, index, reason, self.desk.now);
            }
            _ => step::decide(&mut draft, index, &prepared, self.desk.now),
        }
        let txn = draft.txn();
        self.write(Wake::Transaction(index), txn, out);
    }

    /// The configurations that have not followed the outcome do so now.
    pub(super) fn tidy(&mut self, index: Index, out: &mut Vec<Command>) {
        let mut draft = Draft::new(&self.view);
        for (target, _) in self.view.laggards().filter(|(_, holder)| *holder == index) {
            if self.is_full(&draft) {
                break;
            }
            draft.configuration(target);
        }
        if !draft.is_empty() {
            let txn = draft.txn();
            self.write(Wake::Transaction(index), txn, out);
        }
    }
}

fn fill_prepared(
    draft: &mut Draft<'_>,
    transaction: &Transaction,
    edits: &BTreeMap<Target, Edit>,
    plan: &step::Plan,
) {
    for (target, planned) in plan {
        step::prepare(draft, transaction, target, edits.get(target), planned);
    }
}

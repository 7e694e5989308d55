//! The controller of a transaction: its decision, its deadline, its cancelling.

use std::collections::BTreeMap;

use lockstep_types::{Edit, Index, Target};

use super::Node;
use super::verdicts::Decision;
use crate::command::Command;
use crate::draft::Draft;
use crate::effect;
use crate::event::{Subject, Wake};
use crate::record::{Kind, PartStatus, Reason, Status, Transaction};
use crate::step;
use crate::view::Wait;

impl Node {
    pub(super) fn wake_transaction(&mut self, index: Index, out: &mut Vec<Command>) {
        let Some(transaction) = self.view.shared(index) else { return };
        if transaction.status != Status::Pending {
            self.desk.progress.remove(&index);
        }
        if transaction.status.is_final() {
            self.desk.gathering.remove(&index);
            if transaction.wide && self.carries(&transaction) {
                self.tidy(index, out);
            }
            return;
        }
        let mut draft = Draft::new(&self.view);
        if self.desk.cancels.contains_key(&index) && !transaction.called_off {
            self.fill_cancelled(&mut draft, &transaction);
        }
        // Where there is nothing left to call off it goes on as if nobody had asked, who hears of its outcome.
        let carries = self.carries(&transaction);
        if draft.is_empty() && carries {
            self.fill_next(&mut draft, &transaction);
        }
        if draft.is_empty() && !carries {
            return;
        }
        if draft.is_empty() && transaction.wide {
            self.prepare(&transaction, out);
        } else if draft.is_empty() {
            self.decide(&transaction, out);
        } else {
            let txn = draft.txn();
            self.write(Wake::Transaction(index), txn, out);
        }
    }

    /// Whether it is for this node to carry a transaction on: the one that took it in does while it
    /// lives; then anyone.
    pub(super) fn carries(&self, transaction: &Transaction) -> bool {
        transaction.origin == self.session || !self.view.is_alive(&transaction.origin)
    }

    fn fill_next(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        let (index, now) = (transaction.index, self.desk.now);
        let late = now > transaction.deadline && transaction.has_deadline();
        match transaction.status {
            Status::Pending if late => {
                step::pass_over(draft, index, Reason::Deadline, now);
                self.fill_waits(draft, transaction);
            }
            Status::Committed if late => {
                step::turn(draft, index, Reason::Deadline);
                self.fill_waits(draft, transaction);
            }
            Status::Committed => {
                self.fill_nothing(draft, transaction);
                self.fill_wide(draft, transaction);
            }
            Status::Reverting => self.fill_wide(draft, transaction),
            _ => {}
        }
    }

    /// Says of each target what it was that took too long; of a wide transaction, of as many as fit.
    fn fill_waits(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        for target in transaction.targets.keys() {
            if transaction.wide && self.is_full(draft) {
                return;
            }
            let wait = self.view.waiting_for(transaction, target);
            // Where it is on trial, others were waited for.
            let Some(wait) = wait.filter(|wait| *wait != Wait::Trial) else { continue };
            if let Some(part) = draft.part(transaction.index, target) {
                part.reason.get_or_insert(Reason::Waited(wait));
            }
        }
    }

    /// Rule 10: recorded where the change was withdrawn, without the device.
    fn fill_nothing(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        if transaction.kind.writes() {
            // Woken by each of its devices, and only a Rollback may have nothing to send.
            return;
        }
        for target in transaction.targets.keys() {
            if transaction.wide && self.is_full(draft) {
                return;
            }
            let pending = transaction.part(target) == PartStatus::Pending;
            if pending && effect::has_nothing_to_send(&self.view, transaction, target) {
                step::nothing(draft, transaction.index, target, self.desk.now);
            }
        }
    }

    fn fill_cancelled(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        let (index, now) = (transaction.index, self.desk.now);
        match transaction.status {
            Status::Pending => step::pass_over(draft, index, Reason::Cancelled, now),
            Status::Committed if transaction.is_atomic() => {
                step::turn(draft, index, Reason::Cancelled);
            }
            Status::Committed if transaction.wide => step::call_off(draft, index),
            Status::Committed => {
                for target in transaction.targets.keys() {
                    if transaction.part(target) == PartStatus::Pending {
                        step::withdraw(draft, index, target, Reason::Cancelled, now);
                    }
                }
            }
            _ => {}
        }
    }

    /// Decides a pending transaction that heads the commit queue of each of its targets.
    fn decide(&mut self, transaction: &Transaction, out: &mut Vec<Command>) {
        let index = transaction.index;
        let is_held = |target: &Target| match transaction.kind {
            // What is still to be validated again goes with the target.
            Kind::Remove => self.view.header(target).holder.is_some(),
            _ => self.view.is_held(target),
        };
        let heads = transaction
            .targets
            .keys()
            .all(|target| self.view.commit_head(target) == Some(index) && !is_held(target));
        if transaction.status != Status::Pending || !heads {
            return;
        }
        if transaction.kind == Kind::Remove && self.withdraw_last(transaction, out) {
            return;
        }
        let edits = self.edits(transaction);
        let subject = Subject::Transaction(index);
        let decision = self.decision(subject, transaction, &edits, out);
        let mut draft = Draft::new(&self.view);
        match decision {
            Decision::Commit(plan) => {
                step::commit(&mut draft, index, &edits, &plan, self.desk.now);
            }
            Decision::Reject(reason) => step::reject(&mut draft, index, reason, self.desk.now),
            Decision::Wait | Decision::Queue | Decision::PassOver => return,
        }
        let txn = draft.txn();
        self.write(Wake::Transaction(index), txn, out);
    }

    pub(super) fn edits(&self, transaction: &Transaction) -> BTreeMap<Target, Edit> {
        transaction
            .targets
            .keys()
            .filter_map(|target| {
                let proposal = self.view.proposal(transaction.index, target)?;
                Some((target.clone(), proposal.edit.clone()))
            })
            .collect()
    }
}

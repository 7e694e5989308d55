//! The controller of a transaction: its decision, its deadline, its cancelling.

use std::collections::BTreeMap;

use lockstep_types::{Edit, Index, Target};

use super::Node;
use crate::command::{Check, Command};
use crate::draft::Draft;
use crate::effect;
use crate::event::{Base, Subject, Wake};
use crate::record::{Key, PartStatus, Reason, Status, Transaction, Violation};
use crate::step::{self, Cause, Plan};

impl Node {
    pub(super) fn wake_transaction(&mut self, index: Index, out: &mut Vec<Command>) {
        let Some(transaction) = self.view.transaction(index).cloned() else { return };
        if transaction.status.is_final() {
            return;
        }
        let mut draft = Draft::new(&self.view);
        if self.desk.cancels.contains_key(&index) {
            self.fill_cancelled(&mut draft, &transaction);
        } else if self.carries(&transaction) {
            self.fill_next(&mut draft, &transaction);
        } else {
            return;
        }
        if draft.is_empty() {
            self.decide(&transaction, out);
        } else {
            let txn = draft.txn();
            self.write(Wake::Transaction(index), txn, out);
        }
    }

    /// Whether it is for this node to carry a transaction on: the one that took it in does while it
    /// lives; then anyone.
    fn carries(&self, transaction: &Transaction) -> bool {
        transaction.origin == self.session || !self.view.is_alive(&transaction.origin)
    }

    fn fill_next(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        let (index, now) = (transaction.index, self.desk.now);
        let late = now > transaction.deadline;
        match transaction.status {
            Status::Pending if late => step::pass_over(draft, index, Reason::Deadline, now),
            Status::Committed if late && transaction.is_atomic() => {
                step::turn(draft, index, Reason::Deadline);
            }
            Status::Committed => self.fill_nothing(draft, transaction),
            _ => {}
        }
    }

    /// Rule 10: recorded where the change was withdrawn, without the device.
    fn fill_nothing(&self, draft: &mut Draft<'_>, transaction: &Transaction) {
        for target in transaction.targets.keys() {
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
            Status::Committed => {
                for target in transaction.targets.keys() {
                    if transaction.part(target) == PartStatus::Pending {
                        let cause = Cause::Given(Reason::Cancelled);
                        step::withdraw(draft, index, target, cause, now);
                    }
                }
            }
            _ => {}
        }
    }

    /// Decides a pending transaction that heads the commit queue of each of its targets.
    fn decide(&mut self, transaction: &Transaction, out: &mut Vec<Command>) {
        let index = transaction.index;
        let heads = transaction.targets.keys().all(|target| {
            self.view.commit_head(target) == Some(index) && !self.view.is_held(target)
        });
        if transaction.status != Status::Pending || !heads {
            return;
        }
        let edits = self.edits(transaction);
        let subject = Subject::Transaction(index);
        let Some(decision) = self.decision(subject, transaction, &edits, out) else { return };
        let mut draft = Draft::new(&self.view);
        match decision {
            Ok(plan) => step::commit(&mut draft, index, &edits, &plan, self.desk.now),
            Err(reason) => step::reject(&mut draft, index, reason, self.desk.now),
        }
        let txn = draft.txn();
        self.write(Wake::Transaction(index), txn, out);
    }

    fn edits(&self, transaction: &Transaction) -> BTreeMap<Target, Edit> {
        transaction
            .targets
            .keys()
            .filter_map(|target| {
                let proposal = self.view.proposal(transaction.index, target)?;
                Some((target.clone(), proposal.edit.clone()))
            })
            .collect()
    }

    /// What is to be decided about a transaction, once yang has spoken. None: not yet.
    pub(super) fn decision(
        &mut self,
        subject: Subject,
        transaction: &Transaction,
        edits: &BTreeMap<Target, Edit>,
        out: &mut Vec<Command>,
    ) -> Option<Result<Plan, Reason>> {
        let plan = match step::plan(&self.view, transaction, edits) {
            Ok(plan) => plan,
            Err(reason) => return Some(Err(reason)),
        };
        let mut checks = BTreeMap::new();
        for (target, planned) in &plan {
            let result = self.view.committed(target).patched(&planned.committed);
            checks.insert(target.clone(), Check { base: self.base(target)?, result });
        }
        let violations = self.verdict(&subject, checks, out)?;
        Some(if violations.is_empty() { Ok(plan) } else { Err(Reason::Invalid(violations)) })
    }

    /// yang's word on these checks: the violations, if it has spoken on just this; otherwise it is
    /// asked.
    pub(super) fn verdict(
        &mut self,
        subject: &Subject,
        checks: BTreeMap<Target, Check>,
        out: &mut Vec<Command>,
    ) -> Option<Vec<Violation>> {
        if let Some(verdict) = self.desk.verdicts.remove(subject) {
            let bases = checks.iter().map(|(target, check)| (target, &check.base));
            if verdict.bases.iter().eq(bases) {
                return Some(verdict.violations);
            }
        }
        if self.desk.validating.insert(subject.clone()) {
            out.push(Command::Validate { subject: subject.clone(), checks });
        }
        None
    }

    /// What a verdict on `target` would be reached on now.
    pub(super) fn base(&self, target: &Target) -> Option<Base> {
        let models = self.view.binding(target)?.models.clone();
        let configuration = self.view.version(&Key::Configuration(target.clone()));
        Some(Base { configuration, models })
    }
}

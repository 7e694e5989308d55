//! Asking yang, and what its word comes to.

use std::collections::BTreeMap;

use lockstep_types::{Edit, Index, Target};

use super::Node;
use super::desk::Word;
use crate::command::{Check, Command};
use crate::event::{Subject, Verdict, Wake};
use crate::record::{Reason, Status, Transaction, Violation};
use crate::step::{self, Plan};

/// What is to be decided about a transaction.
#[derive(Debug)]
pub(super) enum Decision {
    /// yang has not spoken.
    Wait,
    /// Not now: it goes into the log undecided.
    Queue,
    /// Its deadline has passed.
    PassOver,
    /// It is valid.
    Commit(Plan),
    /// It is not.
    Reject(Reason),
}

impl Node {
    /// Decides about a transaction that heads its queues, on the state as it is now.
    pub(super) fn decision(
        &mut self,
        subject: Subject,
        transaction: &Transaction,
        edits: &BTreeMap<Target, Edit>,
        out: &mut Vec<Command>,
    ) -> Decision {
        if self.desk.validating.contains(&subject) {
            return Decision::Wait;
        }
        if transaction.kind.is_of_target() {
            return self.target_decision(&subject, transaction, out);
        }
        if let Some(gone) = self.gone(transaction) {
            return Decision::Reject(Reason::NoTarget(gone.clone()));
        }
        let plan = match step::plan(&self.view, transaction, edits) {
            Ok(plan) => plan,
            Err(reason) => return Decision::Reject(reason),
        };
        // A submission whose verdict was overtaken goes into the log, where nothing can overtake it. One that came with
        // a verdict has not been asked about yet.
        let overtaken = matches!(subject, Subject::Submission(_))
            && self.desk.verdicts.get(&subject).is_some_and(|word| word.asked);
        let checks = self.view.planned(&plan);
        let violations = checks.and_then(|checks| self.broken(&subject, checks, !overtaken, out));
        match violations {
            Some(violations) if violations.is_empty() => Decision::Commit(plan),
            Some(violations) => Decision::Reject(Reason::Invalid(violations)),
            None if overtaken => Decision::Queue,
            None => Decision::Wait,
        }
    }

    /// The rules that are broken by what is to be checked, if yang has spoken on just that. Otherwise it is asked,
    /// if it may be.
    pub(super) fn broken(
        &mut self,
        subject: &Subject,
        checks: BTreeMap<Target, Check>,
        ask: bool,
        out: &mut Vec<Command>,
    ) -> Option<Vec<Violation>> {
        let bases = checks.iter().map(|(target, check)| (target, &check.base));
        if let Some(Word { verdict, .. }) = self.desk.verdicts.get(subject) {
            if verdict.bases.iter().eq(bases) {
                return Some(verdict.violations.clone());
            }
            self.desk.verdicts.remove(subject);
        }
        if ask && self.desk.validating.insert(subject.clone()) {
            out.push(Command::Validate { subject: subject.clone(), checks });
        }
        None
    }

    /// yang has spoken. Its word is kept for as long as somebody waits for it.
    pub(super) fn judged(&mut self, subject: Subject, verdict: Verdict) -> Wake {
        self.desk.validating.remove(&subject);
        let (wake, wanted) = match &subject {
            Subject::Submission(id) => (Wake::Append, self.desk.submissions.named(id).is_some()),
            Subject::Transaction(index) => {
                let status = self.view.transaction(*index).map(|t| t.status);
                (Wake::Transaction(*index), status == Some(Status::Pending))
            }
            Subject::Recheck(target, _) => {
                (Wake::Recheck(target.clone()), self.view.header(target).recheck.is_some())
            }
        };
        if wanted {
            self.desk.verdicts.insert(subject, Word { verdict, asked: true });
        }
        wake
    }

    /// Words on what a target had before are forgotten.
    pub(super) fn forget_rechecks(&mut self, target: &Target) {
        let first = Subject::Recheck(target.clone(), Index::ZERO);
        let theirs = self.desk.verdicts.range(first..);
        let theirs = theirs.map(|(subject, _)| subject);
        let theirs = theirs.take_while(|s| matches!(s, Subject::Recheck(of, _) if of == target));
        let theirs: Vec<Subject> = theirs.cloned().collect();
        for subject in theirs {
            self.desk.verdicts.remove(&subject);
        }
    }
}

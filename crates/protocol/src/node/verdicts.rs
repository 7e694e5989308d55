//! Asking yang, and what its word comes to.

use std::collections::BTreeMap;

use lockstep_types::{Configuration as Tree, Edit, Index, Target};

use super::Node;
use crate::command::{Change, Check, Command};
use crate::event::{Base, Subject, Verdict, Wake};
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
        let results = plan.iter().map(|(target, planned)| {
            let before = self.view.committed(target);
            let result = before.patched(&planned.committed);
            let delta = planned.committed.delta();
            let change = self.view.is_valid(target).then_some(Change { before, delta });
            (target.clone(), (result, change))
        });
        let results = results.collect();
        // A submission whose verdict was overtaken goes into the log, where nothing can overtake it.
        let overtaken =
            matches!(subject, Subject::Submission(_)) && self.desk.verdicts.contains_key(&subject);
        match self.violations(&subject, results, !overtaken, out) {
            Some(violations) if violations.is_empty() => Decision::Commit(plan),
            Some(violations) => Decision::Reject(Reason::Invalid(violations)),
            None if overtaken => Decision::Queue,
            None => Decision::Wait,
        }
    }

    /// The rules that these results break, if yang has spoken on just them. Otherwise it is asked, if
    /// it may be.
    pub(super) fn violations(
        &mut self,
        subject: &Subject,
        results: BTreeMap<Target, (Tree, Option<Change>)>,
        ask: bool,
        out: &mut Vec<Command>,
    ) -> Option<Vec<Violation>> {
        let mut checks = BTreeMap::new();
        for (target, (result, change)) in results {
            let base = self.base(&target)?;
            checks.insert(target, Check { base, result, change, also: Vec::new() });
        }
        self.broken(subject, checks, ask, out)
    }

    /// The rules that are broken by what is to be checked, if yang has spoken on just that.
    pub(super) fn broken(
        &mut self,
        subject: &Subject,
        checks: BTreeMap<Target, Check>,
        ask: bool,
        out: &mut Vec<Command>,
    ) -> Option<Vec<Violation>> {
        let bases = checks.iter().map(|(target, check)| (target, &check.base));
        if let Some(verdict) = self.desk.verdicts.get(subject) {
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

    /// What a verdict on `target` would be reached on now.
    fn base(&self, target: &Target) -> Option<Base> {
        let models = self.view.binding(target)?.models.clone();
        Some(Base { configuration: self.view.decided_at(target), models })
    }

    /// yang has spoken. Its word is kept for as long as somebody waits for it.
    pub(super) fn judged(&mut self, subject: Subject, verdict: Verdict) -> Wake {
        self.desk.validating.remove(&subject);
        let (wake, wanted) = match &subject {
            Subject::Submission(id) => {
                (Wake::Append, self.desk.submissions.iter().any(|request| request.id == *id))
            }
            Subject::Transaction(index) => {
                let status = self.view.transaction(*index).map(|t| t.status);
                (Wake::Transaction(*index), status == Some(Status::Pending))
            }
            Subject::Recheck(target, _) => {
                (Wake::Recheck(target.clone()), self.view.header(target).recheck.is_some())
            }
        };
        if wanted {
            self.desk.verdicts.insert(subject, verdict);
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

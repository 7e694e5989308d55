//! Targets that come, are bound anew and go, each at its place in the queue of its target.

use lockstep_types::Target;

use super::Node;
use super::verdicts::Decision;
use crate::command::{Check, Command};
use crate::draft::Draft;
use crate::event::{Base, Subject, Wake};
use crate::record::{Binding, Kind, Reason, Transaction};
use crate::step::{self, Plan};

impl Node {
    /// A target of a transaction that is not there. What a Rollback has to take out went with the target.
    pub(super) fn gone<'t>(&self, transaction: &'t Transaction) -> Option<&'t Target> {
        let rollback = matches!(transaction.kind, Kind::Rollback { .. });
        let mut targets = transaction.targets.keys().filter(|_| !rollback);
        targets.find(|target| self.view.binding(target).is_none())
    }

    /// Decides about what is about a target itself, which heads its queue.
    pub(super) fn target_decision(
        &mut self,
        subject: &Subject,
        transaction: &Transaction,
        out: &mut Vec<Command>,
    ) -> Decision {
        let Some(target) = transaction.targets.keys().next() else { return Decision::Queue };
        let bound = self.view.binding(target);
        match (transaction.kind, bound, &transaction.binding) {
            (Kind::Add, Some(_), _) => Decision::Reject(Reason::TargetExists(target.clone())),
            (Kind::Rebind | Kind::Remove, None, _) => {
                Decision::Reject(Reason::NoTarget(target.clone()))
            }
            (Kind::Rebind, Some(bound), Some(new)) if bound.models != new.models => {
                self.rebind(subject, target, new, out)
            }
            _ => Decision::Commit(Plan::new()),
        }
    }

    /// What stands, and whatever it may fall back to, has to be valid by the new models.
    fn rebind(
        &mut self,
        subject: &Subject,
        target: &Target,
        new: &Binding,
        out: &mut Vec<Command>,
    ) -> Decision {
        let mut trees = self.view.may_stand(target).into_iter();
        let Some(result) = trees.next() else { return Decision::Commit(Plan::new()) };
        let configuration = self.view.decided_at(target);
        let base = Base { configuration, models: new.models.clone() };
        let check = Check { base, result, change: None, also: trees.collect() };
        match self.broken(subject, [(target.clone(), check)].into(), true, out) {
            None => Decision::Wait,
            Some(broken) if broken.is_empty() => Decision::Commit(Plan::new()),
            Some(broken) => Decision::Reject(Reason::Invalid(broken)),
        }
    }

    /// Withdraws the last of what still waits for the device of a target that goes. From the end, so that
    /// nothing has to be looked at again. Says whether there was any.
    pub(super) fn withdraw_last(&mut self, remove: &Transaction, out: &mut Vec<Command>) -> bool {
        let last = |target: &Target| self.view.apply_queue(target).last();
        let found = remove.targets.keys().find_map(|target| Some((target.clone(), last(target)?)));
        let Some((target, index)) = found else { return false };
        let mut draft = Draft::new(&self.view);
        let reason = Reason::Removed(remove.index);
        step::withdraw(&mut draft, index, &target, reason, self.desk.now);
        let txn = draft.txn();
        self.write(Wake::Transaction(remove.index), txn, out);
        true
    }
}

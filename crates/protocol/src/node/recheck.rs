//! Rule 9: after a withdrawal, each entry behind it is validated again, in the store, before anything
//! else is committed or sent.

use lockstep_types::{Index, Target};

use super::Node;
use crate::command::{Check, Command};
use crate::draft::Draft;
use crate::event::{Subject, Wake};
use crate::record::{Key, Reason};
use crate::step;

impl Node {
    pub(super) fn wake_recheck(&mut self, target: &Target, out: &mut Vec<Command>) {
        let Some(checked) = self.view.header(target).recheck else { return };
        if self.view.master(target).is_some() && !self.is_master(target) {
            return;
        }
        if self.view.is_half_adopted(target) {
            // On half of what its device has nothing can be judged.
            return;
        }
        let mut behind = self.view.apply_queue(target).filter(|index| *index > checked);
        let (next, more) = (behind.next(), behind.next().is_some());
        drop(behind);
        match next {
            None => self.checked_up_to(target, None, out),
            Some(index) => self.recheck(target, index, more, out),
        }
    }

    fn recheck(&mut self, target: &Target, index: Index, more: bool, out: &mut Vec<Command>) {
        let subject = Subject::Recheck(target.clone(), index);
        if self.desk.validating.contains(&subject) {
            return;
        }
        let result = self.view.committed_up_to(target, index);
        // What stood before the entry may not be valid either, so it is looked at as a whole.
        let Some(base) = self.view.base(target) else { return };
        let check = Check { base, result, change: None, also: Vec::new() };
        let checks = [(target.clone(), check)].into();
        let Some(violations) = self.broken(&subject, checks, true, out) else { return };
        if violations.is_empty() {
            self.checked_up_to(target, more.then_some(index), out);
            return;
        }
        let reason = Reason::InvalidAfterWithdrawal(violations);
        let mut draft = Draft::new(&self.view);
        draft.depends_on(Key::Binding(target.clone()));
        if self.view.transaction(index).is_some_and(|t| t.is_atomic()) {
            step::turn_at(&mut draft, index, target, reason);
            draft.configuration(target).header.recheck = None;
        } else {
            step::withdraw(&mut draft, index, target, reason, self.desk.now);
        }
        let txn = draft.txn();
        self.write(Wake::Recheck(target.clone()), txn, out);
    }

    fn checked_up_to(&mut self, target: &Target, checked: Option<Index>, out: &mut Vec<Command>) {
        let mut draft = Draft::new(&self.view);
        draft.depends_on(Key::Binding(target.clone()));
        draft.configuration(target).header.recheck = checked;
        let txn = draft.txn();
        self.write(Wake::Recheck(target.clone()), txn, out);
    }
}

//! The controller of a target: who is its master, and what the master does next.

use lockstep_types::{Index, Target, Term, Timestamp};

use super::Node;
use super::link::{Outcome, Work};
use crate::command::{Ask, Command};
use crate::draft::Draft;
use crate::effect;
use crate::event::Wake;
use crate::record::Status;
use crate::step;

impl Node {
    pub(super) fn wake_target(&mut self, target: &Target, out: &mut Vec<Command>) {
        if self.view.binding(target).is_none() {
            // It is not there any more, or not for us.
            self.set_work(target, Work::Idle);
            if self.connection(target).is_some() {
                self.give_up(target, out);
            }
        } else if self.view.master(target).is_none() {
            self.set_work(target, Work::Idle);
            self.without_master(target, out);
        } else if self.is_master(target) {
            self.as_master(target, out);
        } else {
            self.set_work(target, Work::Idle);
            self.ask_for(target, out);
        }
    }

    /// While there is no master: take the target if connected; otherwise bring undos about in the
    /// store, and what can only go forward, so that a dead device holds nobody's queue (rule 4).
    fn without_master(&mut self, target: &Target, out: &mut Vec<Command>) {
        if self.connection(target).is_some() {
            self.take(target, out);
        } else if let Some(index) = self.view.undo_head(target) {
            let mut draft = Draft::new(&self.view);
            draft.without_master(target);
            step::undone(&mut draft, index, target, None, self.desk.now);
            let txn = draft.txn();
            self.write(Wake::Target(target.clone()), txn, out);
        } else if let Some(index) = self.view.forward_head(target) {
            let mut draft = Draft::new(&self.view);
            draft.without_master(target);
            step::applied(&mut draft, index, target, self.desk.now);
            let txn = draft.txn();
            self.write(Wake::Target(target.clone()), txn, out);
        }
    }

    fn as_master(&mut self, target: &Target, out: &mut Vec<Command>) {
        let Some(mastership) = self.view.mastership(target) else { return };
        let term = mastership.term;
        let won_on = mastership.connection;
        if let Some(mut link) = self.desk.links.get_mut(target) {
            link.term = term;
        }
        match self.connection(target) {
            None => self.release(target, out),
            Some(connection) if connection != won_on => self.take(target, out),
            Some(_) if self.view.header(target).claim > term => self.take_over(target, out),
            Some(_) => self.go_on(target, term, out),
        }
    }

    /// On its connection: what was answered is recorded, or something is begun. What is under way may be as long as
    /// a configuration, so it is looked at where it is.
    fn go_on(&mut self, target: &Target, term: Term, out: &mut Vec<Command>) {
        match self.desk.link(target).map(|link| &link.work) {
            Some(Work::Answered(Outcome::Seen(seen))) => {
                let seen = seen.clone();
                self.adopt(target, &seen, out);
            }
            Some(Work::Answered(outcome)) => {
                let outcome = outcome.clone();
                self.record(target, term, outcome, out);
            }
            Some(Work::Idle) => match self.successor(target, term) {
                Some(next) => self.hand_over(target, next, out),
                None => self.next_work(target, term, out),
            },
            Some(Work::Applying(index)) if self.is_late(*index) => {
                self.give_up(target, out);
                self.release(target, out);
            }
            _ => {}
        }
    }

    /// The master's next move on a device with nothing outstanding: undo, resync, confirm, apply. What can
    /// only go forward does not wait for a resync.
    fn next_work(&mut self, target: &Target, term: Term, out: &mut Vec<Command>) {
        let synced = self.view.header(target).synced == term;
        if self.is_refused_here(target, term) {
            self.give_up(target, out);
            self.release(target, out);
        } else if let Some(index) = self.view.undo_head(target) {
            self.undo(target, term, index, synced, out);
        } else if let Some(index) = self.view.forward_head(target).filter(|_| !synced) {
            let mut draft = Draft::new(&self.view);
            draft.as_master(target, &self.session);
            step::applied(&mut draft, index, target, self.desk.now);
            let txn = draft.txn();
            self.write(Wake::Target(target.clone()), txn, out);
        } else if self.view.header(target).paused || !self.may_send(target) {
            // Woken again by whoever resumes it, or by the clock.
        } else if !synced {
            self.resync(target, term, out);
        } else if let Some(index) = self.view.confirm_head(target) {
            self.settle(target, term, index, out);
        } else if let Some(index) = self.view.apply_head(target) {
            self.apply(target, term, index, out);
        } else if self.is_to_be_looked_at(target) {
            self.look(target, term, out);
        }
    }

    /// Begins the term that an operator asks for. What is under way is not waited for any more: it was sent
    /// to a device that listens to somebody else.
    fn take_over(&mut self, target: &Target, out: &mut Vec<Command>) {
        if let Some(mut link) = self.desk.links.get_mut(target) {
            link.drop_work();
            link.retry = None;
        }
        self.take(target, out);
    }

    fn look(&mut self, target: &Target, term: Term, out: &mut Vec<Command>) {
        self.send(target, term, Ask::Read, Work::Looking, out);
    }

    /// Rules 3 and 4: to a synchronised device that may have it, otherwise in the store alone.
    fn undo(
        &mut self,
        target: &Target,
        term: Term,
        index: Index,
        synced: bool,
        out: &mut Vec<Command>,
    ) {
        let Some(transaction) = self.view.transaction(index) else { return };
        if synced && self.view.may_have_been_sent(transaction, target) {
            if !self.may_send(target) {
                // Woken again by the clock.
            } else if transaction.trial {
                self.settle(target, term, index, out);
            } else {
                let delta = effect::undone(&self.view, transaction, target);
                self.send(target, term, Ask::Set(delta), Work::Undoing(index), out);
            }
        } else {
            let mut draft = Draft::new(&self.view);
            draft.as_master(target, &self.session);
            step::undone(&mut draft, index, target, None, self.desk.now);
            let txn = draft.txn();
            self.write(Wake::Target(target.clone()), txn, out);
        }
    }

    fn apply(&mut self, target: &Target, term: Term, index: Index, out: &mut Vec<Command>) {
        let Some(transaction) = self.view.transaction(index) else { return };
        let checked = self.view.header(target).recheck.is_none_or(|checked| index <= checked);
        if checked && !effect::has_nothing_to_send(&self.view, transaction, target) {
            let delta = effect::applied(&self.view, transaction, target);
            if transaction.trial {
                self.try_out(target, term, index, delta, out);
            } else {
                self.send(target, term, Ask::Set(delta), Work::Applying(index), out);
            }
        }
    }

    /// Rule 7: how long a device is waited for that was sent what has turned since. Until its deadline;
    /// past it no device is waited for any more.
    fn patience(&self, index: Index) -> Option<Timestamp> {
        let transaction = self.view.transaction(index)?;
        (transaction.status == Status::Reverting).then_some(transaction.deadline)
    }

    fn is_late(&self, index: Index) -> bool {
        self.patience(index).is_some_and(|until| self.desk.now > until)
    }

    /// The targets whose device is waited for no longer than this. Whoever is the master sees to it,
    /// whichever node carries the transaction.
    pub(super) fn waited_for(&self) -> impl Iterator<Item = (Timestamp, &Target)> {
        self.view.reverting().filter_map(|index| Some((index, self.patience(index)?))).flat_map(
            |(index, until)| self.desk.links.applying(index).map(move |target| (until, target)),
        )
    }

    /// Whether the device is not left alone after a failure.
    fn may_send(&self, target: &Target) -> bool {
        let link = self.desk.link(target);
        link.is_some_and(|link| link.retry.is_none_or(|retry| retry.at <= self.desk.now))
    }
}

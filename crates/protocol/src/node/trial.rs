//! Trials with a device: sending one, having it kept or taken back, and getting it out of the way of a
//! resync.

use lockstep_types::{Connection, Delta, Index, Target, Term};

use super::Node;
use super::link::{Outcome, Work};
use crate::command::{Ask, Command};
use crate::draft::Draft;
use crate::event::{Answer, Wake};
use crate::record::{Failure, Trials};
use crate::step;

/// How much longer than the transaction has left the device waits to be told, in nanoseconds. Whatever is
/// still open at the deadline turns, so all that has to fit is telling the devices which way it went.
const SLACK: u64 = 60_000_000_000;

impl Node {
    /// The device on this connection takes things on trial.
    pub(super) fn can_try(&mut self, target: &Target, connection: Connection, trials: Trials) {
        if let Some(mut link) = self.desk.links.get_mut(target)
            && link.connection == connection
        {
            link.trials = trials;
        }
    }

    /// Sends the apply head on trial.
    pub(super) fn try_out(
        &mut self,
        target: &Target,
        term: Term,
        index: Index,
        delta: Delta,
        out: &mut Vec<Command>,
    ) {
        let Some(transaction) = self.view.transaction(index) else { return };
        if self.desk.link(target).is_none_or(|link| link.trials == Trials::Never) {
            // It could when this was decided. Taken for a plain Set it would be there to stay.
            let (code, message) = ("UNIMPLEMENTED", "the device has commit-confirmed no longer");
            let failure = Failure { code: code.into(), message: message.into() };
            self.record(target, term, Outcome::Refused(index, failure), out);
            return;
        }
        let Some(left) = transaction.deadline.get().checked_sub(self.desk.now.get()) else {
            // It turns: whoever carries it sees to that. The others' timers end soon.
            return;
        };
        let ask = Ask::Trial { index, delta, rollback: left.saturating_add(SLACK) };
        self.send(target, term, ask, Work::Applying(index), out);
    }

    /// The trial that the device is to keep, or to take back.
    pub(super) fn to_be_settled(&self, target: &Target) -> Option<Index> {
        let undone = self.view.undo_head(target).filter(|index| self.view.is_trial(*index));
        undone.or_else(|| self.view.confirm_head(target))
    }

    /// Has the device keep the trial, or take it back.
    pub(super) fn settle(
        &mut self,
        target: &Target,
        term: Term,
        index: Index,
        out: &mut Vec<Command>,
    ) {
        self.send(target, term, self.as_recorded(index), Work::Settling(index), out);
    }

    /// What the record says about a trial.
    fn as_recorded(&self, index: Index) -> Ask {
        if self.view.keeps_trial(index) { Ask::Confirm(index) } else { Ask::Cancel(index) }
    }

    pub(super) fn settled_or_not(&mut self, target: &Target, index: Index, answer: Answer) {
        match answer {
            Answer::Accepted => self.taken(target, Outcome::Settled { index, had_it: true }),
            Answer::Lost | Answer::Refused(_) => {
                self.taken(target, Outcome::Settled { index, had_it: false });
            }
            _ => self.fenced(target),
        }
    }

    /// Begins to bring a device in line. What it has on trial is taken back with that, so it is to be sent
    /// again.
    pub(super) fn resync(&mut self, target: &Target, term: Term, out: &mut Vec<Command>) {
        if let Some(index) = self.view.undecided_trial(target) {
            let mut draft = Draft::new(&self.view);
            draft.as_master(target, &self.session);
            step::taken_back(&mut draft, index, target);
            let txn = draft.txn();
            self.write(Wake::Target(target.clone()), txn, out);
        } else {
            self.send(target, term, Ask::Claim, Work::Claiming, out);
        }
    }

    /// Nothing that was sent before can land any more. What is on trial by now is dealt with as the record
    /// says before the device is read: it is not what the device holds.
    pub(super) fn claimed(&mut self, target: &Target, term: Term, out: &mut Vec<Command>) {
        if self.view.header(target).trial.is_some() {
            self.clear(target, term, None, out);
        } else {
            self.send(target, term, Ask::Read, Work::Reading, out);
        }
    }

    /// The device does not take the claim, maybe because something on trial is in the way of that, too.
    pub(super) fn not_claimed(
        &mut self,
        target: &Target,
        term: Term,
        failure: Failure,
        out: &mut Vec<Command>,
    ) {
        if self.view.header(target).trial.is_some() {
            self.clear(target, term, Some(failure), out);
        } else {
            self.resync_failed(target, Answer::Refused(failure));
        }
    }

    fn clear(
        &mut self,
        target: &Target,
        term: Term,
        refused: Option<Failure>,
        out: &mut Vec<Command>,
    ) {
        let Some(index) = self.view.header(target).trial else { return };
        self.send(target, term, self.as_recorded(index), Work::Clearing { refused }, out);
    }

    /// The device has nothing on trial any more.
    pub(super) fn cleared(
        &mut self,
        target: &Target,
        term: Term,
        refused: Option<Failure>,
        answer: Answer,
        out: &mut Vec<Command>,
    ) {
        match (answer, refused) {
            (Answer::Accepted | Answer::Lost, None) => {
                self.send(target, term, Ask::Read, Work::Reading, out);
            }
            (Answer::Accepted, Some(_)) => {
                self.send(target, term, Ask::Claim, Work::Claiming, out);
            }
            (Answer::Lost, Some(failure)) => self.resync_failed(target, Answer::Refused(failure)),
            (answer, _) => self.resync_failed(target, answer),
        }
    }
}

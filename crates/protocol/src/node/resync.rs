//! Bringing a device in line: claim, read, send the difference, read what it made of it (rules 6, 8).

use lockstep_types::{Configuration as Tree, Delta, Index, Target, Term};

use super::Node;
use super::link::{Outcome, Push, Work};
use crate::command::{Ask, Command};
use crate::effect;
use crate::event::Answer;
use crate::record::{Failure, Marks, Rewritten};

impl Node {
    /// A device answered the outstanding request.
    pub(super) fn answered(&mut self, target: &Target, answer: Answer, out: &mut Vec<Command>) {
        let term = self.view.mastership(target).map(|m| m.term).unwrap_or_default();
        let Some(mut link) = self.desk.links.get_mut(target) else { return };
        let work = std::mem::take(&mut link.work);
        link.unsettled |= work.is_set() && answer == Answer::Unknown;
        link.drifted |= work.sees_to_drift() && answer == Answer::Busy;
        match (&work, &answer) {
            (Work::Claiming, Answer::Accepted) => {
                // Whatever was sent before is turned away from now on.
                link.unsettled = false;
                link.fenced = Some(true);
                link.heard = true;
            }
            (Work::Claiming, Answer::Unfenced(_)) => link.fenced = Some(false),
            _ => {}
        }
        drop(link);
        match (work, answer) {
            (_, Answer::Unknown) => self.give_up(target, out),
            (_, Answer::Busy) => self.back_off(target),
            (Work::Clearing { refused }, answer) => {
                self.cleared(target, term, refused, answer, out);
            }
            (Work::Claiming, Answer::Accepted) => self.claimed(target, term, out),
            (Work::Claiming, Answer::Unfenced(wait)) => {
                if self.is_quiet(target, wait) {
                    self.claimed(target, term, out);
                }
            }
            (Work::Claiming, Answer::Refused(failure)) => {
                self.not_claimed(target, term, failure, out);
            }
            (Work::Claiming, Answer::Fenced) => {
                self.back_off(target);
                self.answer_is(target, Outcome::Unheard(term));
            }
            (Work::Reading, Answer::Values(seen)) => self.push(target, term, seen, out),
            (Work::Looking, Answer::Values(seen)) => self.looked(target, term, seen, out),
            (Work::Pushing(push, _), Answer::Accepted) => {
                self.send(target, term, Ask::Read, Work::Verifying(push), out);
            }
            (Work::Pushing(push, seen), Answer::Refused(failure)) => {
                self.push_refused(target, term, (push, seen), failure, out);
            }
            (Work::Verifying(push), Answer::Values(seen)) => {
                let marks = self.marks(target, &push.delta, &seen);
                self.taken(target, Outcome::Synced { over: push.over, head: push.head, marks });
            }
            (Work::Applying(index), answer) => self.applied_or_not(target, index, answer),
            (Work::Undoing(index), answer) => self.undone_or_not(target, index, answer),
            (Work::Settling(index), answer) => self.settled_or_not(target, index, answer),
            (_, answer) => self.resync_failed(target, answer),
        }
    }

    fn undone_or_not(&mut self, target: &Target, index: Index, answer: Answer) {
        match answer {
            Answer::Accepted => self.taken(target, Outcome::Undone(index, None)),
            Answer::Refused(failure) => self.taken(target, Outcome::Undone(index, Some(failure))),
            _ => self.fenced(target),
        }
    }

    fn applied_or_not(&mut self, target: &Target, index: Index, answer: Answer) {
        match answer {
            Answer::Accepted if self.view.is_trial(index) => {
                self.taken(target, Outcome::Accepted(index));
            }
            Answer::Accepted => self.taken(target, Outcome::Applied(index)),
            Answer::Refused(failure) => self.taken(target, Outcome::Refused(index, failure)),
            _ => self.fenced(target),
        }
    }

    /// The device has spoken on the request itself: there is nothing to wait out.
    pub(super) fn taken(&mut self, target: &Target, outcome: Outcome) {
        self.end_back_off(target);
        self.answer_is(target, outcome);
    }

    /// The device listened to the claim and does not listen now; or its answer does not fit.
    pub(super) fn fenced(&mut self, target: &Target) {
        self.back_off(target);
        self.answer_is(target, Outcome::Fenced);
    }

    fn answer_is(&mut self, target: &Target, outcome: Outcome) {
        self.set_work(target, Work::Answered(outcome));
    }

    /// Rule 7: nobody knows what became of the request, and it may still land. The connection goes,
    /// and with it the term; a late delivery meets a device that listens to a newer one.
    pub(super) fn give_up(&mut self, target: &Target, out: &mut Vec<Command>) {
        let Some(mut link) = self.desk.links.get_mut(target) else { return };
        link.down();
        let connection = link.connection;
        out.push(Command::Close { target: target.clone(), connection });
    }

    pub(super) fn resync_failed(&mut self, target: &Target, answer: Answer) {
        let failure = match answer {
            Answer::Refused(failure) => failure,
            Answer::Fenced => Failure::foreign_master(),
            other => Failure {
                code: "INTERNAL".into(),
                message: format!("the device gave an answer that does not fit: {other:?}"),
            },
        };
        self.back_off(target);
        self.answer_is(target, Outcome::ResyncRefused(failure));
    }

    /// What the device holds is known: send the difference, if there is any.
    pub(super) fn push(&mut self, target: &Target, term: Term, seen: Tree, out: &mut Vec<Command>) {
        if self.view.undo_head(target).is_some() {
            // Something turned since the claim: its undo comes first (rule 5), then all over again.
            return;
        }
        if self.is_to_be_adopted(target, &seen) {
            self.seen(target, seen);
            return;
        }
        // What is only tried is no more on the device, and must not be there before it is sent.
        let over = self.view.apply_head(target).filter(|index| !self.view.is_trial(*index));
        let delta = self.difference(target, &seen, over);
        if delta.is_empty() {
            let marks = self.marks(target, &delta, &seen);
            self.taken(target, Outcome::Synced { over, head: None, marks });
        } else {
            let push = Push { delta: delta.clone(), over, head: None };
            self.send(target, term, Ask::Set(delta), Work::Pushing(push, seen), out);
        }
    }

    /// Rule 8: a device that refuses to go back may yet take that together with the change that is
    /// next, as one Set.
    fn push_refused(
        &mut self,
        target: &Target,
        term: Term,
        (push, seen): (Push, Tree),
        failure: Failure,
        out: &mut Vec<Command>,
    ) {
        let head = self.sendable_head(target).filter(|_| push.head.is_none());
        let Some((index, head)) = head.zip(head.and_then(|index| self.view.transaction(index)))
        else {
            self.resync_failed(target, Answer::Refused(failure));
            return;
        };
        let delta = self
            .difference(target, &seen, None)
            .compose(&effect::applied(&self.view, head, target));
        let push = Push { delta: delta.clone(), over: Some(index), head: Some(index) };
        self.send(target, term, Ask::Set(delta), Work::Pushing(push, seen), out);
    }

    /// The apply head, if it may go to the device now.
    fn sendable_head(&self, target: &Target) -> Option<Index> {
        let index = self.view.apply_head(target)?;
        let transaction = self.view.transaction(index)?;
        let checked = self.view.header(target).recheck.is_none_or(|checked| index <= checked);
        let free = self.view.undo_head(target).is_none();
        let sends = !effect::has_nothing_to_send(&self.view, transaction, target);
        (checked && free && sends && !transaction.trial).then_some(index)
    }

    /// What must be sent to a device that holds `seen` so that it holds the applied values. A unit
    /// that already is what `over` will set is left alone, so that it does not flap; so is one that
    /// the device shows in a form of its own.
    fn difference(&self, target: &Target, seen: &Tree, over: Option<Index>) -> Delta {
        let view = &self.view;
        let applied = view.applied(target);
        let marks = view.marks(target);
        // One that is brought in line is brought in line everywhere.
        let ignored = view.binding(target).filter(|_| view.is_synchronised(target));
        let ignored = ignored.map(|binding| binding.ignore.as_slice()).unwrap_or_default();
        let next = over
            .and_then(|index| view.transaction(index))
            .map(|transaction| effect::applied(view, transaction, target))
            .unwrap_or_default();
        seen.diff(&applied)
            .into_iter()
            .filter(|(path, wanted)| {
                let holds = seen.get(path);
                let soon = next.get(path).is_some_and(|next| next.as_ref() == holds);
                let marked = marks
                    .and_then(|marks| marks.get(path))
                    .is_some_and(|mark| mark.wanted == *wanted && mark.seen.as_ref() == holds);
                !soon && !marked && !ignored.iter().any(|pattern| pattern.covers(path))
            })
            .collect()
    }

    /// Units that the device shows in a form of its own after it accepted `pushed`, and those known
    /// before that still are so.
    pub(super) fn marks(&self, target: &Target, pushed: &Delta, seen: &Tree) -> Marks {
        let applied = self.view.applied(target);
        let known = self.view.marks(target).into_iter().flatten();
        let still = known.filter(|(path, mark)| {
            applied.get(path) == mark.wanted.as_ref() && seen.get(path) == mark.seen.as_ref()
        });
        let still = still.map(|(path, mark)| (path.clone(), mark.clone()));
        let fresh = pushed.iter().filter(|(path, wanted)| seen.get(path) != wanted.as_ref()).map(
            |(path, wanted)| {
                let mark = Rewritten { wanted: wanted.clone(), seen: seen.get(path).cloned() };
                (path.clone(), mark)
            },
        );
        still.chain(fresh).collect()
    }
}

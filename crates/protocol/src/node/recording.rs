//! Recording what came of a request; what no longer fits what the store says is dropped.

use lockstep_types::{Index, Target, Term};

use super::Node;
use super::link::{Outcome, Work};
use crate::command::Command;
use crate::draft::Draft;
use crate::event::Wake;
use crate::record::{Failure, Marks, Mastership, PartStatus};
use crate::step::{self, Found};

impl Node {
    pub(super) fn record(
        &mut self,
        target: &Target,
        term: Term,
        outcome: Outcome,
        out: &mut Vec<Command>,
    ) {
        let mut draft = Draft::new(&self.view);
        draft.as_master(target, &self.session);
        self.fill(&mut draft, target, term, outcome.clone());
        if draft.is_empty() {
            // Nothing left to say: it is recorded, or the transaction turned meanwhile.
            self.set_work(target, Work::Idle);
            self.wake_target(target, out);
            return;
        }
        if let Some(index) = self.gathered_for(&outcome) {
            if self.desk.recording.is_under_way(index) {
                return;
            }
            self.fill_others(&mut draft, index, target, &outcome);
            self.desk.recording.begin(index, target);
        }
        let txn = draft.txn();
        self.write(Wake::Target(target.clone()), txn, out);
    }

    pub(super) fn fill(
        &self,
        draft: &mut Draft<'_>,
        target: &Target,
        term: Term,
        outcome: Outcome,
    ) {
        let (view, now) = (&self.view, self.desk.now);
        let is_head = |index| view.apply_head(target) == Some(index);
        match outcome {
            Outcome::Accepted(index) if is_head(index) => {
                step::accepted(draft, index, target, now);
            }
            Outcome::Settled { index, had_it } if self.to_be_settled(target) == Some(index) => {
                step::settled(draft, index, target, had_it, now);
            }
            Outcome::Applied(index) if is_head(index) => step::applied(draft, index, target, now),
            Outcome::Refused(index, failure) if is_head(index) => {
                step::refused(draft, index, target, failure, now);
            }
            Outcome::Undone(index, refused) if view.undo_head(target) == Some(index) => {
                step::undone(draft, index, target, refused, now);
            }
            Outcome::Synced { over, head, marks } => {
                self.fill_synced(draft, target, term, (over, head), marks);
            }
            Outcome::ResyncRefused(failure) => self.fill_refused(draft, target, term, failure),
            Outcome::Unheard(claimed) if claimed == term => self.fill_unheard(draft, target, term),
            Outcome::Fenced if view.header(target).synced != Term::ZERO => {
                draft.configuration(target).header.synced = Term::ZERO;
            }
            _ => {}
        }
    }

    /// One that was paused meanwhile is not recorded as in line: what is to be undone there would wait for a
    /// device that is sent nothing.
    ///
    /// A resync that left the apply head's units alone, or carried them, is void once that head was
    /// withdrawn: the device may hold what nobody wants any more.
    fn fill_synced(
        &self,
        draft: &mut Draft<'_>,
        target: &Target,
        term: Term,
        (over, head): (Option<Index>, Option<Index>),
        marks: Marks,
    ) {
        let view = &self.view;
        let withdrawn = |index: Index| {
            view.transaction(index).is_some_and(|t| t.part(target) == PartStatus::Withdrawn)
        };
        let header = view.header(target);
        let known = view.marks(target).map_or(marks.is_empty(), |known| *known == marks);
        // An order to adopt is done only where there was nothing to adopt.
        let adopting = header.adopting && !view.is_settled(target);
        let nothing_new = header.synced == term && header.adopting == adopting && known;
        if nothing_new || header.paused || over.is_some_and(withdrawn) {
            return;
        }
        step::synced(draft, target, self.found(target, term), marks);
        if adopting {
            let wanted = header.adopting_for.clone();
            let header = &mut draft.configuration(target).header;
            (header.adopting, header.adopting_for) = (true, wanted);
        }
        if let Some(index) = head.filter(|index| view.apply_head(target) == Some(*index)) {
            step::applied(draft, index, target, self.desk.now);
        }
    }

    /// What this node found out about a device that it claimed.
    pub(super) fn found(&self, target: &Target, term: Term) -> Found {
        let link = self.desk.link(target);
        let trials = link.map(|link| link.trials).unwrap_or_default();
        Found { term, trials, fenced: link.and_then(|link| link.fenced) }
    }

    /// The next term is in the same write: whoever is the master then finds no refusal that nobody went on from.
    fn fill_unheard(&self, draft: &mut Draft<'_>, target: &Target, term: Term) {
        let mastership = self.view.mastership(target);
        if let Some((term, mastership)) = self.leap(target, term).zip(mastership) {
            draft.put_mastership(target, Mastership { term, ..mastership.clone() });
        }
        self.fill_refused(draft, target, term, Failure::foreign_master());
    }

    /// One that was synchronised, and was to be changed back, is not any more.
    fn fill_refused(&self, draft: &mut Draft<'_>, target: &Target, term: Term, failure: Failure) {
        let header = self.view.header(target);
        if header.resync_refused.as_ref() != Some(&failure) || header.synced == term {
            let header = &mut draft.configuration(target).header;
            header.resync_refused = Some(failure);
            header.synced = Term::ZERO;
        }
    }
}

//! What clients are told, and when. Only from what the store holds.

use std::collections::BTreeSet;

use lockstep_types::{Index, Target, TransactionId};

use super::Node;
use super::append::mode;
use super::desk::{Cancel, Waiter, Word};
use crate::command::Command;
use crate::event::{Subject, Verdict, Wake};
use crate::record::{Kind, Rule, Status, Transaction, WindowStage};
use crate::request::{Body, Client, Refusal, Reply, Request, Until};

impl Node {
    /// Takes in a request, or turns it down before anything is written.
    pub(super) fn submit(
        &mut self,
        client: Client,
        request: Request,
        verdict: Option<Verdict>,
        out: &mut Vec<Command>,
    ) -> Option<Wake> {
        match self.admit(&request) {
            Err(refusal) => {
                out.push(Command::Answer { client, reply: Reply::Refused(refusal) });
                None
            }
            Ok(known) => {
                let answer_by = request.answer_by;
                let waiter = Waiter { client, until: request.until, answer_by };
                self.desk.overdue.extend(answer_by.map(|at| (at, request.id.clone())));
                let id = request.id.clone();
                self.desk.waiters.entry(id.clone()).or_default().push(waiter);
                if known {
                    self.answer_waiters(&id, out);
                    return None;
                }
                let ahead = verdict.map(|verdict| Word { verdict, asked: false });
                let ahead = ahead.map(|word| (Subject::Submission(id), word));
                self.desk.verdicts.extend(ahead);
                self.desk.submissions.push(request);
                Some(Wake::Append)
            }
        }
    }

    /// Whether the id is known already, with the same body; or why the request is turned down.
    fn admit(&self, request: &Request) -> Result<bool, Refusal> {
        if let Some(first) = self.view.named(&request.id) {
            return match self.is_the_same(first, &request.body) {
                Some(true) => Ok(true),
                Some(false) => Err(Refusal::IdTaken(first.index)),
                None => Err(Refusal::BeingWritten(first.index)),
            };
        }
        if let Some(first) = self.desk.submissions.named(&request.id) {
            let same = first.body == request.body;
            return if same { Ok(true) } else { Err(Refusal::IdPending) };
        }
        if self.desk.validating.contains(&Subject::Submission(request.id.clone())) {
            // Turned away while yang looked at it: what yang is about to say is of what was asked then.
            return Err(Refusal::IdPending);
        }
        if self.view.open_count() + self.desk.submissions.len() >= self.settings.open {
            return Err(Refusal::TooManyOpen(self.settings.open));
        }
        let targets = self.targets_asked(&request.body)?;
        if targets.is_empty() {
            return Err(Refusal::NoTarget);
        }
        if targets.len() > self.settings.targets {
            return Err(Refusal::TooManyTargets(targets.len()));
        }
        self.admit_window(&request.body, &targets)?;
        for target in targets {
            match (self.view.binding(&target), request.body.kind) {
                (Some(_), Kind::Add) => return Err(Refusal::TargetExists(target)),
                (None, Kind::Add) | (Some(_), _) => {}
                (None, _) => return Err(Refusal::UnknownTarget(target)),
            }
            if request.until == Until::Outcome && !request.body.kind.is_of_target() {
                self.admit_sync(&target)?;
            }
        }
        Ok(false)
    }

    /// Whether an answer of the device can be expected.
    fn admit_sync(&self, target: &Target) -> Result<(), Refusal> {
        if self.view.master(target).is_none() {
            return Err(Refusal::NotConnected(target.clone()));
        }
        let header = self.view.header(target);
        if header.paused {
            return Err(Refusal::Paused(target.clone()));
        }
        match &header.resync_refused {
            Some(failure) if !header.met => {
                Err(Refusal::NeverMet { target: target.clone(), failure: failure.clone() })
            }
            _ => Ok(()),
        }
    }

    /// A client has gone away: nobody is to be answered. What it asked for goes on.
    pub(super) fn leave(&mut self, client: Client, id: &TransactionId) {
        self.desk.dismiss(id, |waiter| waiter.client == client);
    }

    /// Answers whoever wanted to be answered by now, with how far it is.
    pub(super) fn answer_overdue(&mut self, out: &mut Vec<Command>) {
        while let Some((at, id)) = self.desk.overdue.first().cloned() {
            if at > self.desk.now {
                return;
            }
            self.desk.overdue.pop_first();
            let Some(transaction) = self.view.named(&id) else { continue };
            let (index, status) = (transaction.index, transaction.status);
            let is_due = |waiter: &Waiter| waiter.answer_by.is_some_and(|by| by <= at);
            let reply = Reply::Transaction { index, status };
            self.dismiss(&id, is_due, &reply, out);
        }
    }

    pub(super) fn targets_asked(&self, body: &Body) -> Result<BTreeSet<Target>, Refusal> {
        match body.kind {
            Kind::Change | Kind::Add | Kind::Rebind | Kind::Remove => {}
            // Only nodes roll back by a window, and when it has closed; only masters know what a device has.
            Kind::Rollback { rule: Rule::Window, .. } | Kind::Adopt { .. } => {
                return Err(Refusal::NoTarget);
            }
            Kind::Rollback { of, .. } => self.admit_rollback(of, &body.only)?,
            Kind::Restore { to } => {
                if to == Index::ZERO || to > self.view.head().index {
                    return Err(Refusal::UnknownTransaction(to));
                }
                if to < self.view.horizon() {
                    return Err(self.unknown(to));
                }
            }
        }
        Ok(self.view.asked_of(body))
    }

    /// A transaction that is not there: it never was, or is not any more.
    pub(super) fn unknown(&self, index: Index) -> Refusal {
        let horizon = self.view.horizon();
        if index == Index::ZERO || index > horizon {
            Refusal::UnknownTransaction(index)
        } else {
            Refusal::BeyondRetention { index, horizon }
        }
    }

    fn admit_rollback(&self, of: Index, only: &BTreeSet<Target>) -> Result<(), Refusal> {
        let kept = self.view.transaction(of).filter(|_| of > self.view.horizon());
        let change = kept.ok_or_else(|| self.unknown(of))?;
        if !change.kind.writes() {
            return Err(Refusal::NotAChange(of));
        }
        match only.iter().find(|target| !change.targets.contains_key(*target)) {
            Some(target) => Err(Refusal::NotConcerned { of, target: target.clone() }),
            None => Ok(()),
        }
    }

    /// Whether an entry of the log came from a request with this body. None: nobody can tell yet, for
    /// not all of it is written.
    fn is_the_same(&self, entry: &Transaction, body: &Body) -> Option<bool> {
        if let Some(request) = self.desk.gathering.get(&entry.index) {
            return Some(request.body == *body);
        }
        let written = |target| self.view.proposal(entry.index, target).is_some();
        let whole = entry.kind != Kind::Change || entry.targets.keys().all(written);
        if whole { Some(self.asked_the_same(entry, body)) } else { None }
    }

    fn asked_the_same(&self, entry: &Transaction, body: &Body) -> bool {
        entry.kind == body.kind
            && entry.mode == mode(body)
            && entry.only == body.only
            && entry.window.map(|window| window.length) == body.window
            && entry.binding == body.binding
            && body.edits.iter().all(|(target, edit)| {
                self.view.proposal(entry.index, target).is_some_and(|p| p.edit == *edit)
            })
            && (entry.kind != Kind::Change || body.edits.len() == entry.targets.len())
    }

    /// An id is in the log. A submission of ours with that id is done with: either it is the one in the
    /// log, or another node's came first.
    pub(super) fn id_taken(&mut self, id: &TransactionId, index: Index, out: &mut Vec<Command>) {
        let Some(request) = self.desk.submissions.remove(id) else { return };
        let Some(entry) = self.view.named(id) else { return };
        if entry.wide && entry.origin == self.session {
            self.desk.gathering.insert(index, request);
            return;
        }
        let refusal = match self.is_the_same(entry, &request.body) {
            Some(true) => return,
            Some(false) => Refusal::IdTaken(index),
            None => Refusal::BeingWritten(index),
        };
        self.dismiss(id, |_| true, &Reply::Refused(refusal), out);
    }

    /// Tells these waiters of a transaction, who then wait no longer.
    pub(super) fn dismiss(
        &mut self,
        id: &TransactionId,
        who: impl Fn(&Waiter) -> bool,
        reply: &Reply,
        out: &mut Vec<Command>,
    ) {
        let told = self.desk.dismiss(id, who).into_iter().map(|waiter| waiter.client);
        out.extend(told.map(|client| Command::Answer { client, reply: reply.clone() }));
    }

    pub(super) fn cancel(
        &mut self,
        cancel: Cancel,
        index: Index,
        out: &mut Vec<Command>,
    ) -> Option<Wake> {
        let refusal = match self.view.transaction(index) {
            None => self.unknown(index),
            Some(t) if t.is_revert() && !t.status.is_final() => Refusal::Reverts(index),
            Some(t) if t.status.is_final() && t.open_until().is_none() => {
                Refusal::Finished { index, kind: t.kind, status: t.status }
            }
            Some(t) => {
                let append = t.open_until().is_some();
                self.desk.cancels.entry(index).or_default().push(cancel);
                return Some(if append { Wake::Append } else { Wake::Transaction(index) });
            }
        };
        out.push(Command::Answer { client: cancel.client, reply: Reply::Refused(refusal) });
        None
    }

    /// Answers whoever waits for a transaction and has waited long enough.
    pub(super) fn answer_waiters(&mut self, id: &TransactionId, out: &mut Vec<Command>) {
        let Some(transaction) = self.view.named(id) else { return };
        let (index, kind, status) = (transaction.index, transaction.kind, transaction.status);
        let stage = transaction.window.map(|window| window.stage);
        let reply = Reply::Transaction { index, status };
        let is_due = |waiter: &Waiter| match waiter.until {
            Until::Outcome => status.is_final(),
            Until::Decision => status != Status::Pending,
        };
        self.dismiss(id, is_due, &reply, out);
        // One that was applied before it could be called off is taken out again while its window is open.
        let open = matches!(stage, Some(WindowStage::Open { .. }));
        if !matches!(status, Status::Pending | Status::Committed) && !open {
            let confirmed = stage == Some(WindowStage::Confirmed);
            for Cancel { client, .. } in self.desk.cancels.remove(&index).into_iter().flatten() {
                if confirmed {
                    let reply = Reply::Refused(Refusal::Finished { index, kind, status });
                    out.push(Command::Answer { client, reply });
                } else {
                    out.push(Command::Answer { client, reply: reply.clone() });
                }
            }
        }
    }
}
